#!/bin/sh
# The library's device as a program sees it: the example prints what it should; 200,000 launches and as many allocations need no more memory than half of them (ROUNDS=1000000 takes more).
cd "$(dirname "$0")/../.." || exit 2
: "${BUILD:=build/release}" "${CC:=gcc}"
# Under a sanitizer a few thousand rounds, of which the memory is not judged.
sanitize=
case $BUILD in
*asan*) sanitize=-fsanitize=address,undefined ;;
*tsan*) sanitize=-fsanitize=thread ;;
*fuzz*) echo "SKIP device: libFuzzer's objects make no program of their own" && exit 0 ;;
esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0
fail() {
	echo "device: $*"
	bad=1
}
ok() { tests=$((tests + 1)); }

# ---- the example ----
$CC $sanitize -Wall -Wextra -Werror -pedantic -std=c11 -Iinclude -o "$dir/example" examples/device.c "$BUILD/libptxi.a" -lm -lpthread -ldl || fail "the example does not compile"
"$dir/example" examples/scale.ptx >"$dir/said" 2>&1 || fail "the example fails"
sed 's/\(R0101 race_unordered\).*/\1/; s/at 0x[0-9a-f]*/at .../' "$dir/said" >"$dir/got"
cat >"$dir/wanted" <<'END'
c[1] = 660, c[63] = 630
two kernels that write the same:
  R0101 race_unordered
after a was freed: status 4
  F0207 use_after_free: ld.global reads 4 bytes at ..., buffer `a`, which was freed by main at device.c:96
END
cmp -s "$dir/wanted" "$dir/got" || { fail "the example prints:" && cat "$dir/got"; }
ok

# ---- many launches ----
cat >"$dir/rounds.c" <<'END'
#include <ptxi/device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static long peak(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* ROUNDS CHECKS: one allocation, launch and free a round. Prints the peak in KiB after half of them, and at the end. */
int main(int argc, char **argv)
{
	static const char text[] =
		".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .b64 %d<3>;\n.reg .b32 %r<3>;\n"
		"ld.param.u64 %d0, [a];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.u64 %d1, %d1, %d0;\nst.global.u32 [%d1], %r0;\nret;\n}\n";
	const char *const settings[] = {argc > 2 ? argv[2] : "check=all", NULL};
	struct ptxi_device *d = ptxi_device_new(&(struct ptxi_device_options){.settings = settings, .jobs = 1});
	struct ptxi_module *m;
	unsigned f, rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000000, last = 0;
	ptxi_stream s[2];
	long half = 0;

	if (!d || ptxi_device_load(d, "k.ptx", text, strlen(text), &m) || ptxi_module_function(d, m, "k", &f) || ptxi_stream_new(d, 0, &s[0]) ||
		ptxi_stream_new(d, PTXI_NON_BLOCKING, &s[1]))
		return 1;
	for (unsigned k = 0; k < rounds; k++) {
		uint64_t a;
		void *args[] = {&a};
		struct ptxi_grid grid = {.block = {32}, .args = args};
		struct ptxi_copy copy = {.to_host = &last, .size = 4};
		struct ptxi_at at = {"rounds.c", 1000 + k % 1000, "main"};

		if (ptxi_alloc(d, 256, 0, NULL, &at, &a))
			return 2;
		copy.from = a + 124;
		if (ptxi_start(d, s[k % 2], m, f, &grid) || ptxi_copy(d, s[k % 2], &copy, &at) || (k % 3 && ptxi_sync_stream(d, s[k % 2])) || ptxi_dealloc(d, a, &at))
			return 3;
		if (last != 31)
			return 4;
		last = 0;
		if (k == rounds / 2)
			half = peak();
	}
	printf("%ld %ld\n", half, peak());
	ptxi_device_free(d);
	return 0;
}
END
$CC $sanitize -Wall -Wextra -Werror -Iinclude -o "$dir/rounds" "$dir/rounds.c" "$BUILD/libptxi.a" -lm -lpthread -ldl || fail "the rounds do not compile"
rounds=${ROUNDS:-200000}
[ -n "$sanitize" ] && rounds=3000
for checks in check=all check=bounds; do
	"$dir/rounds" "$rounds" $checks >"$dir/peaks" || fail "$checks: the rounds end with $?"
	read -r early late <"$dir/peaks"
	[ "${late:-0}" -gt 0 ] && { [ -n "$sanitize" ] || [ "$late" -le $((early + 512)) ]; } || fail "$checks: $early KiB after half of the launches, $late KiB at the end"
	[ -n "$SHOW" ] && echo "$checks: $rounds launches, allocations and frees: $early KiB after half of them, $late KiB at the end"
	ok
done
[ $bad = 0 ] && echo "device: $tests tests of the library's device"
exit $bad
