/* The test runner of `ptxi check`: takes files and directories, and gives one verdict per case. */
#ifndef PTXI_SCRIPT_CHECK_H
#define PTXI_SCRIPT_CHECK_H
#include "script/host/host.h"
#include "script/lang/program.h"

enum check_format { CHECK_TEXT, CHECK_JSON, CHECK_JUNIT, CHECK_TAP };

/* How far checking is. */
struct check_running {
	uint32_t files, files_done, failed;
	const char *name;    /* of a running case, or of a file that is being loaded; NULL: none */
	uint32_t number, of; /* case NUMBER of OF, from 1; 0: the file is being loaded */
	double seconds;      /* how long it has run */
	bool bounded;        /* it has a limit */
	const char *place;   /* where a warp was after CHECK_LONG seconds, or NULL */
};
enum { CHECK_LONG = 10 };

struct check_request {
	const char *const *paths; /* files and directories */
	unsigned npaths;
	struct program_request program; /* path is set for each file */
	struct run_options options;
	unsigned jobs; /* files checked in parallel; 0: one per processor */
	enum check_format format;
	bool color, quiet, verbose;
	/* or NULL; called at least five times a second */
	void (*progress)(void *self, const struct check_running *r);
	/* receives results, in the order of the files */
	void (*put)(void *self, const char *text, size_t n);
	/* receives errors in the arguments */
	void (*err)(void *self, const char *text, size_t n);
	void *self;
};
/* Runs and judges everything; returns the exit status. */
int check_run(const struct check_request *r);

/* file_list_add() appends every .ptx and .litmus file below PATH, sorted, or PATH itself if it is
 * not a directory. If a directory cannot be read, it reports that and returns false. */
struct file_list {
	VEC(char *) name;
};
bool file_list_add(struct file_list *l, const char *path, struct diags *diags);
void file_list_free(struct file_list *l);

#endif
