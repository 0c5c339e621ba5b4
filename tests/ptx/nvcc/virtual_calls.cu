// Classes with virtual functions, created with new on
// the device, called and destroyed through their base.
//@ buffer area : u32[32] = 0
//@ buffer gone : u32[1] = 0
//@ launch k<<<1, 32>>>(area, gone)
//@ expect area[..] == (i % 3 == 0) * i * i + (i % 3 == 1) * i * (i + 1) + (i % 3 == 2) * (2 * i + 7)
//@ expect gone == 11 * 1 + 11 * 10 + 10 * 100
//@ expect clean
struct shape {
	unsigned *gone;
	__device__ shape(unsigned *g) : gone(g) {}
	__device__ virtual unsigned area() const = 0;
	__device__ virtual ~shape() {}
};
struct square : shape {
	unsigned side;
	__device__ square(unsigned *g, unsigned s) : shape(g), side(s) {}
	__device__ unsigned area() const override { return side * side; }
	__device__ ~square() override { atomicAdd(gone, 1); }
};
struct rectangle : square {
	unsigned other;
	__device__ rectangle(unsigned *g, unsigned s) : square(g, s), other(s + 1) {}
	__device__ unsigned area() const override { return side * other; }
	__device__ ~rectangle() override { atomicAdd(gone, 9); }
};
struct line : shape {
	unsigned length;
	__device__ line(unsigned *g, unsigned s) : shape(g), length(2 * s) {}
	__device__ unsigned area() const override { return length + 7; }
	__device__ ~line() override { atomicAdd(gone, 100); }
};
extern "C" __global__ void k(unsigned *area, unsigned *gone)
{
	unsigned i = threadIdx.x;
	shape *s = i % 3 == 0 ? (shape *)new square(gone, i) : i % 3 == 1 ? (shape *)new rectangle(gone, i) : new line(gone, i);
	area[i] = s->area();
	delete s;
}
