/* Output to stdout and stderr. Each text is written in one piece. */
#ifndef PTXI_CLI_PUT_H
#define PTXI_CLI_PUT_H
#include "cli/cli.h"

void put(const struct text *t);
void put_bytes(const char *bytes, size_t n);
void put_err(const struct text *t);
void put_err_bytes(const char *bytes, size_t n);
/* Renders diagnostics to stderr. */
void put_diags(const struct cli *c, struct diags *d);
/* errno of the first write to stdout that failed, or 0. */
int put_lost(void);

#endif
