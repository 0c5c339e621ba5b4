/* Judges one submission, in the process that the sandbox made for it. */
#ifndef PTXI_GRADE_INSIDE_H
#define PTXI_GRADE_INSIDE_H
#include "grade/suite.h"

/* What the process sends: this header, then the bytes of the reason and of the detail. */
enum record_kind {
	RECORD_IGNORED,     /* amount: //@ lines of the submission */
	RECORD_REJECTED,    /* reason, detail: the submission is not valid PTX */
	RECORD_REQUIREMENT, /* index, verdict, reason, amount */
	RECORD_BEGIN,       /* case INDEX begins */
	RECORD_CASE,        /* index, verdict, reason, detail, amount */
	RECORD_END,
	RECORD_KINDS
};
enum { RECORD_MAGIC = 0x47525844, MAX_REASON = 1000, MAX_DETAIL = 16000 };
struct record {
	uint32_t magic, kind, index, verdict;
	uint64_t amount;
	uint32_t nreason, ndetail;
};

struct inside_request {
	struct exercise *exercise;
	const char *name; /* of the submission, for messages */
	const char *text;
	size_t size;
	uint32_t from; /* the first case to judge: an earlier process ended in the one before */
	int out;       /* receives the records */
};
void inside_run(const struct inside_request *r);

#endif
