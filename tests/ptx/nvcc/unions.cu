// Bit fields, unions and memcpy between types;
// vectors of four loaded at once, stored in parts.
//@ buffer in : u8[128] = iota(0)
//@ buffer out : u32[32] = 0
//@ buffer f : u32[32] = 0
//@ launch k<<<1, 32>>>(in, out, f)
//@ expect out[..] == (i * 4 + 3) * 0x1000000 + (i * 4 + 2) * 0x10000 + (i * 4 + 1) * 0x100 + i * 4 - (i % 8) * 0x100
//@ buffer want : f32[32] = iota(0, 0.25)
//@ expect f[..] == bits(want[..])
//@ expect clean
struct parts {
	unsigned low : 8, mid : 8, high : 16;
};
union word {
	unsigned all;
	parts part;
	uchar4 four;
};
extern "C" __global__ void k(const uchar4 *in, unsigned *out, unsigned *f)
{
	unsigned t = threadIdx.x;
	word w;
	w.four = in[t];
	w.part.mid -= t % 8;
	out[t] = w.all;
	float x = t * 0.25f;
	memcpy(&f[t], &x, 4);
}
