/* Draws an execution: a column for each thread with its events in program order, initial values
 * above the gaps between columns, and the relations as arrows. An arrow between neighbouring
 * columns crosses the gap between them; one to a column further away runs between two rows of
 * events, so that no arrow crosses an event. Of a large execution the events of the explanation
 * come first. */
#include "picture/graph.h"
#include "base/map.h"
#include "base/memory.h"
#include "picture/draw.h"
#include <string.h>

#define X(id, name, meaning) [GRAPH_##id] = name,
const char *const graph_name[] = {GRAPH_RELATIONS(X)};
#undef X
#define X(id, name, meaning) [GRAPH_##id] = meaning,
static const char *const graph_meaning[] = {GRAPH_RELATIONS(X)};
#undef X

enum {
	THREADS = 8,
	EVENTS = 20, /* of a thread */
	NODES = THREADS * (EVENTS + 2),
	BOX = 40,
	ROW = 84,
	GUTTER = 132,
	CHARS = 44,   /* of a line in a box */
	ARROWS = 400, /* drawn */
	NOWHERE = -1
};

/* A node that is drawn. */
struct place {
	const struct graph_node *node;
	int column, row;  /* COLUMN: of an initial value, the gap before this column */
	int x, y, w;      /* of its box */
	unsigned ends[2]; /* ends of arrows at its left and right side */
	unsigned at[2];   /* of them, those drawn */
};
/* Arrows from one node to another, as one, along the N points of its way. */
struct arrow {
	int from, to;
	uint32_t relations; /* set of enum graph_relation */
	bool marked;
	int n, way[4][2];
};
struct rect {
	int x, y, w, h;
};
struct layout {
	const struct graph *g;
	struct drawing *out;
	uint32_t column_thread[THREADS];
	int columns, column_x[THREADS + 1], column_w[THREADS];
	int last[THREADS]; /* number of rows of a column */
	int rows, top, nplaces;
	struct place place[NODES];
	VEC(struct arrow) arrow;
	VEC(struct rect) taken; /* by labels and boxes */
	unsigned lanes[EVENTS * THREADS + 2];
	unsigned left_out, threads_left_out;
	bool marks; /* has_marks() */
};

void graph_free(struct graph *g)
{
	arena_free(&g->arena);
	vec_free(&g->thread);
	vec_free(&g->node);
	vec_free(&g->edge);
	*g = (struct graph){.title = NULL};
}

/* --- which events are drawn --- */

static bool is_initial(const struct graph_node *n) { return n->thread == UINT32_MAX; }

/* How much event N of G matters: 3 in the explanation, 2 in a relation to another thread. */
static unsigned *graph_weights(const struct graph *g)
{
	unsigned *weight = memory_zeroed(g->node.count + 1, sizeof *weight);
	struct map at = {0}; /* event -> index of its node */

	for (uint32_t k = 0; k < g->node.count; k++)
		map_set(&at, g->node.data[k].id, k);
	for (uint32_t k = 0; k < g->edge.count; k++) {
		const struct graph_edge *e = &g->edge.data[k];
		uint32_t a = map_get(&at, e->from, UINT32_MAX), b = map_get(&at, e->to, UINT32_MAX);

		if (a == UINT32_MAX || b == UINT32_MAX)
			continue;
		for (unsigned end = 0; end < 2; end++) {
			unsigned *w = &weight[end ? b : a];
			unsigned now = e->marked                                   ? 3
				: g->node.data[a].thread != g->node.data[b].thread ? 2
										   : 1;

			if (e->relation != GRAPH_CAUSE && now > *w)
				*w = now;
		}
	}
	map_free(&at);
	return weight;
}

/* Gives columns to the threads whose events matter most, in the order of the threads. */
static void choose_threads(struct layout *l, const unsigned *weight)
{
	const struct graph *g = l->g;
	uint32_t threads = g->thread.count;
	unsigned *most = memory_zeroed(threads + 1, sizeof *most);
	uint32_t chosen = 0, present = 0;

	for (uint32_t k = 0; k < g->node.count; k++) {
		const struct graph_node *n = &g->node.data[k];

		if (!is_initial(n) && most[n->thread] < weight[k] + 1)
			most[n->thread] = weight[k] + 1;
	}
	for (uint32_t t = 0; t < threads; t++)
		present += most[t] > 0;
	for (unsigned w = 4; w > 0; w--)
		for (uint32_t t = 0; t < threads && chosen < THREADS; t++)
			if (most[t] == w) {
				l->column_thread[chosen++] = t;
				most[t] = 0;
			}
	l->columns = (int)chosen;
	l->threads_left_out = present - chosen;
	for (uint32_t k = 1; k < chosen; k++) /* in order */
		for (uint32_t j = k; j > 0 && l->column_thread[j] < l->column_thread[j - 1]; j--) {
			uint32_t t = l->column_thread[j];

			l->column_thread[j] = l->column_thread[j - 1];
			l->column_thread[j - 1] = t;
		}
	memory_drop(most);
}

static void choose_events(struct layout *l, const unsigned *weight)
{
	const struct graph *g = l->g;

	for (int c = 0; c < l->columns; c++) {
		uint32_t count = 0, n[4] = {0};
		unsigned least = 0, kept = 0;

		for (uint32_t k = 0; k < g->node.count; k++)
			if (g->node.data[k].thread == l->column_thread[c]) {
				count++;
				n[weight[k]]++;
			}
		/* as many of the heaviest as fit; of the last weight the first ones */
		for (least = 3; least > 0 && kept + n[least] < EVENTS; least--)
			kept += n[least];
		for (uint32_t k = 0; k < g->node.count; k++) {
			const struct graph_node *node = &g->node.data[k];

			if (node->thread != l->column_thread[c])
				continue;
			if (weight[k] < least || (weight[k] == least && kept >= EVENTS)) {
				l->left_out++;
				continue;
			}
			kept += weight[k] == least;
			l->place[l->nplaces++] = (struct place){
				.node = node, .column = c, .row = l->last[c]++};
		}
	}
}

static int place_of(const struct layout *l, uint32_t id)
{
	for (int k = 0; k < l->nplaces; k++)
		if (l->place[k].node->id == id)
			return k;
	return NOWHERE;
}

/* Whether G has an explanation; then only its own initial values are drawn. */
static bool has_marks(const struct graph *g)
{
	for (uint32_t k = 0; k < g->edge.count; k++)
		if (g->edge.data[k].marked)
			return true;
	return false;
}

/* Initial values stand in the gap beside a thread that reads them. */
static void choose_initial(struct layout *l)
{
	const struct graph *g = l->g;
	bool marks = l->marks;
	int used[THREADS + 1] = {0}, before = l->nplaces;

	for (uint32_t k = 0; k < g->node.count; k++) {
		const struct graph_node *n = &g->node.data[k];
		int reader = NOWHERE, gap;

		if (!is_initial(n) || l->nplaces == NODES)
			continue;
		for (uint32_t j = 0; j < g->edge.count && reader == NOWHERE; j++) {
			const struct graph_edge *e = &g->edge.data[j];

			if (e->from == n->id && e->relation == GRAPH_RF && (!marks || e->marked))
				reader = place_of(l, e->to);
		}
		for (uint32_t j = 0; j < g->edge.count && reader == NOWHERE && marks; j++)
			if (g->edge.data[j].from == n->id && g->edge.data[j].marked)
				reader = place_of(l, g->edge.data[j].to);
		if (reader == NOWHERE)
			continue;
		gap = l->place[reader].column; /* the gap on its left, or else on its right */
		if ((gap == 0 || used[gap]) && !used[gap + 1])
			gap++;
		if (used[gap] || (l->columns == 1 && gap == 0))
			for (gap = l->columns; gap > 0 && used[gap]; gap--)
				;
		if (used[gap])
			continue;
		used[gap] = 1;
		l->place[l->nplaces++] = (struct place){.node = n, .column = gap, .row = NOWHERE};
	}
	for (int k = 0; k < l->nplaces; k++)
		l->place[k].row += l->nplaces > before;
}

/* --- rows --- */

static bool reaches(const struct layout *l, int from, int to, const bool *kept)
{
	bool seen[NODES] = {false};
	int todo[NODES], n = 0;

	todo[n++] = from;
	while (n > 0) {
		int at = todo[--n];

		if (at == to)
			return true;
		if (seen[at])
			continue;
		seen[at] = true;
		for (int k = 0; k < l->nplaces; k++)
			if (!seen[k] && l->place[k].column == l->place[at].column &&
				l->place[k].row > l->place[at].row && n < NODES)
				todo[n++] = k;
		for (uint32_t k = 0; k < l->arrow.count; k++)
			if (kept[k] && l->arrow.data[k].from == at && n < NODES &&
				!seen[l->arrow.data[k].to])
				todo[n++] = l->arrow.data[k].to;
	}
	return false;
}

/* Moves events down so that what flows from one thread to another does not run upwards; not if it
 * runs in a circle. */
static void choose_rows(struct layout *l)
{
	enum { FLOWS = 1 << GRAPH_RF | 1 << GRAPH_SYNC | 1 << GRAPH_BARRIER | 1 << GRAPH_ISSUES };
	bool *kept = memory_zeroed(l->arrow.count + 1, sizeof *kept);
	bool moved = true;

	for (uint32_t k = 0; k < l->arrow.count; k++) {
		const struct arrow *a = &l->arrow.data[k];

		kept[k] = a->relations & FLOWS &&
			l->place[a->from].column != l->place[a->to].column &&
			!is_initial(l->place[a->from].node);
		moved &= !kept[k] || !reaches(l, a->to, a->from, kept);
	}
	for (int round = 0; moved && round < NODES; round++) {
		moved = false;
		for (uint32_t k = 0; k < l->arrow.count; k++) {
			const struct arrow *a = &l->arrow.data[k];
			struct place *to = &l->place[a->to];

			if (!kept[k] || to->row >= l->place[a->from].row)
				continue;
			for (int by = l->place[a->from].row - to->row, row = to->row, j = 0;
				j < l->nplaces; j++)
				if (l->place[j].column == to->column && l->place[j].row >= row &&
					!is_initial(l->place[j].node))
					l->place[j].row += by;
			moved = true;
		}
	}
	memory_drop(kept);
	for (int k = 0; k < l->nplaces; k++)
		if (l->place[k].row >= l->rows)
			l->rows = l->place[k].row + 1;
}

/* --- arrows --- */

static void add_arrow(struct layout *l, int from, int to, unsigned relation, bool marked)
{
	struct arrow *a = NULL;

	for (uint32_t k = 0; k < l->arrow.count && !a; k++)
		if (l->arrow.data[k].from == from && l->arrow.data[k].to == to)
			a = &l->arrow.data[k];
	if (!a) {
		if (l->arrow.count == ARROWS)
			return;
		a = vec_push(&l->arrow);
		*a = (struct arrow){.from = from, .to = to};
	}
	a->relations |= 1u << relation;
	a->marked |= marked;
}

static bool next_in_column(const struct layout *l, int from, int to)
{
	return to == from + 1 && l->place[from].column == l->place[to].column &&
		!is_initial(l->place[from].node) && !is_initial(l->place[to].node);
}

/* Whether an edge between two places is drawn; program order is added by choose_arrows. */
static bool is_drawn(const struct layout *l, const struct graph_edge *e, int from, int to)
{
	int across = l->place[from].column - l->place[to].column;
	bool one_thread = !across && !is_initial(l->place[from].node);

	if (e->relation == GRAPH_PO)
		return e->marked && !next_in_column(l, from, to);
	if (e->marked)
		return true;
	/* causality follows from the others; of those that meet at a barrier, neighbours suffice */
	if (e->relation == GRAPH_CAUSE ||
		(e->relation == GRAPH_BARRIER && (from > to || across < -1 || across > 1)))
		return false;
	/* the two halves of an atom; and what a thread reads from itself is no explanation */
	return !one_thread || (!l->marks && !next_in_column(l, from, to));
}

static void choose_arrows(struct layout *l)
{
	const struct graph *g = l->g;

	for (uint32_t k = 0; k < g->edge.count; k++) {
		const struct graph_edge *e = &g->edge.data[k];
		int from = place_of(l, e->from), to = place_of(l, e->to);

		if (from != NOWHERE && to != NOWHERE && is_drawn(l, e, from, to))
			add_arrow(l, from, to, e->relation, e->marked);
	}
	for (uint32_t k = 0; k < l->arrow.count; k++) /* what another relation says, too */
		if (l->arrow.data[k].relations != 1u << GRAPH_CAUSE)
			l->arrow.data[k].relations &= ~(1u << GRAPH_CAUSE);
	for (int k = 0; k + 1 < l->nplaces; k++) {
		const struct graph_edge *found = NULL;

		if (!next_in_column(l, k, k + 1))
			continue;
		for (uint32_t j = 0; j < g->edge.count; j++)
			if (g->edge.data[j].relation == GRAPH_PO && g->edge.data[j].marked &&
				g->edge.data[j].from == l->place[k].node->id &&
				g->edge.data[j].to == l->place[k + 1].node->id)
				found = &g->edge.data[j];
		add_arrow(l, k, k + 1, GRAPH_PO, found != NULL);
	}
}

/* --- coordinates --- */

/* The label of a node as two lines. */
static void node_lines(const struct graph_node *n, struct text *first, struct text *second)
{
	const char *label = is_initial(n) ? n->value : n->label, *end = strchr(label, '\n');

	if (is_initial(n))
		text_puts(first, "initially ");
	text_add(first, label, end ? (size_t)(end - label) : strlen(label));
	if (end)
		text_puts(second, end + 1);
}

static int node_width(const struct graph_node *n)
{
	struct text a = {0}, b = {0};
	unsigned most;
	int w;

	node_lines(n, &a, &b);
	most = draw_chars(text_str(&a));
	if (draw_chars(text_str(&b)) > most)
		most = draw_chars(text_str(&b));
	w = ((int)(most > CHARS ? CHARS : most) * DRAW_CHAR + 9) / 10 + 18;
	text_free(&a);
	text_free(&b);
	return w;
}

static void set_coordinates(struct layout *l)
{
	int x = 0;
	bool first_gap = false, last_gap = false;

	for (int k = 0; k < l->nplaces; k++) {
		struct place *p = &l->place[k];

		first_gap |= is_initial(p->node) && p->column == 0;
		last_gap |= is_initial(p->node) && p->column == l->columns;
		p->w = node_width(p->node);
		if (!is_initial(p->node) && p->w > l->column_w[p->column])
			l->column_w[p->column] = p->w;
	}
	for (int c = 0; c < l->columns; c++) {
		int head = draw_width(l->g->thread.data[l->column_thread[c]], DRAW_CHAR) + 12;

		if (head > l->column_w[c])
			l->column_w[c] = head > 300 ? 300 : head;
		x += c || first_gap ? GUTTER : 44; /* arcs within the first column */
		l->column_x[c] = x;
		x += l->column_w[c];
	}
	/* arcs, or an initial value, beside the last column */
	l->column_x[l->columns] = x + (last_gap ? GUTTER : 44);
	for (int k = 0; k < l->nplaces; k++) {
		struct place *p = &l->place[k];

		p->y = l->top + p->row * ROW;
		if (is_initial(p->node)) {
			int middle = (p->column ? l->column_x[p->column - 1] +
							     l->column_w[p->column - 1]
						: 0) +
				GUTTER / 2;

			p->x = middle - p->w / 2;
		} else {
			p->x = l->column_x[p->column];
			p->w = l->column_w[p->column];
		}
		*vec_push(&l->taken) = (struct rect){p->x, p->y, p->w, BOX};
	}
}

/* --- drawing --- */

static bool overlap(const struct rect *a, const struct rect *b)
{
	return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

static const char *arrow_class(const struct arrow *a)
{
	static const char *const class[] = {[GRAPH_PO] = "po",
		[GRAPH_ISSUES] = "issues",
		[GRAPH_RF] = "rf",
		[GRAPH_FR] = "fr",
		[GRAPH_CO] = "co",
		[GRAPH_SYNC] = "sync",
		[GRAPH_BARRIER] = "sync",
		[GRAPH_SC] = "sync",
		[GRAPH_CAUSE] = "cause"};

	if (a->marked)
		return "bad";
	for (unsigned r = 1; r < GRAPH_RELATION_COUNT; r++)
		if (a->relations >> r & 1)
			return class[r];
	return class[GRAPH_PO];
}

/* The side of place P (0: left) that faces column C. */
static unsigned side_to(const struct place *p, int c) { return c > p->column; }

/* The next free end at a side of P. */
static int end_at(struct place *p, unsigned side)
{
	return p->y + BOX * (int)(++p->at[side]) / (int)(p->ends[side] + 1);
}

/* The sides of its boxes at which an arrow begins and ends. */
static void sides_of(const struct layout *l, const struct arrow *a, unsigned *from, unsigned *to)
{
	const struct place *p = &l->place[a->from], *q = &l->place[a->to];

	if (is_initial(p->node)) {
		*from = 0;
		*to = p->column > q->column;
	} else if (p->column == q->column) {
		*from = *to = p->column > 0; /* an arc */
	} else {
		*from = side_to(p, q->column);
		*to = side_to(q, p->column);
	}
}

/* The Y of a new way between rows ROW - 1 and ROW. */
static int lane_above(struct layout *l, int row)
{
	unsigned n = l->lanes[row]++;
	int room = ROW - BOX;

	return l->top + row * ROW - room / 2 + (int)(n % 5) * 8 - 16;
}

static void go(struct arrow *a, int x, int y)
{
	a->way[a->n][0] = x;
	a->way[a->n++][1] = y;
}

static void find_arc(struct layout *l, struct arrow *a, unsigned side)
{
	struct place *p = &l->place[a->from], *q = &l->place[a->to];
	int x = side ? p->x + p->w : p->x, out = side ? 1 : -1;
	int far = p->row > q->row ? p->row - q->row : q->row - p->row;
	int reach = 18 + (far > 4 ? 4 : far) * 5, y1 = end_at(p, side), y2 = end_at(q, side);

	go(a, x, y1);
	go(a, x + out * reach, y1 + (y2 > y1 ? 10 : -10));
	go(a, x + out * reach, y2 + (y2 > y1 ? -10 : 10));
	go(a, x, y2);
}

/* Chooses the way of an arrow. */
static void find_way(struct layout *l, struct arrow *a)
{
	struct place *p = &l->place[a->from], *q = &l->place[a->to];
	bool initial = is_initial(p->node);
	unsigned from, to;
	int first, last, gap1, gap2, y1, y2;

	sides_of(l, a, &from, &to);
	if (next_in_column(l, a->from, a->to)) {
		go(a, p->x + p->w / 2, p->y + BOX);
		go(a, p->x + p->w / 2, q->y);
		return;
	}
	if (!initial && p->column == q->column) {
		find_arc(l, a, from);
		return;
	}
	last = to ? q->x + q->w : q->x;
	gap1 = initial ? p->column
		       : p->column + (from == 1); /* the gaps in which it begins, ends */
	gap2 = q->column + (to == 1);
	first = initial ? p->x + p->w / 2 : from ? p->x + p->w : p->x;
	y1 = initial ? p->y + BOX - 14 : end_at(p, from);
	y2 = end_at(q, to);
	go(a, first, y1);
	if (gap1 != gap2) {
		int row = initial ? 1 : p->row > q->row ? q->row + 1 : q->row;
		int lane = lane_above(l, row), bend = gap2 > gap1 ? 26 : -26;

		go(a, initial ? first : first + bend, lane);
		go(a, last - bend, lane);
	}
	go(a, last, y2);
}

static void draw_way(struct layout *l, const struct arrow *a)
{
	text_printf(&l->out->svg, "<path class=\"%s\" d=\"M%d %d", arrow_class(a), a->way[0][0],
		a->way[0][1]);
	for (int k = 1; k < a->n; k++)
		text_printf(&l->out->svg, "L%d %d", a->way[k][0], a->way[k][1]);
	text_puts(&l->out->svg, "\"/>\n");
}

/* Whether the way of some arrow but A crosses R. */
static bool is_crossed(const struct layout *l, const struct arrow *a, const struct rect *r)
{
	enum { STEPS = 60 };

	for (uint32_t k = 0; k < l->arrow.count; k++) {
		const struct arrow *b = &l->arrow.data[k];

		for (int j = 0; b != a && j + 1 < b->n; j++)
			for (int t = 0; t <= STEPS; t++) {
				int x = b->way[j][0] +
					(b->way[j + 1][0] - b->way[j][0]) * t / STEPS;
				int y = b->way[j][1] +
					(b->way[j + 1][1] - b->way[j][1]) * t / STEPS;

				if (x > r->x && x < r->x + r->w && y > r->y && y < r->y + r->h)
					return true;
			}
	}
	return false;
}

/* Writes the names of an arrow's relations on its longest part: where nothing else is, or at least
 * no box and no name. */
static void draw_name(struct layout *l, const struct arrow *a)
{
	static const int part[] = {50, 40, 60, 30, 70, 22, 78, 15, 85};
	struct text label = {0};
	int w, longest = 0, most = -1, best = 3;
	struct rect at = {0, 0, 0, 0};

	for (unsigned r = 0; r < GRAPH_RELATION_COUNT; r++)
		if (a->relations >> r & 1)
			text_printf(&label, "%s%s", label.len ? " " : "", graph_name[r]);
	w = draw_width(text_str(&label), DRAW_SMALL) + 4;
	for (int k = 0; k + 1 < a->n; k++) {
		int dx = a->way[k + 1][0] - a->way[k][0], dy = a->way[k + 1][1] - a->way[k][1];
		int length = (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);

		if (length > most) {
			most = length;
			longest = k;
		}
	}
	for (size_t k = 0; k < sizeof part / sizeof part[0] && best > 0; k++) {
		const int *p = a->way[longest], *q = a->way[longest + 1];
		struct rect try = {p[0] + (q[0] - p[0]) * part[k] / 100 - w / 2,
			p[1] + (q[1] - p[1]) * part[k] / 100 - 7, w, 14};
		int bad = is_crossed(l, a, &try);

		for (uint32_t j = 0; j < l->taken.count; j++)
			if (overlap(&try, &l->taken.data[j]))
				bad = 2;
		if (bad < best) {
			best = bad;
			at = try;
		}
	}
	*vec_push(&l->taken) = at;
	draw_text(l->out, at.x + w / 2, at.y + 10, a->marked ? "s m o r b" : "s m o",
		text_str(&label), 40);
	text_free(&label);
}

static void draw_arrows(struct layout *l)
{
	for (uint32_t k = 0; k < l->arrow.count; k++) {
		const struct arrow *a = &l->arrow.data[k];
		unsigned from, to;

		if (next_in_column(l, a->from, a->to))
			continue;
		sides_of(l, a, &from, &to);
		l->place[a->from].ends[from]++;
		l->place[a->to].ends[to]++;
	}
	for (uint32_t k = 0; k < l->arrow.count; k++)
		find_way(l, &l->arrow.data[k]);
	for (unsigned marked = 0; marked < 2; marked++) /* the explanation on top */
		for (uint32_t k = 0; k < l->arrow.count; k++)
			if (l->arrow.data[k].marked == marked)
				draw_way(l, &l->arrow.data[k]);
	for (uint32_t k = 0; k < l->arrow.count; k++) {
		const struct arrow *a = &l->arrow.data[k];

		if (a->relations != 1u << GRAPH_PO || a->marked)
			draw_name(l, a);
	}
}

static void draw_nodes(struct layout *l)
{
	for (int c = 0; c < l->columns; c++) {
		const char *name = l->g->thread.data[l->column_thread[c]];

		draw_text(l->out, l->column_x[c] + l->column_w[c] / 2, l->top - 16, "b m", name,
			(unsigned)l->column_w[c] * 10 / DRAW_CHAR);
	}
	for (int k = 0; k < l->nplaces; k++) {
		const struct place *p = &l->place[k];
		struct text a = {0}, b = {0};
		int middle = p->x + p->w / 2;

		node_lines(p->node, &a, &b);
		draw_begin(l->out, p->node->label);
		if (is_initial(p->node)) {
			draw_text(l->out, middle, p->y + 20, "m o", text_str(&a), CHARS);
		} else {
			draw_box(l->out, p->x, p->y, p->w, BOX, 4, "box");
			draw_text(
				l->out, middle, p->y + (b.len ? 16 : 24), "m", text_str(&a), CHARS);
			if (b.len)
				draw_text(l->out, middle, p->y + 32, "m u", text_str(&b), CHARS);
		}
		draw_end(l->out);
		text_free(&a);
		text_free(&b);
	}
}

static int draw_legend(struct layout *l, int y)
{
	uint32_t used = 0;
	struct text t = {0};
	bool marks = false;

	for (uint32_t k = 0; k < l->arrow.count; k++) {
		used |= l->arrow.data[k].relations;
		marks |= l->arrow.data[k].marked;
	}
	for (unsigned r = 0; r < GRAPH_RELATION_COUNT; r++) {
		const struct arrow sample = {.relations = 1u << r};

		if (!(used >> r & 1))
			continue;
		draw_line(l->out, 0, y - 4, 40, y - 4, arrow_class(&sample));
		draw_text(l->out, 50, y, "b", graph_name[r], 60);
		draw_text(l->out, 110, y, "", graph_meaning[r], 60);
		y += DRAW_LINE;
	}
	if (marks) {
		draw_line(l->out, 0, y - 4, 40, y - 4, "bad");
		draw_text(l->out, 110, y, "",
			strcmp(l->g->title, "forbidden") == 0
				? "what forbids it: these cannot all hold"
				: "the cycle that no interleaving of the threads has",
			60);
		y += DRAW_LINE;
	}
	if (l->left_out || l->threads_left_out) {
		text_clear(&t);
		text_printf(&t,
			"Not drawn, since there are too many: %u events of these threads, %u other threads.",
			l->left_out, l->threads_left_out);
		draw_text(l->out, 0, y, "b", text_str(&t), 100);
		y += DRAW_LINE;
	}
	text_free(&t);
	return y;
}

static void say_graph(struct layout *l)
{
	struct text *t = &l->out->says;

	for (int k = 0; k < l->nplaces && t->len < 3000; k++) {
		const struct graph_node *n = l->place[k].node;
		struct text a = {0}, b = {0};

		node_lines(n, &a, &b);
		text_printf(t, "%s: %s%s%s. ",
			is_initial(n) ? "memory" : l->g->thread.data[n->thread], text_str(&a),
			b.len ? ", " : "", text_str(&b));
		text_free(&a);
		text_free(&b);
	}
}

void graph_draw(const struct graph *g, const char *name, const char *question, struct drawing *out)
{
	struct layout *l = memory_zeroed(1, sizeof *l);
	unsigned *weight = graph_weights(g);
	struct text t = {0};
	int y = 14;

	l->g = g;
	l->out = out;
	l->marks = has_marks(g);
	choose_threads(l, weight);
	choose_events(l, weight);
	choose_initial(l);
	choose_arrows(l);
	choose_rows(l);
	memory_drop(weight);

	text_printf(&t, "%s: %s", name, g->title);
	text_puts(&out->title, text_str(&t));
	l->top = y + 3 * DRAW_LINE + 26;
	set_coordinates(l);
	out->width = l->column_x[l->columns] > 620 ? l->column_x[l->columns] : 620;
	draw_text(out, 0, y, "t", text_str(&t), (unsigned)out->width * 10 / DRAW_TITLE);
	y += DRAW_LINE + 3;
	if (question) {
		draw_text(out, 0, y, "", question, (unsigned)out->width * 10 / DRAW_CHAR);
		y += DRAW_LINE;
	}
	if (g->outcome)
		draw_text(out, 0, y, "u", g->outcome, (unsigned)out->width * 10 / DRAW_CHAR);
	draw_arrows(l);
	draw_nodes(l);
	out->height = draw_legend(l, l->top + l->rows * ROW - (ROW - BOX) + 30);
	say_graph(l);
	text_free(&t);
	vec_free(&l->arrow);
	vec_free(&l->taken);
	memory_drop(l);
}
