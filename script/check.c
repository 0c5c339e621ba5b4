/* Runs every case of every file, several files at a time, and prints the verdicts in the order of the files. */
#include "script/check.h"
#include "base/memory.h"
#include "base/pool.h"
#include "script/checked.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct runner {
	const struct check_request *request;
	const struct file_list *files;
	const bool *named;       /* by file: it stands on the command line itself */
	struct checked *result;  /* by file */
	bool *done;
	pthread_mutex_t lock;
	uint32_t next, printed;
	struct check_totals totals;
};

static void say_progress(struct runner *r)
{
	struct text t = {0};

	if (!r->request->progress)
		return;
	if (r->printed < r->files->name.count)
		text_printf(&t, "\r\033[K[%u/%u] %.60s", r->printed, r->files->name.count, r->files->name.data[r->printed]);
	else
		text_puts(&t, "\r\033[K");
	r->request->err(r->request->self, text_str(&t), t.len);
	text_free(&t);
}

/* Prints what is finished and whose predecessors are; the lock is held. */
static void print_finished(struct runner *r)
{
	struct text t = {0};

	while (r->printed < r->files->name.count && r->done[r->printed]) {
		text_clear(&t);
		checked_print(r->request, &r->result[r->printed], &r->totals, &t);
		if (r->request->progress && t.len)
			r->request->err(r->request->self, "\r\033[K", 4);
		r->request->put(r->request->self, text_str(&t), t.len);
		checked_free(&r->result[r->printed]);
		r->printed++;
	}
	text_free(&t);
	say_progress(r);
}

static void work(void *arg, unsigned worker)
{
	struct runner *r = arg;

	(void)worker;
	pthread_mutex_lock(&r->lock);
	while (r->next < r->files->name.count) {
		uint32_t k = r->next++;

		pthread_mutex_unlock(&r->lock);
		checked_run(r->request, r->files->name.data[k], r->named[k], &r->result[k]);
		pthread_mutex_lock(&r->lock);
		r->done[k] = true;
		print_finished(r);
	}
	pthread_mutex_unlock(&r->lock);
}

static bool gather(const struct check_request *q, struct file_list *files, bool **named)
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
			diag_report(&diags, DIAG_L0128, NULL, (struct span){0, 0}, "%s: has no .ptx or .litmus file in it", q->paths[k]);
	}
	ok = diags.errors == 0;
	diag_render(&diags, &t, q->color);
	q->err(q->self, text_str(&t), t.len);
	text_free(&t);
	diags_free(&diags);
	return ok;
}

static int run_all(const struct check_request *q, const struct file_list *files, const bool *named)
{
	struct runner r = {.request = q, .files = files, .named = named};
	unsigned jobs = q->jobs ? q->jobs : pool_processors();
	struct text t = {0};
	struct pool *pool;

	if (jobs > files->name.count)
		jobs = files->name.count ? files->name.count : 1;
	r.result = memory_zeroed(files->name.count + 1u, sizeof *r.result);
	r.done = memory_zeroed(files->name.count + 1u, sizeof *r.done);
	pthread_mutex_init(&r.lock, NULL);
	checked_begin(q, &t);
	q->put(q->self, text_str(&t), t.len);
	pool = pool_new(jobs);
	pool_run(pool, work, &r);
	pool_free(pool);
	pthread_mutex_destroy(&r.lock);
	text_clear(&t);
	checked_end(q, &r.totals, &t);
	q->put(q->self, text_str(&t), t.len);
	text_free(&t);
	free(r.result);
	free(r.done);
	return checked_status(&r.totals);
}

int check_run(const struct check_request *q)
{
	struct check_request request = *q;
	struct file_list files = {0};
	bool *named, ok = gather(q, &files, &named);
	int status;

	if (files.name.count > 1 || request.options.machine.jobs == 0) /* the files are what runs side by side */
		request.options.machine.jobs = files.name.count > 1 ? 1 : request.jobs;
	status = run_all(&request, &files, named);
	file_list_free(&files);
	free(named);
	return !ok && status == 0 ? 2 : status;
}
