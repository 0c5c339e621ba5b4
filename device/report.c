/* Findings that a device hands over: copies, which outlive the device. */
#include "base/guard.h"
#include "base/memory.h"
#include "device/device.h"
#include "script/files/findings.h"

struct ptxi_report {
	struct arena arena;
	struct findings findings;
	const char *text, *json;
};

struct ptxi_report *report_new(void)
{
	struct ptxi_report *r = memory_try_zeroed(1, sizeof *r);

	if (r)
		r->text = r->json = "";
	return r;
}

unsigned report_take(struct ptxi_report *r, struct diags *from, unsigned taken)
{
	struct diags view = {.first = from->first};
	struct text text = {0}, json = {0};

	while (view.first && taken) {
		view.first = view.first->next;
		taken--;
	}
	for (const struct diag *d = view.first; d; d = d->next) {
		view.count++;
		view.errors += !diag_is_warning(d->code);
	}
	/* sources make their tables of lines here, which belong to the device */
	diag_render(&view, &text, false);
	diag_render_json(&view, &json);
	guard_pause();
	r->findings = findings_copy(&view, &r->arena);
	r->text = arena_text(&r->arena, text_str(&text), text.len);
	r->json = arena_text(&r->arena, text_str(&json), json.len);
	guard_resume();
	text_free(&text);
	text_free(&json);
	return from->count;
}

void ptxi_report_free(struct ptxi_report *r)
{
	if (!r)
		return;
	arena_free(&r->arena);
	memory_drop(r);
}

size_t ptxi_report_count(const struct ptxi_report *r) { return r->findings.count; }

const struct ptxi_finding *ptxi_report_finding(const struct ptxi_report *r, size_t k)
{
	return k < r->findings.count ? &r->findings.data[k] : NULL;
}

const char *ptxi_report_text(const struct ptxi_report *r) { return r->text; }

const char *ptxi_report_json(const struct ptxi_report *r) { return r->json; }
