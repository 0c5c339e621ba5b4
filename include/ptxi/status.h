/* The exit statuses of ptxi, which are also the statuses of the library's results. */
#ifndef PTXI_STATUS_H
#define PTXI_STATUS_H

enum ptxi_exit {
	PTXI_OK = 0,
	PTXI_FAILED = 1, /* an expectation failed */
	/* error in the command line or a //@ directive, or check on a file without expectations */
	PTXI_USAGE = 2,
	PTXI_REJECTED = 3,    /* the PTX is rejected */
	PTXI_FAULT = 4,       /* fault: bounds, alignment, trap, misused barrier, ... */
	PTXI_RACE = 5,        /* a race or an uninitialised read */
	PTXI_DEADLOCK = 6,    /* a deadlock or livelock */
	PTXI_UNDECIDED = 7,   /* a limit was reached: nothing is proved */
	PTXI_UNSUPPORTED = 8, /* valid PTX that ptxi does not execute */
	PTXI_BUG = 70,        /* a bug in ptxi */
	PTXI_NO_MEMORY = 71,  /* the library only: memory is exhausted (a command returns 7) */
	PTXI_SIGNAL = 128,    /* plus the number of the signal that interrupted ptxi */
};

#endif
