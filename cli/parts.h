/* Files with the results of parts of an exploration: `explore --shard=K/N` writes one, `merge`
 * joins them. */
#ifndef PTXI_CLI_PARTS_H
#define PTXI_CLI_PARTS_H
#include "cli/cli.h"

struct parts {
	uint32_t shards, cases;
	uint64_t source;         /* hash of the files that were explored */
	const char *const *text; /* [cases * shards] */
	VEC(const char *) words; /* of the command line */
};

/* Whether a file begins as one. */
bool parts_are(const struct source *s);
/* Reads the files that the command line names, one for each part; reports what is wrong. */
bool parts_read(struct cli *c, struct parts *out);
/* Appends the file of one part: what precedes the cases, and a case. */
void parts_head(const struct cli *c, uint64_t texts, uint32_t cases, struct text *out);
void parts_case(const struct text *result, struct text *out);
void parts_free(struct parts *p);

#endif
