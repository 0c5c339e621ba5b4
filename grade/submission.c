/* A pattern such as {student}/{file} is matched against every name in the folder and in the folders
 * in it. Names come from students: they may contain any byte. */
#include "grade/submission.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/memory.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAX_ENTRIES = 1 << 20, /* of a folder */
	MAX_LISTED = 20        /* files of a student's folder that belong to no exercise */
};

/* Characters that are not seen, or that turn the direction of what follows. */
static bool is_invisible(const char *s, unsigned n)
{
	static const char *const ranges[][2] = {
		{"\302\200", "\302\240"},          /* C1 controls, no-break space */
		{"\302\255", "\302\255"},          /* soft hyphen */
		{"\330\234", "\330\234"},          /* Arabic letter mark */
		{"\341\240\216", "\341\240\216"},  /* Mongolian vowel separator */
		{"\342\200\200", "\342\200\217"},  /* U+2000 to U+200F: spaces and marks */
		{"\342\200\250", "\342\200\257"},  /* U+2028 to U+202F: separators, directions */
		{"\342\201\237", "\342\201\257"},  /* U+205F to U+206F */
		{"\343\200\200", "\343\200\200"},  /* ideographic space */
		{"\357\273\277", "\357\273\277"},  /* byte order mark */
		{"\357\277\260", "\357\277\277"}}; /* U+FFF0 to U+FFFF */

	for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++)
		if (strlen(ranges[k][0]) == n && memcmp(s, ranges[k][0], n) >= 0 &&
			memcmp(s, ranges[k][1], n) <= 0)
			return true;
	return false;
}

const char *shown_name(struct arena *arena, const char *name)
{
	struct text t = {0};
	const char *copy;

	for (size_t left = strlen(name); left;) {
		unsigned n = text_utf8(name, left);

		if (n == 1 && *name == '\\')
			text_puts(&t, "\\\\");
		else if (n == 0 || (unsigned char)*name < 32 || *name == 127 ||
			is_invisible(name, n))
			text_printf(&t, "\\x%02X", (unsigned char)*name), n = 1;
		else
			text_add(&t, name, n);
		name += n;
		left -= n;
	}
	copy = arena_text(arena, text_str(&t), t.len);
	text_free(&t);
	return copy;
}

/* --- patterns --- */

struct match {
	const char *student, *file; /* {student} and {file}: where they begin in the name */
	size_t nstudent, nfile;
	unsigned steps; /* bounds the backtracking */
};

/* Whether NAME is PATTERN; `*` is any text. The name is short enough for simple backtracking. */
static bool matches(const char *pattern, const char *name, struct match *m)
{
	bool student = strncmp(pattern, "{student}", 9) == 0,
	     file = strncmp(pattern, "{file}", 6) == 0;

	if (++m->steps > 100000)
		return false;
	if (!*pattern)
		return !*name;
	if (!student && !file && *pattern != '*')
		return *pattern == *name && matches(pattern + 1, name + 1, m);
	for (size_t n = *pattern == '*' ? 0 : 1; n <= strcspn(name, "/"); n++) {
		if (student && m->nstudent == 0) {
			m->student = name;
			m->nstudent = n;
			if (matches(pattern + 9, name + n, m))
				return true;
			m->nstudent = 0;
		} else if (file) {
			m->file = name;
			m->nfile = n;
			if (matches(pattern + 6, name + n, m))
				return true;
		} else if (*pattern == '*' && matches(pattern + 1, name + n, m)) {
			return true;
		}
	}
	return false;
}

/* PATTERN with {file} replaced by FILE. */
static const char *pattern_of(const char *pattern, const char *file, struct arena *arena)
{
	const char *at = strstr(pattern, "{file}");

	return arena_printf(arena, "%.*s%s%s", (int)(at - pattern), pattern, file, at + 6);
}

/* --- folders --- */

struct entries {
	VEC(char *) name;
};

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void entries_free(struct entries *e)
{
	for (uint32_t k = 0; k < e->name.count; k++)
		free(e->name.data[k]);
	vec_free(&e->name);
}

/* The names in the folder FD, sorted; takes ownership of FD. Fails with EFBIG if there are too
 * many: which of them the system names first is not the same everywhere. */
static bool entries_read(struct entries *e, int fd)
{
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while ((entry = readdir(d)) && e->name.count <= MAX_ENTRIES)
		if (entry->d_name[0] != '.') {
			size_t n = strlen(entry->d_name) + 1;

			*vec_push(&e->name) = memcpy(memory_resize(NULL, n), entry->d_name, n);
		}
	closedir(d);
	if (e->name.count > MAX_ENTRIES) {
		entries_free(e);
		errno = EFBIG;
		return false;
	}
	if (e->name.count)
		qsort(e->name.data, e->name.count, sizeof *e->name.data, by_bytes);
	return true;
}

static const char too_many[] = "contains more than 1048576 files";

struct finder {
	const struct suite *suite;
	struct graded *g;
	struct submissions *out;
	VEC(const char *) patterns; /* [exercise * suite patterns], with the file's name */
	struct map students;        /* hash of a name to its index in g->students */
	struct arena arena;
	uint32_t listed, more; /* files of the current folder that belong to no exercise */
};

static bool in_shard(const struct graded *g, const char *name)
{
	return hash_bytes(name, strlen(name), 0) % g->shards == g->shard - 1;
}

static void unknown(struct finder *f, const char *path, const char *why)
{
	const char *shown = shown_name(&f->g->arena, path);

	if (in_shard(f->g, shown))
		*vec_push(&f->g->unknown) = (struct graded_unknown){shown, why};
}

/* The student NAME, or UINT32_MAX if another shard grades it. */
static uint32_t student_of(struct finder *f, const char *name, size_t n)
{
	const char *shown = shown_name(&f->g->arena, arena_text(&f->arena, name, n));
	struct graded_student *s;
	uint64_t key;

	if (!in_shard(f->g, shown))
		return UINT32_MAX;
	for (key = hash_bytes(shown, strlen(shown), 0) >> 1;; key++) {
		uint32_t k = map_get(&f->students, key, UINT32_MAX);

		if (k == UINT32_MAX)
			break;
		if (strcmp(f->g->students.data[k].name, shown) == 0)
			return k;
	}
	map_set(&f->students, key, f->g->students.count);
	s = vec_push(&f->g->students);
	*s = (struct graded_student){.name = shown,
		.exercises = ARENA_ARRAY(
			&f->g->arena, struct graded_exercise, f->suite->exercises.count)};
	for (uint32_t k = 0; k < f->suite->exercises.count; k++)
		s->exercises[k] = (struct graded_exercise){
			.file = "", .reason = "not handed in", .detail = ""};
	return f->g->students.count - 1;
}

/* Assigns the file PATH ("folder/file" or "file"), or lists it as unknown. */
static void assign(struct finder *f, const char *path)
{
	uint32_t npatterns = f->suite->patterns.count;
	const char *slash = strchr(path, '/');

	for (uint32_t p = 0; p < npatterns; p++)
		for (uint32_t e = 0; e < f->suite->exercises.count; e++) {
			struct match m = {0};
			struct graded_exercise *x;
			uint32_t s;

			if (!matches(f->patterns.data[e * npatterns + p], path, &m) || !m.nstudent)
				continue;
			s = student_of(f, m.student, m.nstudent);
			if (s == UINT32_MAX)
				return;
			x = &f->g->students.data[s].exercises[e];
			if (*x->file) {
				*vec_push(&f->g->unknown) = (struct graded_unknown){
					shown_name(&f->g->arena, path),
					"a second file of this student for the same exercise"};
				return;
			}
			x->file = shown_name(&f->g->arena, path);
			x->reason = graded_not_judged;
			x->state = GRADED_UNFINISHED;
			*vec_push(&f->out->list) = (struct submission){s, e,
				arena_text(&f->g->arena, path, slash ? (size_t)(slash - path) : 0),
				arena_printf(&f->g->arena, "%s", slash ? slash + 1 : path), NULL};
			return;
		}
	if (slash && f->listed++ >= MAX_LISTED)
		f->more++;
	else
		unknown(f, path, "belongs to no exercise");
}

/* Whether a pattern has folders of students. */
static bool has_folders(const struct suite *s)
{
	for (uint32_t k = 0; k < s->patterns.count; k++)
		if (strchr(s->patterns.data[k], '/'))
			return true;
	return false;
}

/* A folder of a student who handed in nothing is a student, too. */
static void folder_without_files(struct finder *f, const char *folder)
{
	for (uint32_t k = 0; k < f->suite->patterns.count; k++) {
		const char *p = f->suite->patterns.data[k], *slash = strchr(p, '/');
		struct match m = {0};

		if (slash && matches(arena_text(&f->arena, p, (size_t)(slash - p)), folder, &m) &&
			m.nstudent) {
			student_of(f, m.student, m.nstudent);
			return;
		}
	}
	unknown(f, folder, "belongs to no student");
}

/* Whether NAME is that of a submission beside the folders of students. */
static bool is_flat(struct finder *f, const char *name)
{
	for (uint32_t k = 0; k < f->patterns.count; k++) {
		struct match m = {0};

		if (!strchr(f->patterns.data[k], '/') && matches(f->patterns.data[k], name, &m))
			return true;
	}
	return false;
}

static void walk(struct finder *f, int top, const struct entries *entries)
{
	for (uint32_t k = 0; k < entries->name.count; k++) {
		const char *name = entries->name.data[k];
		struct entries inside = {0};
		struct stat st;
		bool folder = fstatat(top, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISDIR(st.st_mode);

		/* a folder with the name of a submission is handed in as one, and refused */
		if (!folder || !has_folders(f->suite) || is_flat(f, name)) {
			assign(f, name);
			continue;
		}
		if (!entries_read(&inside,
			    openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)))
			unknown(f, name, errno == EFBIG ? too_many : "the folder cannot be read");
		else
			folder_without_files(f, name);
		f->more = 0;
		f->listed = 0;
		for (uint32_t n = 0; n < inside.name.count; n++)
			assign(f, arena_printf(&f->arena, "%s/%s", name, inside.name.data[n]));
		if (f->more)
			unknown(f, arena_printf(&f->arena, "%s/...", name),
				arena_printf(&f->g->arena,
					"%u more files that belong to no exercise", f->more));
		entries_free(&inside);
	}
}

/* Sorts the students; a student's array of exercises does not move, so its address identifies the
 * student. */
static void sort_students(struct finder *f)
{
	struct graded *g = f->g;
	struct map place = {0};
	struct graded_exercise **was = ARENA_ARRAY(
		&f->arena, struct graded_exercise *, g->students.count + 1u);

	for (uint32_t k = 0; k < g->students.count; k++)
		was[k] = g->students.data[k].exercises;
	graded_sort(g);
	for (uint32_t k = 0; k < g->students.count; k++)
		map_set(&place, (uintptr_t)g->students.data[k].exercises, k);
	for (uint32_t k = 0; k < f->out->list.count; k++) {
		struct submission *s = &f->out->list.data[k];

		s->student = map_get(&place, (uintptr_t)was[s->student], 0);
	}
	map_free(&place);
}

bool submissions_find(struct submissions *out, const struct suite *suite, const char *path,
	struct graded *g, struct diags *diags)
{
	struct finder f = {.suite = suite, .g = g, .out = out};
	struct entries entries = {0};
	int top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = top >= 0 && entries_read(&entries, dup(top));

	if (!ok)
		diag_plain(diags, errno == ENOENT ? DIAG_L0201 : DIAG_L0203, "%s: %s", path,
			errno == EFBIG ? too_many : strerror(errno));
	for (uint32_t e = 0; e < suite->exercises.count; e++)
		for (uint32_t p = 0; p < suite->patterns.count; p++)
			*vec_push(&f.patterns) = pattern_of(
				suite->patterns.data[p], suite->exercises.data[e].file, &f.arena);
	if (ok)
		walk(&f, top, &entries);
	sort_students(&f);
	entries_free(&entries);
	if (top >= 0)
		close(top);
	vec_free(&f.patterns);
	map_free(&f.students);
	arena_free(&f.arena);
	return ok;
}

static char *refuse(const char **why, const char *reason)
{
	*why = reason;
	return NULL;
}

/* What a name that is not a regular file is. */
static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode)    ? "is a folder, not a file"
		: S_ISLNK(mode) ? "is a symbolic link, which is not followed"
		: S_ISFIFO(mode) || S_ISSOCK(mode) || S_ISCHR(mode) || S_ISBLK(mode)
		? "is a device, pipe or socket, not a file"
		: NULL;
}

static char *read_regular(int fd, const struct stat *st, uint64_t limit, struct arena *arena,
	size_t *size, const char **why)
{
	struct text t = {0};
	char *bytes;

	if (kind_of(st->st_mode) || !S_ISREG(st->st_mode))
		return refuse(why, "is not a regular file");
	if ((uint64_t)st->st_size > limit) {
		text_puts(&t, "is larger than ");
		bytes_put(&t, limit);
		*why = arena_text(arena, text_str(&t), t.len);
		text_free(&t);
		return NULL;
	}
	bytes = memory_resize(NULL, (size_t)st->st_size + 1);
	*size = 0;
	while (*size < (size_t)st->st_size) {
		ssize_t n = read(fd, bytes + *size, (size_t)st->st_size - *size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			free(bytes);
			return refuse(why, "cannot be read");
		}
		if (n == 0)
			break;
		*size += (size_t)n;
	}
	return bytes;
}

char *submission_read(const char *path, const struct submission *s, uint64_t limit,
	struct arena *arena, size_t *size, const char **why)
{
	const int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int top = open(path, folder_flags), folder = top, fd;
	struct stat st;
	char *bytes;

	if (top >= 0 && *s->folder)
		folder = openat(top, s->folder, folder_flags | O_NOFOLLOW);
	if (folder < 0 || fstatat(folder, s->file, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		bytes = refuse(why, "cannot be read");
	} else if (kind_of(st.st_mode)) {
		bytes = refuse(why, kind_of(st.st_mode));
	} else {
		/* not blocking: it may have been replaced by a pipe since */
		fd = openat(folder, s->file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		bytes = fd >= 0 && fstat(fd, &st) == 0
			? read_regular(fd, &st, limit, arena, size, why)
			: refuse(why, "cannot be read");
		if (fd >= 0)
			close(fd);
	}
	if (folder >= 0 && folder != top)
		close(folder);
	if (top >= 0)
		close(top);
	return bytes;
}
