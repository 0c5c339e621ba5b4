/* Prints verdicts as text, JSON, JUnit XML and TAP. */
#include "script/files/checked.h"
#include "diag/markup.h"
#include "diag/terminal.h"
#include <ptxi/status.h>
#include <string.h>

static const char *const words[] = {"PASS", "FAIL", "SKIP"};

static void put_indented(struct text *out, const char *s, const char *margin)
{
	while (*s) {
		size_t n = strcspn(s, "\n");

		if (n)
			text_puts(out, margin);
		text_add(out, s, n);
		text_putc(out, '\n');
		s += n + (s[n] == '\n');
	}
}

static void print_text(
	const struct check_request *q, const struct checked_case *c, struct text *out)
{
	static const char *const colors[] = {"\033[32m", "\033[1;31m", "\033[33m"};

	if (c->verdict != VERDICT_FAIL && q->quiet)
		return;
	text_printf(out, "%s%s%s ", q->color ? colors[c->verdict] : "", words[c->verdict],
		q->color ? "\033[0m" : "");
	terminal_safe(out, c->name, strlen(c->name));
	text_puts(out, !*c->reason ? "" : c->verdict == VERDICT_FAIL ? ": " : " (");
	terminal_safe(out, c->reason, strlen(c->reason));
	text_puts(out, *c->reason && c->verdict != VERDICT_FAIL ? ")\n" : "\n");
	put_indented(out, c->detail, "    ");
}

static void print_junit(const struct checked_case *c, struct text *out)
{
	text_puts(out, "  <testcase name=\"");
	markup_put(out, c->name);
	text_printf(out, "\" classname=\"ptxi\" time=\"%.6f\"", c->seconds);
	if (c->verdict == VERDICT_PASS) {
		text_puts(out, "/>\n");
		return;
	}
	text_printf(out, "><%s message=\"", c->verdict == VERDICT_FAIL ? "failure" : "skipped");
	markup_put(out, c->reason);
	text_puts(out, c->verdict == VERDICT_FAIL ? "\">" : "\"/>");
	if (c->verdict == VERDICT_FAIL) {
		markup_put(out, c->detail);
		text_puts(out, "</failure>");
	}
	text_puts(out, "</testcase>\n");
}

/* Appends a description of TAP, in which an unescaped # would start a directive. */
static void put_tap(struct text *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '#' || *s == '\\')
			text_putc(out, '\\');
		text_putc(out, *s == '\n' ? ' ' : *s);
	}
}

static void print_tap(const struct checked_case *c, uint32_t number, struct text *out)
{
	text_printf(out, "%s %u - ", c->verdict == VERDICT_FAIL ? "not ok" : "ok", number);
	put_tap(out, c->name);
	if (c->verdict == VERDICT_SKIP) {
		text_puts(out, " # SKIP ");
		put_tap(out, c->reason);
	}
	text_putc(out, '\n');
	if (c->verdict == VERDICT_FAIL)
		put_indented(out, c->detail, "# ");
}

void checked_begin(const struct check_request *q, struct text *out)
{
	if (q->format == CHECK_JSON)
		text_puts(out, "{\"schema\": 1, \"cases\": [");
	else if (q->format == CHECK_JUNIT)
		text_puts(out,
			"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"ptxi\">\n");
	else if (q->format == CHECK_TAP)
		text_puts(out, "TAP version 13\n");
}

void checked_print(const struct check_request *q, const struct checked *list,
	struct check_totals *t, struct text *out)
{
	for (uint32_t k = 0; k < list->cases.count; k++) {
		const struct checked_case *c = &list->cases.data[k];

		t->passed += c->verdict == VERDICT_PASS;
		t->failed += c->verdict == VERDICT_FAIL;
		t->skipped += c->verdict == VERDICT_SKIP;
		t->bug |= c->fold == PTXI_BUG;
		t->usage |= c->fold == PTXI_USAGE;
		t->failure |= c->fold == PTXI_FAILED;
		t->unsupported |= c->fold == PTXI_UNSUPPORTED;
		t->printed++;
		switch (q->format) {
		case CHECK_JSON:
			text_printf(out, "%s\n%s", t->printed > 1 ? "," : "", c->json);
			break;
		case CHECK_JUNIT: print_junit(c, out); break;
		case CHECK_TAP: print_tap(c, t->printed, out); break;
		case CHECK_TEXT:
		default: print_text(q, c, out); break;
		}
	}
}

void checked_end(const struct check_request *q, const struct check_totals *t, struct text *out)
{
	const _Atomic int *flag = q->options.machine.interrupted;
	bool interrupted = flag && *flag;

	switch (q->format) {
	case CHECK_JSON:
		text_printf(out, "\n], \"passed\": %u, \"failed\": %u, \"skipped\": %u%s}\n",
			t->passed, t->failed, t->skipped,
			interrupted ? ", \"interrupted\": true" : "");
		break;
	case CHECK_JUNIT:
		text_puts(out,
			interrupted ? "  <system-err>interrupted</system-err>\n</testsuite>\n"
				    : "</testsuite>\n");
		break;
	case CHECK_TAP:
		text_printf(
			out, "1..%u\n%s", t->printed, interrupted ? "Bail out! interrupted\n" : "");
		break;
	case CHECK_TEXT:
	default:
		text_printf(out, "%u passed, %u failed, %u skipped%s\n", t->passed, t->failed,
			t->skipped, interrupted ? "; interrupted" : "");
	}
}
