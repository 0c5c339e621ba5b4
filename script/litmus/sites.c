/* See sites.h. An instruction is known by the words of its name as it is written; what a changed
 * program means is not decided here: it is assembled and explored like any other. */
#include "script/litmus/sites.h"
#include <string.h>

enum { MAX_NAME = 256, MAX_WORDS = 16 };

/* The words of a dotted name. */
struct dotted {
	char text[MAX_NAME];
	const char *word[MAX_WORDS];
	uint32_t n;
};

static bool dotted_split(const struct source *s, struct span name, struct dotted *d)
{
	char *next = d->text;

	d->n = 0;
	if (name.len >= MAX_NAME)
		return false;
	memcpy(d->text, s->text + name.off, name.len);
	d->text[name.len] = '\0';
	while (next) {
		if (d->n == MAX_WORDS)
			return false;
		d->word[d->n++] = next;
		next = strchr(next, '.');
		if (next)
			*next++ = '\0';
	}
	return true;
}

static bool dotted_has(const struct dotted *d, const char *word)
{
	for (uint32_t k = 1; k < d->n; k++)
		if (strcmp(d->word[k], word) == 0)
			return true;
	return false;
}

static bool is_word(const struct dotted *d, uint32_t k, const char *word)
{
	return k < d->n && strcmp(d->word[k], word) == 0;
}

/* Whether the word is part of an order or a scope. */
static bool is_order(const char *word, enum sem *sem, enum scope *scope)
{
	enum word w = word_find(word, strlen(word));

	if (strcmp(word, "gl") == 0) {
		*scope = SCOPE_GPU;
		return true;
	}
	if (w == W_weak) {
		*sem = SEM_WEAK;
		return true;
	}
	if (sem_named(w, sem)) {
		if (w == W_volatile)
			*scope = SCOPE_SYS;
		return true;
	}
	return scope_named(w, scope);
}

/* --- sites --- */

static void site_options(struct site *s, unsigned scopes, bool membar)
{
	struct strength all[STRENGTH_MOST];
	uint32_t n = strengths(s->kind, scopes, all);

	s->noptions = 0;
	for (uint32_t k = 0; k < n; k++) {
		bool old = all[k].absent || (all[k].sem == SEM_SC && all[k].scope != SCOPE_CLUSTER);

		if (s->kind != STRENGTH_FENCE || !membar || old)
			s->option[s->noptions++] = all[k];
	}
	for (uint32_t i = 1; i < s->noptions; i++) { /* the weakest first */
		struct strength o = s->option[i];
		uint32_t at = i;

		for (; at > 0 &&
			strength_rank(s->kind, s->option[at - 1]) > strength_rank(s->kind, o);
			at--)
			s->option[at] = s->option[at - 1];
		s->option[at] = o;
	}
}

static void add_site(struct sites *all, struct site s) { *vec_push(&all->list) = s; }

/* Something that is not there, but could be, before instruction WHERE. */
static void add_gap(
	struct sites *all, const struct site *where, enum strength_kind kind, const char *text)
{
	struct site s = *where;

	s.kind = kind;
	s.gap = true;
	s.now = (struct strength){.absent = true};
	s.name = (struct span){where->whole.off, 0};
	s.text = text;
	add_site(all, s);
}

/* The scopes in use: those as written, .cta and .gpu, and what the launches make different. */
static unsigned scopes_of(const struct sites *all, bool clusters, bool devices)
{
	unsigned scopes = 1u << SCOPE_CTA | 1u << SCOPE_GPU;

	if (clusters)
		scopes |= 1u << SCOPE_CLUSTER;
	if (devices)
		scopes |= 1u << SCOPE_SYS;
	for (uint32_t k = 0; k < all->list.count; k++)
		scopes |= 1u << all->list.data[k].now.scope;
	return scopes;
}

static void finish_sites(struct sites *all, unsigned scopes)
{
	for (uint32_t k = 0; k < all->list.count; k++)
		site_options(&all->list.data[k], scopes, all->membar);
}

/* --- PTX --- */

static uint32_t skip_blanks(const struct source *s, uint32_t at, uint32_t end)
{
	while (at < end && strchr(" \t\r\n", s->text[at]))
		at++;
	return at;
}

/* The name of the instruction at SPAN, which may begin with a guard. */
static struct span name_of(const struct source *s, struct span span)
{
	uint32_t at = span.off, end = span.off + span.len, from;

	if (at < end && s->text[at] == '@') {
		at++;
		at = skip_blanks(s, at, end);
		at += at < end && s->text[at] == '!';
		at = skip_blanks(s, at, end);
		while (at < end && !strchr(" \t\r\n", s->text[at]))
			at++;
		at = skip_blanks(s, at, end);
	}
	for (from = at; at < end && !strchr(" \t\r\n;[", s->text[at]); at++)
		;
	return (struct span){from, at - from};
}

/* Accesses to memory that threads may share. */
static bool is_shared_access(const struct dotted *d)
{
	static const char *const other[] = {"param", "param::entry", "param::func", "local",
		"const", "nc", "mmio", "async", "bulk", "proxy::readonly"};

	for (size_t k = 0; k < sizeof other / sizeof other[0]; k++)
		if (dotted_has(d, other[k]))
			return false;
	return true;
}

enum place { PLACE_NONE, PLACE_GAP, PLACE_SITE };

/* What D is: fills in the kind and the strength where none is written. */
static enum place classify(const struct dotted *d, enum strength_kind *kind, struct strength *now)
{
	const char *name = d->word[0];

	*now = (struct strength){.sem = SEM_WEAK, .scope = SCOPE_CTA};
	if (strcmp(name, "ld") == 0 || strcmp(name, "st") == 0) {
		*kind = name[0] == 'l' ? STRENGTH_LOAD : STRENGTH_STORE;
		return is_shared_access(d)                                ? PLACE_SITE
			: dotted_has(d, "async") || dotted_has(d, "bulk") ? PLACE_GAP
									  : PLACE_NONE;
	}
	if (strcmp(name, "atom") == 0 || strcmp(name, "red") == 0) {
		*kind = name[0] == 'a' ? STRENGTH_ATOM : STRENGTH_RED;
		*now = (struct strength){.sem = SEM_RELAXED, .scope = SCOPE_GPU};
		return is_shared_access(d) ? PLACE_SITE : PLACE_GAP;
	}
	if (strcmp(name, "fence") == 0 || strcmp(name, "membar") == 0) {
		bool proxy = is_word(d, 1, "proxy") || is_word(d, 1, "mbarrier_init");

		*kind = proxy ? STRENGTH_PROXY_FENCE : STRENGTH_FENCE;
		now->sem = proxy ? SEM_WEAK : strcmp(name, "fence") ? SEM_SC : SEM_ACQ_REL;
		return strstr(d->word[d->n - 1], "::") ? PLACE_GAP : PLACE_SITE;
	}
	if (strcmp(name, "mbarrier") == 0) {
		bool arrive = is_word(d, 1, "arrive") || is_word(d, 1, "arrive_drop");
		bool wait = is_word(d, 1, "test_wait") || is_word(d, 1, "try_wait");

		*kind = arrive ? STRENGTH_ARRIVE : STRENGTH_WAIT;
		now->sem = arrive ? SEM_RELEASE : SEM_ACQUIRE;
		return (arrive || wait) && !dotted_has(d, "noComplete") ? PLACE_SITE : PLACE_GAP;
	}
	if (strcmp(name, "bar") == 0 || strcmp(name, "barrier") == 0) {
		if (is_word(d, 1, "cluster") && is_word(d, 2, "arrive")) {
			*kind = STRENGTH_CLUSTER_ARRIVE;
			now->sem = SEM_RELEASE;
			return PLACE_SITE;
		}
		*kind = is_word(d, 1, "warp") ? STRENGTH_WARP_BARRIER : STRENGTH_BARRIER;
		return !is_word(d, 1, "cluster") && dotted_has(d, "sync") ? PLACE_SITE : PLACE_GAP;
	}
	return strcmp(name, "cp") == 0 ? PLACE_GAP : PLACE_NONE;
}

/* The order and scope as written. */
static void read_strength(const struct dotted *d, enum strength_kind kind, struct strength *now)
{
	bool written = false;

	if (kind >= STRENGTH_PROXY_FENCE)
		return;
	for (uint32_t k = 1; k < d->n; k++)
		written |= is_order(d->word[k], &now->sem, &now->scope);
	if (now->sem == SEM_WEAK || (written && kind == STRENGTH_CLUSTER_ARRIVE))
		now->scope = SCOPE_CTA;
}

/* The instruction at SPAN with the semicolon after it. */
static struct span with_semicolon(const struct source *s, struct span span)
{
	uint32_t at = skip_blanks(s, span.off + span.len, s->len);

	if (at < s->len && s->text[at] == ';')
		span.len = at + 1 - span.off;
	return span;
}

/* Whether bulk copies, which access memory through another proxy, occur in the module. */
static bool has_copies(const struct ir_module *m)
{
	for (uint32_t k = 0; k < m->ninsns; k++)
		if (ir_has(m, &m->insn[k], W_bulk))
			return true;
	return false;
}

static void sites_of_function(const struct ir_module *m, uint32_t func, const struct sites_use *use,
	bool copies, struct sites *out)
{
	const struct ir_func *f = &m->func[func];
	bool open = f->nlabels > 0; /* whether a gap here could matter: something comes before it */
	bool fenced = false;        /* the instruction before is a fence, which could be stronger */
	bool initialises = false;   /* there was an mbarrier.init */

	for (uint32_t k = 0; k < f->ninsns; k++) {
		const struct ir_insn *i = &m->insn[f->insn + k];
		struct site s = {.func = func};
		struct dotted d;
		enum place place;

		s.name = name_of(m->source, i->span);
		s.whole = with_semicolon(m->source, i->span);
		if (!s.name.len || !dotted_split(m->source, s.name, &d))
			continue;
		place = classify(&d, &s.kind, &s.now);
		if (place == PLACE_NONE)
			continue;
		read_strength(&d, s.kind, &s.now);
		if (s.kind != STRENGTH_FENCE || place != PLACE_SITE) {
			if (open && !fenced)
				add_gap(out, &s, STRENGTH_FENCE, NULL);
			if (open && copies)
				add_gap(out, &s, STRENGTH_PROXY_FENCE, "fence.proxy.async");
			if (open && use->ctas)
				add_gap(out, &s, STRENGTH_BARRIER, "bar.sync 0");
			if (open && use->ctas)
				add_gap(out, &s, STRENGTH_WARP_BARRIER, "bar.warp.sync 0xffffffff");
		}
		fenced = s.kind == STRENGTH_FENCE && place == PLACE_SITE;
		open = true;
		initialises |= is_word(&d, 1, "init");
		s.kept = initialises && s.kind >= STRENGTH_CLUSTER_ARRIVE;
		if (place == PLACE_SITE)
			add_site(out, s);
	}
}

void sites_of_module(const struct ir_module *m, const struct sites_use *use, struct sites *out)
{
	bool copies = has_copies(m);

	*out = (struct sites){
		.source = m->source, .membar = m->target.ptx < 60 || m->target.sm < 70};
	for (uint32_t k = 0; k < m->nfuncs; k++)
		if (use->func[k] && m->func[k].has_body)
			sites_of_function(m, k, use, copies, out);
	finish_sites(out, scopes_of(out, use->clusters, use->devices));
}

/* --- litmus tests --- */

static const char *proxy_fence(uint8_t proxy)
{
	switch ((enum litmus_proxy)proxy) {
	case LITMUS_SURFACE: return "fence.proxy.surface";
	case LITMUS_TEXTURE: return "fence.proxy.texture";
	case LITMUS_CONSTANT: return "fence.proxy.constant";
	case LITMUS_ASYNC: return "fence.proxy.async";
	case LITMUS_ALIAS: return "fence.proxy.alias";
	case LITMUS_GENERIC: return NULL;
	}
	return NULL;
}

/* The proxies through which the test accesses memory, as a set. */
static unsigned proxies_of(const struct litmus_test *t)
{
	unsigned set = 0;

	for (uint32_t k = 0; k < t->nthreads; k++)
		for (uint32_t i = 0; i < t->thread[k].ninsns; i++)
			if (t->thread[k].insn[i].op <= LITMUS_STORE)
				set |= 1u << t->thread[k].insn[i].proxy;
	for (uint32_t k = 0; k < t->nlocations; k++)
		if (t->location[k].alias && t->location[k].virt == k)
			set |= 1u << LITMUS_ALIAS;
	return set & ~(1u << LITMUS_GENERIC);
}

static bool litmus_kind(const struct litmus_insn *i, enum strength_kind *kind)
{
	switch ((enum litmus_op)i->op) {
	case LITMUS_LOAD: *kind = STRENGTH_LOAD; return i->proxy == LITMUS_GENERIC;
	case LITMUS_STORE: *kind = STRENGTH_STORE; return i->proxy == LITMUS_GENERIC;
	case LITMUS_ATOM: *kind = STRENGTH_ATOM; return true;
	case LITMUS_RED: *kind = STRENGTH_RED; return true;
	case LITMUS_FENCE: *kind = STRENGTH_FENCE; return true;
	case LITMUS_PROXY_FENCE: *kind = STRENGTH_PROXY_FENCE; return true;
	case LITMUS_SYNC: *kind = STRENGTH_BARRIER; return true;
	case LITMUS_ARRIVE:
	case LITMUS_ALU:
	case LITMUS_BRANCH:
	case LITMUS_GOTO: return false;
	}
	return false;
}

static bool is_memory(const struct litmus_insn *i) { return i->op <= LITMUS_ARRIVE; }

static void sites_of_thread(
	const struct litmus_test *t, uint32_t thread, unsigned proxies, struct sites *out)
{
	bool open = false, fenced = false;

	for (uint32_t k = 0; k < t->thread[thread].ninsns; k++) {
		const struct litmus_insn *i = &t->thread[thread].insn[k];
		struct site s = {
			.thread = thread, .thread_name = t->thread[thread].name, .whole = i->span};
		bool some;

		open |= i->op == LITMUS_BRANCH || i->op == LITMUS_GOTO;
		if (!is_memory(i))
			continue;
		s.name = name_of(t->source, i->span);
		some = litmus_kind(i, &s.kind);
		s.now = (struct strength){.sem = (enum sem)i->sem, .scope = (enum scope)i->scope};
		if (s.kind >= STRENGTH_PROXY_FENCE || s.now.sem == SEM_WEAK)
			s.now = (struct strength){.sem = SEM_WEAK, .scope = SCOPE_CTA};
		if (i->op != LITMUS_FENCE && open && !fenced)
			add_gap(out, &s, STRENGTH_FENCE, NULL);
		for (uint8_t p = 0; p <= LITMUS_ALIAS && open; p++)
			if (proxies >> p & 1)
				add_gap(out, &s, STRENGTH_PROXY_FENCE, proxy_fence(p));
		fenced = i->op == LITMUS_FENCE;
		open = true;
		if (some)
			add_site(out, s);
	}
}

void sites_of_litmus(const struct litmus_test *t, struct sites *out)
{
	bool clusters = false, devices = false;

	*out = (struct sites){.source = t->source, .litmus = true};
	for (uint32_t k = 0; k < t->nthreads; k++) {
		const struct litmus_thread *a = &t->thread[0], *b = &t->thread[k];

		devices |= a->gpu != b->gpu;
		clusters |= a->gpu == b->gpu && a->cluster == b->cluster && a->cta != b->cta;
		sites_of_thread(t, k, proxies_of(t), out);
	}
	finish_sites(out, scopes_of(out, clusters, devices));
}

void sites_free(struct sites *s) { vec_free(&s->list); }

/* --- changes of the text --- */

/* How many words come before the order. */
static uint32_t words_before(const struct dotted *d, enum strength_kind kind)
{
	if (kind == STRENGTH_CLUSTER_ARRIVE)
		return 3;
	if (kind != STRENGTH_ARRIVE && kind != STRENGTH_WAIT)
		return 1;
	return is_word(d, 2, "parity") || is_word(d, 2, "expect_tx") ? 3 : 2;
}

static void fence_name(const struct sites *all, struct strength to, struct text *out)
{
	if (all->membar)
		text_printf(out, "membar.%s",
			to.scope == SCOPE_GPU ? "gl" : word_text(scope_word(to.scope)));
	else
		text_printf(out, "fence.%s.%s", word_text(sem_word(to.sem)),
			word_text(scope_word(to.scope)));
}

static void add_order(const struct site *s, struct strength to, struct text *out)
{
	if (to.sem == SEM_WEAK)
		return;
	text_printf(out, ".%s", word_text(sem_word(to.sem)));
	if (s->kind != STRENGTH_CLUSTER_ARRIVE)
		text_printf(out, ".%s", word_text(scope_word(to.scope)));
}

/* Appends the name of site S with strength TO, which is not absent. */
static void changed_name(
	const struct sites *all, const struct site *s, struct strength to, struct text *out)
{
	struct dotted d;
	uint32_t before;

	if (s->kind == STRENGTH_FENCE) {
		fence_name(all, to, out);
		return;
	}
	if (s->gap) {
		text_puts(out, s->text);
		return;
	}
	if (!dotted_split(all->source, s->name, &d))
		return;
	before = words_before(&d, s->kind);
	for (uint32_t k = 0; k < d.n; k++) {
		enum sem sem;
		enum scope scope;

		if (k == before)
			add_order(s, to, out);
		if (k == 0 || !is_order(d.word[k], &sem, &scope))
			text_printf(out, k ? ".%s" : "%s", d.word[k]);
	}
	if (d.n == before)
		add_order(s, to, out);
}

static uint32_t line_of(const struct source *s, uint32_t off)
{
	uint32_t line, column;

	source_place(s, off, &line, &column);
	return line;
}

/* The whole line of S if nothing else is in it. */
static bool line_alone(const struct source *s, struct span whole, struct span *out)
{
	uint32_t line = line_of(s, whole.off), from = source_line_begin(s, line - 1);
	uint32_t to = source_line_begin(s, line), at = whole.off + whole.len;

	*out = (struct span){from, to - from};
	if (at > to || skip_blanks(s, from, whole.off) != whole.off)
		return false;
	at = skip_blanks(s, at, to);
	return at == to || (at + 1 < to && s->text[at] == '/' && s->text[at + 1] == '/');
}

/* Whether only blanks precede OFF in its line. */
static bool begins_line(const struct source *s, uint32_t off, uint32_t *from)
{
	*from = source_line_begin(s, line_of(s, off) - 1);
	return skip_blanks(s, *from, off) == off;
}

static void ptx_patch(const struct sites *all, const struct site *s, struct strength to,
	struct arena *arena, struct text *name, struct patch *out)
{
	const struct source *source = all->source;
	struct span line;
	uint32_t from;

	if (s->gap && begins_line(source, s->whole.off, &from)) {
		*out = (struct patch){from, 0,
			arena_printf(arena, "%.*s%s;\n", (int)(s->whole.off - from),
				source->text + from, text_str(name))};
	} else if (s->gap) {
		*out = (struct patch){s->whole.off, 0, arena_printf(arena, "%s; ", text_str(name))};
	} else if (to.absent && line_alone(source, s->whole, &line)) {
		*out = (struct patch){line.off, line.len, ""};
	} else if (to.absent) {
		*out = (struct patch){s->whole.off, s->whole.len, ""};
	} else {
		*out = (struct patch){
			s->name.off, s->name.len, arena_text(arena, text_str(name), name->len)};
	}
}

/* A row of its own before that of S, with NAME in its column: the row of S with blanks for
 * everything but the bars. False if the row is not in one line of its own. */
static bool litmus_row(const struct sites *all, const struct site *s, const struct text *name,
	struct arena *arena, struct patch *out)
{
	const struct source *source = all->source;
	uint32_t line = line_of(source, s->whole.off), from = source_line_begin(source, line - 1);
	uint32_t to = source_line_begin(source, line), bars = 0, at, end;
	const char *row = source->text + from, *semicolon = memchr(row, ';', to - from);
	struct text t = {0};

	if (!semicolon || semicolon < source->text + s->whole.off)
		return false;
	for (at = from; at < s->whole.off; at++)
		bars += source->text[at] == '|';
	if (bars != s->thread)
		return false;
	end = (uint32_t)(semicolon - source->text);
	for (at = from; at < end; at++) {
		if (at == s->whole.off) {
			text_add(&t, text_str(name), name->len);
			for (uint32_t left = (uint32_t)name->len;
				left && at < end && source->text[at] != '|'; left--)
				at++;
		}
		if (at < end)
			text_putc(&t, source->text[at] == '|' ? '|' : ' ');
	}
	text_puts(&t, ";\n");
	*out = (struct patch){from, 0, arena_text(arena, text_str(&t), t.len)};
	text_free(&t);
	return true;
}

/* The cell of S with NAME, or blank, as wide as it was if there is room. */
static void litmus_cell(const struct sites *all, const struct site *s, const struct text *name,
	struct arena *arena, struct patch *out)
{
	const char *text = all->source->text;
	uint32_t end = s->whole.off + s->whole.len, after = s->name.off + s->name.len, blanks = 0;
	struct text t = {0};

	while (text[end + blanks] == ' ')
		blanks++;
	text_add(&t, text_str(name), name->len);
	if (name->len)
		text_add(&t, text + after, end - after);
	while (t.len < s->whole.len + (blanks ? blanks : 1))
		text_putc(&t, ' ');
	*out = (struct patch){
		s->whole.off, s->whole.len + blanks, arena_text(arena, text_str(&t), t.len)};
	text_free(&t);
}

bool site_patch(const struct sites *all, const struct site *s, struct strength to,
	struct arena *arena, struct patch *out)
{
	struct text name = {0};
	bool ok = true;

	if (!to.absent)
		changed_name(all, s, to, &name);
	if (!all->litmus)
		ptx_patch(all, s, to, arena, &name, out);
	else if (s->gap)
		ok = litmus_row(all, s, &name, arena, out);
	else
		litmus_cell(all, s, &name, arena, out);
	text_free(&name);
	return ok;
}

void site_words(const struct sites *all, const struct site *s, struct strength to, struct text *out)
{
	struct span name = s->name.len ? s->name : name_of(all->source, s->whole);
	const char *was = all->source->text + name.off;

	text_printf(out, "line %u", line_of(all->source, s->whole.off));
	text_printf(out, s->thread_name ? ", %s: " : ": ", s->thread_name);
	if (s->gap) {
		changed_name(all, s, to, out);
		text_printf(out, " before %.*s", (int)name.len, was);
	} else if (to.absent) {
		text_printf(out, "%.*s is not needed", (int)name.len, was);
	} else {
		text_printf(out, "%.*s becomes ", (int)name.len, was);
		changed_name(all, s, to, out);
	}
}
