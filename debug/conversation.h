/* A conversation in the Debug Adapter Protocol. */
#ifndef PTXI_DEBUG_CONVERSATION_H
#define PTXI_DEBUG_CONVERSATION_H
#include "debug/dap.h"
#include "debug/front.h"
#include "debug/json.h"

enum { DAP_STOPS = 64 };

/* The stops that one kind of request has set; the next one of the kind replaces them. */
struct stop_set {
	char source[LINE]; /* breakpoints of one file, or the kind */
	uint32_t number[DAP_STOPS], n;
};

/* A call of a warp, as the protocol numbers it. */
struct dap_frame {
	int thread;
	uint32_t call; /* 0: the innermost */
};
/* What has children: a scope, whose lines COMMAND asks for, or a variable, called WORD. */
struct dap_shown {
	uint32_t frame;
	const char *command;
	char *word;
};

struct dap {
	const struct dap_request *r;
	struct debug_request debug;
	struct front front;
	bool running, ended; /* a session exists; the conversation is over */
	bool terminated;     /* the client knows that the session is over */
	bool moving;         /* the program runs */
	bool entry, plain;   /* stops at the beginning; runs without stops (noDebug) */
	int line_base, column_base;
	char program[LINE];
	int sequence;
	struct text heard;
	struct stop_set set[32];
	uint32_t nsets;
	char finding[HIT_TEXT]; /* that the program has stopped for, or empty */
	struct text out;
	/* numbered from 1, until the program runs on */
	VEC(struct dap_frame) frame;
	VEC(struct dap_shown) shown;
	double console; /* the frame that the console's last command was for */
};

/* Sends an event; BODY is a JSON object. */
void dap_event(struct dap *d, const char *name, const char *body);
/* The response to Q; BODY NULL: it failed, and WHY says why. */
void dap_respond(struct dap *d, const struct json *q, const char *body, const char *why);
/* Appends S as JSON. */
void dap_string(struct text *out, const char *s);

/* Carries out a command; the result is what it says, without the last line's end. */
const char *dap_capture(struct dap *d, void (*command)(struct front *f));
const char *dap_say(struct dap *d, const char *line);

int dap_thread(const struct turn *t);
/* Puts thread ID in focus; a frame of d->frame. False: there is no such frame. */
void dap_focus(struct dap *d, double id);
bool dap_focus_frame(struct dap *d, double id);
/* The number of a call of THREAD. */
uint32_t dap_frame_id(struct dap *d, int thread, uint32_t call);
/* The program runs on: frames and variables are no longer what they were. */
void dap_forget(struct dap *d);

enum { DAP_FIELDS = 6 };
/* The fields of the first of LINES of the command "protocol"; *LINES is after it then. ROOM keeps
 * them. False: there is none. */
bool dap_fields(const char **lines, char *field[DAP_FIELDS], char room[LINE]);
/* Whether the program was compiled from a CUDA source, whose path is the program's. */
bool dap_is_cuda(const struct dap *d);
/* Appends the members "source", "line" and "column" of the place of an instruction: its fields 1 to
 * 3 are the lines of the PTX and of the source, and the source's file. */
void dap_place(const struct dap *d, char *field[DAP_FIELDS], struct text *out);
/* The instruction that a memory reference and an offset in bytes name; the reference to one. Before
 * the first instruction are DAP_FAR that are none. */
enum { DAP_FAR = 1 << 22 };
bool dap_instruction(const char *reference, double offset, int64_t *insn);
void dap_reference(int64_t insn, struct text *out);

#endif
