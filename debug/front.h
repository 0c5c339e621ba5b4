/* The front of a session, for those who speak to it: command lines, or an editor's protocol. */
#ifndef PTXI_DEBUG_FRONT_H
#define PTXI_DEBUG_FRONT_H
#include "debug/debug.h"
#include "debug/state.h"

struct front {
	struct session *s;
	struct text out;
	bool quit, lost, rejected;
	struct sigaction old;
	/* says nothing when a run is interrupted, which front_resume() goes on with */
	bool resumable;
	bool terse;         /* where it has stopped is not said: an editor shows it */
	struct order order; /* the last one that ran forwards */
};

/* Starts the session and goes before the first step. False: said why not. */
bool front_begin(struct front *f, const struct debug_request *r);
/* Carries out one command; blank lines and comments do nothing. */
void front_execute(struct front *f, const char *line);
/* Goes on with a command that was interrupted on its way forwards. */
void front_resume(struct front *f);
/* Whether LINE is a command that runs, and that front_resume() can go on with. */
bool front_runs(const char *line, bool *resumable);
/* Ends all processes; returns the exit status. */
int front_end(struct front *f);

#endif
