#!/bin/sh
# The library as it is installed: only ptxi_ symbols, a versioned SONAME, pkg-config; the examples in C, C++ and Python; a program with functions of its own named as ours; a
# process with little address space.
cd "$(dirname "$0")/../.." || exit 2
: "${BUILD:=build/release}" "${CC:=gcc}"
case $BUILD in *asan* | *tsan* | *fuzz*) echo "SKIP library: a build with a sanitizer is not installed" && exit 0 ;; esac
for tool in nm objcopy; do command -v $tool >/dev/null || { echo "SKIP library: $tool is not installed" && exit 0; }; done
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0
fail() {
	echo "library: $*"
	bad=1
}
ok() { tests=$((tests + 1)); }

MAKEFLAGS='' make -s install PREFIX="$dir/usr" BUILD="$BUILD" CC="$CC" >"$dir/made" 2>&1 || { cat "$dir/made"; exit 1; }
lib=$dir/usr/lib
export LD_LIBRARY_PATH="$lib"

# ---- symbols ----
declared=$(sed -n 's/^PTXI_API.*[ *]\(ptxi_[a-z_]*\)(.*/\1/p' include/ptxi/ptxi.h include/ptxi/device.h | sort)
for names in "nm -D --defined-only $lib/libptxi.so" "nm -g --defined-only $lib/libptxi.a"; do
	shown=$($names | awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
	[ "$shown" = "$declared" ] || fail "'$names' and ptxi.h have different functions: $(printf '%s\n%s\n' "$shown" "$declared" | sort | uniq -u | tr '\n' ' ')"
	ok
done
if command -v readelf >/dev/null; then
	readelf -d "$lib/libptxi.so" | grep -q 'SONAME.*\[libptxi\.so\.0\]' || fail "the SONAME is not libptxi.so.0"
	readelf -d "$lib/libptxi.so" | grep NEEDED | grep -vE 'lib(c|m|dl|pthread)\.so|ld-linux' && fail "libptxi.so needs another library"
	ok
fi

# ---- the example in C, with pkg-config ----
flags="-I$dir/usr/include -L$lib -lptxi"
if command -v pkg-config >/dev/null; then
	flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs ptxi) || fail "pkg-config does not find ptxi"
	case $flags in *"-L$lib"*) ;; *) fail "pkg-config says $flags" ;; esac
	version=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --modversion ptxi)
	[ "ptxi $version" = "$("$dir/usr/bin/ptxi" --version)" ] || fail "pkg-config has version $version"
	ok
fi
cat >"$dir/wanted" <<'END'
case 0: pass
launch: status 0, c[7] = 80
launch: status 4
  F0201 out_of_bounds: 
    scale.ptx:31:2 
END
examples=$dir/usr/share/ptxi/examples
compared() { # NAME COMMAND...: the output, without the addresses of the message
	name=$1
	shift
	(cd "$examples" && "$@") 2>&1 | sed 's/\(out_of_bounds: \).*/\1/' >"$dir/got"
	cmp -s "$dir/wanted" "$dir/got" || { fail "$name prints:" && cat "$dir/got"; }
	ok
}
# shellcheck disable=SC2086
$CC -Wall -Wextra -Werror -pedantic -std=c11 -o "$dir/shared" "$examples/library.c" $flags || fail "the example does not compile"
compared "the example in C" "$dir/shared"
if command -v g++ >/dev/null; then
	printf '#include <ptxi/ptxi.h>\n#include <cstdio>\nint main() { return std::printf("%%s %%d\\n", ptxi_version(), (int)PTXI_PASS) < 0; }\n' >"$dir/plus.cc"
	# shellcheck disable=SC2086
	g++ -Wall -Wextra -Werror -o "$dir/plus" "$dir/plus.cc" $flags && "$dir/plus" >/dev/null || fail "a program in C++ does not compile and run"
	ok
fi

# ---- beside functions with our names ----
# each of ours that the archive hides, as a function of the user's that ends the program
{
	sed 's/\(library\) scale/\1/' "$examples/library.c"
	nm "$lib/libptxi.a" | awk '$2 == "t" && $3 ~ /^(arena|text|map|vec|pool|memory|diag|symbol|isa|ir|guard|machine)_[a-z_]+$/ { print $3 }' | sort -u |
		sed 's/.*/void &(void); void &(void) { abort(); }/'
} >"$dir/beside.c"
own=$(grep -c '^void.*abort' "$dir/beside.c")
[ "$own" -gt 100 ] || fail "only $own functions of ours were found"
for name in arena_free text_add; do grep -q "^void $name(" "$dir/beside.c" || fail "$name is not among them"; done
$CC -w -o "$dir/static" "$dir/beside.c" -I"$dir/usr/include" "$lib/libptxi.a" -lm -lpthread -ldl || fail "a program with $own functions named as ours does not link with libptxi.a"
compared "that program, linked statically," "$dir/static"
# shellcheck disable=SC2086
$CC -w -rdynamic -o "$dir/dynamic" "$dir/beside.c" $flags || fail "a program with $own functions named as ours does not link with libptxi.so"
compared "that program, linked dynamically," "$dir/dynamic"

# ---- little address space ----
cat >"$dir/small.c" <<'END'
#include <ptxi/ptxi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static size_t used(void)
{
	size_t pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f) {
		if (fscanf(f, "%zu", &pages) != 1)
			pages = 0;
		fclose(f);
	}
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Loads and launches with ever more address space until a call succeeds; then once more without a limit. */
int main(int argc, char **argv)
{
	static const char *const settings[] = {"check=all", NULL};
	struct ptxi_options options = {.settings = settings, .jobs = 4};
	static char text[1 << 16];
	static float data[1 << 18];
	float k = 2;
	unsigned n = 1 << 18, refused = 0, passed = 0, before;
	struct rlimit r = {0, RLIM_INFINITY};
	FILE *f = fopen(argc > 1 ? argv[1] : "", "r");
	size_t size = f ? fread(text, 1, sizeof text, f) : 0, start = used();
	struct ptxi_arg args[] = {{PTXI_INPUT, data, sizeof data, 4, NULL}, {PTXI_BUFFER, data, sizeof data, 4, NULL},
		{PTXI_VALUE, &k, 4, 0, NULL}, {PTXI_VALUE, &n, 4, 0, NULL}};
	struct ptxi_launch l = {.kernel = "scale", .grid = {n / 256}, .block = {256}, .args = args, .nargs = 4};

	for (size_t room = 0; passed < 3 && room < 512u << 20; room += 1 << 20) {
		struct ptxi_program *p;
		struct ptxi_result *result = NULL;

		before = refused;
		r.rlim_cur = start + room;
		setrlimit(RLIMIT_AS, &r);
		p = ptxi_load("scale.ptx", text, size, &options);
		if (!p || ptxi_status(p) == PTXI_NO_MEMORY)
			refused++;
		else
			result = ptxi_launch(p, &l);
		if (result && ptxi_result_status(result) == PTXI_NO_MEMORY)
			refused++;
		else if (result && ptxi_result_verdict(result) == PTXI_PASS)
			passed++;
		else if (refused == before)
			refused++; /* the device's memory: a finding */
		ptxi_result_free(result);
		ptxi_free(p);
	}
	printf("%s %s\n", refused > 3 ? "refused" : "never refused", passed == 3 ? "passed" : "never passed");
	return 0;
}
END
if [ -r /proc/self/statm ]; then
	# shellcheck disable=SC2086
	$CC -Wall -Wextra -o "$dir/small" "$dir/small.c" $flags || fail "small.c does not compile"
	got=$("$dir/small" "$examples/scale.ptx" 2>&1)
	status=$?
	[ "$status $got" = "0 refused passed" ] || fail "with little address space: status $status, '$got'"
	ok
fi

# ---- Python ----
if python3 -c 'import ctypes, sys; sys.exit(sys.version_info < (3, 6))' 2>/dev/null; then
	sed -i 's/status 0, c/pass, c/; s/status 4/fail/' "$dir/wanted"
	PYTHONPATH=$lib/python3/dist-packages
	export PYTHONPATH
	compared "the example in Python" python3 -B library.py scale.ptx
	(cd "$examples" && python3 -B - "$PWD" 2>&1) <"tests/oracle/library.py" || fail "tests/oracle/library.py fails"
	ok
else
	echo "SKIP library: the Python module: there is no python3"
fi

# ---- uninstall leaves nothing ----
MAKEFLAGS='' make -s uninstall PREFIX="$dir/usr" BUILD="$BUILD" >/dev/null 2>&1
left=$(find "$dir/usr" ! -type d)
[ -z "$left" ] || fail "make uninstall leaves $left"
[ $bad = 0 ] && echo "library: $tests tests: symbols, pkg-config, examples, $own names of our functions in the user's program, little memory"
exit $bad
