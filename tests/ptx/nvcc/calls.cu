// Recursion, tables of functions, virtual functions, lambdas. main prints the sums that the expectations name.
// nvcc: -arch=sm_75
//@ buffer o : s32[512] = 0
//@ launch rec<<<1, 32>>>(o)
//@ launch fp<<<1, 64>>>(o)
//@ launch vt<<<2, 32>>>(o)
//@ launch lam<<<1, 32>>>(o)
//@ expect sum(o[0..511]) == -4741634746
#include "reference.h"
HD int ack(int m, int n)
{
	return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}
HD int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
HD bool odd(int n);
HD bool even(int n)
{
	return n == 0 || odd(n - 1);
}
HD bool odd(int n)
{
	return n && even(n - 1);
}
HD void hanoi(int n, int a, int b, int c, int *st)
{
	if (!n)
		return;
	hanoi(n - 1, a, c, b, st);
	st[0] = st[0] * 31 + a * 3 + c;
	hanoi(n - 1, b, a, c, st);
}
HD int f0(int x)
{
	return x + 1;
}
HD int f1(int x)
{
	return x * x;
}
HD int f2(int x)
{
	return -x;
}
HD int f3(int x)
{
	return fib(x % 10);
}
typedef int (*fn)(int);
struct Shape {
	int id;
	HD Shape(int i) : id(i)
	{
	}
	virtual HD int area() const = 0;
	virtual HD int twice() const
	{
		return 2 * area();
	}
	HD virtual ~Shape()
	{
	}
};
struct Sq : Shape {
	int s;
	HD Sq(int k) : Shape(1), s(k)
	{
	}
	HD int area() const override
	{
		return s * s;
	}
};
struct Rect : Sq {
	int h;
	HD Rect(int a, int b) : Sq(a), h(b)
	{
	}
	HD int area() const override
	{
		return s * h;
	}
	HD int twice() const override
	{
		return -area();
	}
};
struct Tri : Shape {
	short a[3];
	HD Tri(int k) : Shape(3)
	{
		a[0] = k;
		a[1] = k + 1;
		a[2] = k + 2;
	}
	HD int area() const override
	{
		return a[0] + a[1] * a[2];
	}
};
HD int shapes(int i)
{
	Sq s(i);
	Rect r(i, i + 3);
	Tri t(i);
	Shape *p[3] = {&s, &r, &t};
	int v = 0;
	for (int k = 0; k < 3; k++)
		v = v * 7 + p[(k + i) % 3]->twice() + p[(k + i) % 3]->id;
	return v;
}
template <class F> HD int apply(F f, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s = f(s, i);
	return s;
}
HD int lams(int i)
{
	int c = i * 3;
	auto f = [=](int s, int k) { return s + c * k; };
	auto g = [&](int s, int k) {
		c++;
		return s ^ f(s, k + c);
	};
	return apply(f, i % 9) + apply(g, i % 5) + c;
}
K rec(int *o)
{
	int t = threadIdx.x;
	int st = t;
	hanoi(t % 6, 0, 1, 2, &st);
	o[t] = ack(2, t % 7) + fib(t % 15) * 100 + even(t) * 100000 + st;
}
K fp(int *o)
{
	fn tab[4] = {f0, f1, f2, f3};
	int t = threadIdx.x, v = t;
	for (int k = 0; k < 5; k++)
		v = tab[(v + k) & 3](v) % 10007;
	o[64 + t] = v;
}
K vt(int *o)
{
	int t = threadIdx.x + 32 * blockIdx.x;
	o[128 + t] = shapes(t);
	Shape *h = t & 1 ? (Shape *)new Sq(t) : (Shape *)new Rect(t, 2);
	o[256 + t] = h->area() + h->twice();
	delete h;
}
K lam(int *o)
{
	int t = threadIdx.x;
	o[384 + t] = lams(t);
}
int main()
{
	std::vector<int> w(512);
	for (int t = 0; t < 32; t++) {
		int st = t;
		hanoi(t % 6, 0, 1, 2, &st);
		w[t] = ack(2, t % 7) + fib(t % 15) * 100 + even(t) * 100000 + st;
		w[384 + t] = lams(t);
	}
	fn tab[4] = {f0, f1, f2, f3};
	for (int t = 0; t < 64; t++) {
		int v = t;
		for (int k = 0; k < 5; k++)
			v = tab[(v + k) & 3](v) % 10007;
		w[64 + t] = v;
		w[128 + t] = shapes(t);
		Shape *h = t & 1 ? (Shape *)new Sq(t) : (Shape *)new Rect(t, 2);
		w[256 + t] = h->area() + h->twice();
		delete h;
	}
	print("w", w);
}
