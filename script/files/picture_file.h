/* The output file of --picture. */
#ifndef PTXI_SCRIPT_PICTURE_FILE_H
#define PTXI_SCRIPT_PICTURE_FILE_H
#include "diag/diag.h"
#include "picture/picture.h"
#include "script/lang/options.h"
#include <stdio.h>

struct picture_file {
	const char *path;
	FILE *file;
	struct picture picture; /* what is drawn so far */
	struct trace *trace;    /* of runs, or NULL */
};

/* Creates the file before anything runs, so that errors are reported at once: an empty picture, in
 * case ptxi is ended before there is more. PATH ends in .svg, or is "-", standard output. On
 * failure reports it and returns false. */
bool picture_file_open(struct picture_file *p, const char *path, struct diags *diags);
/* Runs with OPTIONS are recorded, beside the trace that they may have. False after a report: they
 * cannot be. */
bool picture_file_record(struct picture_file *p, struct run_options *options, struct diags *diags);
/* A case begins, whose NAME outlives it and that is run RUNS times; it has ended, and is drawn. */
void picture_file_begins(struct picture_file *p, const char *name, uint64_t runs);
void picture_file_ends(struct picture_file *p);
/* Writes the picture, of INPUT, and frees it. If not everything could be written, reports that and
 * returns false. */
bool picture_file_close(struct picture_file *p, const char *input, struct diags *diags);

#endif
