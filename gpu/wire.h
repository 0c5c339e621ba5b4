/* What the two processes of the GPU backend say to each other. The driver lives in a process of its
 * own: a kernel that faults poisons its CUDA context and one that hangs can only be ended with the
 * process, and neither must take ptxi along. */
#ifndef PTXI_GPU_WIRE_H
#define PTXI_GPU_WIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_NO_DEVICE = 101 }; /* CUDA_ERROR_INVALID_DEVICE */

enum wire_op {
	/* payload: PTX text with its NUL, to be loaded on a devices; x: stack bytes a thread (0:
	   the driver's choice), y: bytes of the device's heap. Reply payload on error: the JIT
	   compiler's log; status WIRE_NO_DEVICE: why not */
	WIRE_OPEN,
	WIRE_RESET,  /* frees everything of the case; the process can take another */
	WIRE_ALLOC,  /* x bytes, a: zeroed. Reply x: address */
	WIRE_WRITE,  /* to x; payload: bytes */
	WIRE_READ,   /* y bytes from x. Reply payload */
	WIRE_SYMBOL, /* payload: name with its NUL. Reply x: address, y: bytes */
	WIRE_LAUNCH, /* payload: struct wire_launch, name with its NUL, parameters */
	WIRE_RECORD, /* event a, stream x */
	WIRE_WAIT,   /* event a, stream x */
	WIRE_SYNC,   /* Reply payload: what kernels printed */
	WIRE_ERROR,  /* a: a CUresult. Reply payload: its name and text; x: 1 + number of the first
		      * launch since the last sync that has not ended (0: none),  y: how many other
		      * streams have such a launch */
	/* payload: name of a kernel with its NUL; a: threads of a CTA. Reply x: CTAs that are
	   resident at once */
	WIRE_RESIDENT,
};

struct wire_message {
	uint32_t op; /* request: enum wire_op; reply: a CUresult */
	uint32_t a;
	uint64_t x, y;
	uint64_t payload; /* bytes that follow */
};

struct wire_launch {
	uint32_t grid[3], block[3], cluster[3];
	uint32_t shared_bytes, stream, cooperative, device;
	uint32_t name_bytes, param_bytes;
};

/* The server's life: answers requests on FD until it closes. Never returns. WHY goes out as the
 * first reply's payload when the driver cannot be used. */
_Noreturn void server_run(int fd);

#endif
