// Device printf: what each format prints.
//@ launch formats<<<1, 1>>>()
//@ expect prints "d -5 u 4294967291 x fffffffb X FFFFFFFB o 37777777773"
//@ expect prints "lld -5000000000 llu 5000000000 llx 12a05f200"
//@ expect prints "f 1.500000 e 1.500000e+00 g 1.5 5.2f  3.14 -8.3f|2.718   |"
//@ expect prints "c A s text 5s|   ab| -5s|ab   | %"
//@ expect prints "05d 00042 +d +42 #x 0x2a *d    42"
#include <cstdio>
extern "C" __global__ void formats()
{
	printf("d %d u %u x %x X %X o %o\n", -5, -5, -5, -5, -5);
	printf("lld %lld llu %llu llx %llx\n", -5000000000ll, 5000000000ull, 5000000000ull);
	printf("f %f e %e g %g 5.2f %5.2f -8.3f|%-8.3f|\n", 1.5, 1.5, 1.5, 3.14159f, 2.71828);
	printf("c %c s %s 5s|%5s| -5s|%-5s| %%\n", 'A', "text", "ab", "ab");
	printf("05d %05d +d %+d #x %#x *d %*d\n", 42, 42, 42, 5, 42);
}
