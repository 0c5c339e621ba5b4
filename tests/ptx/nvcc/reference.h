// For the .cu files here: pseudorandom inputs that the host and the device agree on, and the sums
// of what the host computed.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define HD __host__ __device__
#define K extern "C" __global__ void

template <class T> static void print(const char *name, const std::vector<T> &v)
{
	long long sum = 0;

	for (const T &x : v)
		sum += (long long)x;
	printf("%s: %lld\n", name, sum);
}

static HD uint32_t hash32(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}
