/* Checks several files in parallel, and prints the verdicts in the order of the files. */
#include "script/files/check.h"
#include "base/memory.h"
#include "base/pool.h"
#include "script/files/workers.h"
#include <ptxi/status.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_MEMORY = 512 << 20 };

struct runner {
	const struct check_request *request;
	const struct file_list *files;
	struct checked *result; /* by file */
	bool *done;
	uint32_t printed;
	struct check_totals totals;
};

static void show_progress(void *self, const struct check_running *running)
{
	const struct runner *r = self;
	struct check_running all = *running;

	all.files = r->files->name.count;
	all.files_done = r->printed;
	all.failed = r->totals.failed;
	r->request->progress(r->request->self, &all);
}

/* Prints the finished files up to the first unfinished one. */
static void print_finished(struct runner *r)
{
	struct text t = {0};

	while (r->printed < r->files->name.count && r->done[r->printed]) {
		text_clear(&t);
		checked_print(r->request, &r->result[r->printed], &r->totals, &t);
		r->request->put(r->request->self, text_str(&t), t.len);
		checked_free(&r->result[r->printed]);
		r->printed++;
	}
	text_free(&t);
}

static void file_finished(void *self, uint32_t file, struct checked *result)
{
	struct runner *r = self;

	r->result[file] = *result;
	r->done[file] = true;
	print_finished(r);
}

static bool gather_files(const struct check_request *q, struct file_list *files, bool **named)
{
	struct diags diags = {0};
	struct text t = {0};
	bool ok;

	*named = NULL;
	for (unsigned k = 0; k < q->npaths; k++) {
		uint32_t before = files->name.count;

		bool read = file_list_add(files, q->paths[k], &diags);

		*named = memory_resize(*named, files->name.count + 1u);
		for (uint32_t n = before; n < files->name.count; n++)
			(*named)[n] = strcmp(files->name.data[n], q->paths[k]) == 0;
		if (files->name.count == before && read)
			diag_plain(&diags, DIAG_L0128, "%s: contains no .ptx or .litmus file",
				q->paths[k]);
	}
	ok = diags.errors == 0;
	diag_render(&diags, &t, q->color);
	q->err(q->self, text_str(&t), t.len);
	text_free(&t);
	diags_free(&diags);
	return ok;
}

static int run_all(const struct check_request *q, const struct file_list *files, const bool *named,
	unsigned jobs)
{
	struct runner r = {.request = q, .files = files};
	struct workers_job job = {.request = q,
		.path = files->name.data,
		.named = named,
		.count = files->name.count,
		.finished = file_finished,
		.going = q->progress ? show_progress : NULL,
		.self = &r};
	struct text t = {0};

	if (!q->options.on_gpu) /* ptxi itself needs memory beyond the program's */
		job.memory = q->options.machine.max_memory * 2 + OWN_MEMORY;
	r.result = memory_zeroed(files->name.count + 1u, sizeof *r.result);
	r.done = memory_zeroed(files->name.count + 1u, sizeof *r.done);
	checked_begin(q, &t);
	q->put(q->self, text_str(&t), t.len);
	workers_run(&job, jobs);
	text_clear(&t);
	checked_end(q, &r.totals, &t);
	q->put(q->self, text_str(&t), t.len);
	text_free(&t);
	free(r.result);
	free(r.done);
	return checked_status(&r.totals);
}

/* A GPU context reserves stacks for all threads that the GPU can run, which takes a large part of
 * its memory. */
enum { GPU_JOBS = 4 };

static unsigned default_jobs(bool on_gpu)
{
	unsigned n = pool_processors();

	return on_gpu && n > GPU_JOBS ? GPU_JOBS : n;
}

int check_run(const struct check_request *q)
{
	struct check_request request = *q;
	struct file_list files = {0};
	bool *named, ok = gather_files(q, &files, &named);
	unsigned jobs = q->jobs ? q->jobs : default_jobs(q->options.on_gpu);
	int status;

	if (jobs > files.name.count)
		jobs = files.name.count ? files.name.count : 1;
	/* with several files, only the files run in parallel */
	if (files.name.count > 1 || request.options.machine.jobs == 0)
		request.options.machine.jobs = files.name.count > 1 ? 1 : request.jobs;
	if (!request.options.machine.max_memory)
		request.options.machine.max_memory = memory_physical() / 2 / jobs;
	status = run_all(&request, &files, named, jobs);
	file_list_free(&files);
	free(named);
	return !ok && status == PTXI_OK ? PTXI_USAGE : status;
}
