/* ptxi cc: compiles CUDA programs with clang and without anything of NVIDIA. */
#include "cli/compile.h"
#include "base/text.h"
#include <ptxi/status.h>
#include <string.h>

/* -S: the device code of the only source, as PTX. */
static int write_ptx(struct compiler *k, const char *source)
{
	const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
	const char *output = k->c->output;
	struct text ptx = {0};
	int status;

	if (!output)
		output = arena_printf(&k->c->arena, "%.*s.ptx", (int)strlen(name) - 3, name);
	status = compiler_ptx(k, source, &ptx, NULL);
	if (!status && !file_write(output, text_str(&ptx), ptx.len, &k->c->diags))
		status = PTXI_USAGE;
	text_free(&ptx);
	return status;
}

static int build(struct compiler *k)
{
	struct cli *c = k->c;
	VEC(const char *) objects = {0};
	int status = 0;

	for (uint32_t n = 0; n < c->files.count && !status; n++) {
		const char *object = c->files.data[n];

		if (is_cuda_source(object))
			status = compiler_object(k, object, &object);
		*vec_push(&objects) = object;
	}
	if (!status)
		status = compiler_link(
			k, objects.data, objects.count, c->output ? c->output : "a.out");
	vec_free(&objects);
	return status;
}

int command_cc(struct cli *c)
{
	struct compiler k;
	int status;

	if (c->ptx_only && (c->files.count != 1 || !is_cuda_source(c->files.data[0]))) {
		diag_plain(&c->diags, DIAG_L0304, "'ptxi cc -S' takes one .cu file");
		return PTXI_USAGE;
	}
	if (!compiler_begin(&k, c, &c->diags))
		return PTXI_USAGE;
	status = c->ptx_only ? write_ptx(&k, c->files.data[0]) : build(&k);
	compiler_end(&k);
	return status;
}
