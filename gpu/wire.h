/* The protocol between the two processes of the GPU backend. The driver runs in a process of its
 * own, because a kernel that faults makes its CUDA context unusable and one that hangs can only be
 * ended by killing the process; neither must affect ptxi itself. */
#ifndef PTXI_GPU_WIRE_H
#define PTXI_GPU_WIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_NO_DEVICE = 101 }; /* CUDA_ERROR_INVALID_DEVICE */

enum wire_op {
	/* payload: PTX text with its NUL; a: number of devices to load it on; x: stack bytes per
	 * thread (0: the driver's choice); y: bytes of the device's heap. Reply payload on error:
	 * the JIT compiler's log, or for status WIRE_NO_DEVICE the reason */
	WIRE_OPEN,
	WIRE_RESET,  /* frees everything that belongs to the case; another one can follow */
	WIRE_ALLOC,  /* x: bytes; a: whether to zero them. Reply x: address */
	WIRE_WRITE,  /* x: address; payload: the bytes */
	WIRE_READ,   /* x: address; y: bytes. Reply payload: the bytes */
	WIRE_SYMBOL, /* payload: name with its NUL. Reply x: address, y: bytes */
	WIRE_LAUNCH, /* payload: struct wire_launch, name with its NUL, parameters */
	WIRE_RECORD, /* event a, stream x */
	WIRE_WAIT,   /* event a, stream x */
	/* Reply payload: what kernels printed, and from byte x on what the driver printed */
	WIRE_SYNC,
	/* a: a CUresult. Reply payload: its name and text; x: 1 + number of the first launch since
	 * the last sync that has not ended (0: none); y: number of other streams with such a
	 * launch */
	WIRE_ERROR,
	/* payload: name of a kernel with its NUL; a: threads per CTA. Reply x: maximum number of
	 * resident CTAs */
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

/* Runs the server: answers requests on FD until it is closed. Never returns. The first reply says
 * whether the driver can be used; its payload is the device's name or the reason. */
_Noreturn void server_run(int fd);

#endif
