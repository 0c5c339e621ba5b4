/* What a compiler's host code has of a module: its PTX, the array `ptx`, as a fat binary that is
 * not compressed (docs/CUDA.md). Included after the PTX. */
static unsigned char fatbin[16 + 64 + (sizeof ptx + 7) / 8 * 8];
static struct {
	unsigned magic, version;
	const void *data, *list;
} wrapper = {0x466243b1, 1, fatbin, NULL};

static void put(size_t at, unsigned long long value, unsigned bytes)
{
	memcpy(fatbin + at, &value, bytes);
}

static void **register_fatbin(void)
{
	put(0, 0xba55ed50, 4);
	put(4, 1, 2);
	put(6, 16, 2);
	put(8, sizeof fatbin - 16, 8);
	put(16, 1, 2);
	put(18, 0x101, 2);
	put(20, 64, 4);
	put(24, sizeof fatbin - 80, 8);
	put(44, 80, 4);
	memcpy(fatbin + 80, ptx, sizeof ptx);
	return __cudaRegisterFatBinary(&wrapper);
}
