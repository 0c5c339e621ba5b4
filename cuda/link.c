/* Linking modules (cuLink...). What is added is checked at once, names when all is there. */
#include "cuda/image.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUlinkState_st {
	struct handle handle;
	struct images images;
	struct logs logs;
	void *result; /* of cuLinkComplete, or NULL */
};

CUresult cuLinkCreate_v2(unsigned count, int *options, void **values, CUlinkState *state)
{
	CUresult r = context_enter();
	CUlinkState s;

	if (r || !state || (count && (!options || !values)))
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	s = handle_new(HANDLE_LINK, sizeof *s);
	if (!s)
		return CUDA_ERROR_OUT_OF_MEMORY;
	logs_read(&s->logs, count, options, values);
	*state = s;
	return CUDA_SUCCESS;
}

/* Whether the images from FIRST on are well formed, or without OPEN all of them fit together. */
static CUresult check(CUlinkState s, unsigned first, unsigned flags)
{
	enum ptxi_exit e;

	driver_print(NULL, 0); /* findings of what ran before are no messages about the modules */
	e = ptxi_device_link(
		driver_device(), s->images.of + first, s->images.n - first, flags, NULL);
	logs_write(&s->logs, e != PTXI_OK);
	return driver_result(e);
}

static CUresult add(CUlinkState s, int type, const void *data, size_t size, const char *name)
{
	unsigned first = s->images.n;
	CUresult r;

	/* the vendor's library of functions that launch kernels: nothing of it is PTX */
	if (type == CU_JIT_INPUT_LIBRARY && strstr(name, "cudadevrt"))
		return CUDA_SUCCESS;
	r = images_add(&s->images, data, size, name, true);
	if (!r && s->images.n > first)
		r = check(s, first, PTXI_LINK_OPEN);
	if (r)
		s->images.n = first;
	return r;
}

CUresult cuLinkAddData_v2(CUlinkState state, int type, void *data, size_t size, const char *name,
	unsigned count, int *options, void **values)
{
	CUresult r = context_enter();
	char own[40];

	(void)options;
	(void)values;
	(void)count;
	if (r || !handle_is(state, HANDLE_LINK))
		return r ? r : CUDA_ERROR_INVALID_HANDLE;
	if (!data || !size || type < 0 || type >= CU_JIT_INPUTS || state->result)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(own, sizeof own, "input %u", state->images.n + 1);
	return add(state, type, data, size, name ? name : own);
}

CUresult cuLinkAddFile_v2(
	CUlinkState state, int type, const char *path, unsigned count, int *options, void **values)
{
	CUresult r = context_enter();
	char *data;
	size_t size;

	(void)options;
	(void)values;
	(void)count;
	if (r || !handle_is(state, HANDLE_LINK))
		return r ? r : CUDA_ERROR_INVALID_HANDLE;
	if (!path || type < 0 || type >= CU_JIT_INPUTS || state->result)
		return CUDA_ERROR_INVALID_VALUE;
	data = image_file(path, &size);
	if (!data)
		return CUDA_ERROR_FILE_NOT_FOUND;
	r = size ? add(state, type, data, size, path) : CUDA_ERROR_INVALID_IMAGE;
	free(data);
	return r;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
	CUresult r = context_enter();
	size_t n;

	if (r || !handle_is(state, HANDLE_LINK))
		return r ? r : CUDA_ERROR_INVALID_HANDLE;
	if (!image || !state->images.n || state->result)
		return CUDA_ERROR_INVALID_VALUE;
	r = check(state, 0, 0);
	if (r)
		return r;
	state->result = images_pack(&state->images, &n);
	if (!state->result)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*image = state->result;
	if (size)
		*size = n;
	return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
	CUresult r = context_enter();

	if (r || !handle_is(state, HANDLE_LINK))
		return r ? r : CUDA_ERROR_INVALID_HANDLE;
	images_free(&state->images);
	free(state->result);
	handle_end(state, HANDLE_LINK);
	return CUDA_SUCCESS;
}
