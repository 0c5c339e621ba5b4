/* An execution of several threads as a graph: its events and the relations between them. Drawn as
 * SVG (graph.c), or written for other programs (explore/explain/dot.c). */
#ifndef PTXI_PICTURE_GRAPH_H
#define PTXI_PICTURE_GRAPH_H
#include "base/arena.h"
#include "base/vec.h"
#include "picture/picture.h"

/* A relation, and what it means to a reader of the picture. */
#define GRAPH_RELATIONS(X) \
	X(PO, "po", "next in program order") \
	X(ISSUES, "issues", "issues an asynchronous operation") \
	X(RF, "rf", "is read by") \
	X(FR, "fr", "reads an older value than this writes") \
	X(CO, "co", "is overwritten by") \
	X(SYNC, "sync", "synchronises with") \
	X(BARRIER, "barrier", "meets at a barrier") \
	X(SC, "sc", "before it in the order of fence.sc") \
	X(CAUSE, "cause", "comes before it in causality order")
enum graph_relation {
#define X(id, name, meaning) GRAPH_##id,
	GRAPH_RELATIONS(X)
#undef X
		GRAPH_RELATION_COUNT
};
extern const char *const graph_name[GRAPH_RELATION_COUNT];

struct graph_node {
	uint32_t id;       /* the event's number */
	uint32_t thread;   /* index in GRAPH.thread, or UINT32_MAX: an initial value */
	const char *label; /* lines */
	const char *value; /* of an initial value: "X = 1" */
};
struct graph_edge {
	uint32_t from, to; /* numbers of events */
	uint8_t relation;
	bool marked; /* belongs to the explanation */
};
/* Zero-initialise before use. Nodes of one thread are in program order. */
struct graph {
	struct arena arena;
	const char *title;   /* "forbidden", "possible" */
	const char *outcome; /* the values that the execution gives, or NULL */
	VEC(const char *) thread;
	VEC(struct graph_node) node;
	VEC(struct graph_edge) edge;
};
/* Empties G, for another execution. */
void graph_free(struct graph *g);

/* Draws G. NAME: the case; QUESTION: the condition that the execution answers, or NULL. */
void graph_draw(const struct graph *g, const char *name, const char *question, struct drawing *out);

#endif
