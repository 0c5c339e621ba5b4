#!/bin/sh
# The complete output of run and check, in each format: verdicts of cases that pass, fail and are skipped, findings, buffers of each type, outcomes. Compares it, without times,
# with formats/expected.txt. After an intended change: formats.sh write, and read the difference.
cd "$(dirname "$0")/../.." || exit 2
top=$(pwd)
ptxi=${PTXI:-build/release/ptxi}
case $ptxi in /*) ;; *) ptxi=$top/$ptxi ;; esac
many=${BUILD:=build/release}/oracle/many
case $many in /*) ;; *) many=$top/$many ;; esac
${MAKE_PARTS:-make} -s --no-print-directory "$BUILD/oracle/many" || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2

cat >kernels <<'END_OF_KERNELS'
.version 8.0
.target sm_90
.address_size 64
.global .u32 count;
.const .f32 limit = 2.5;
.visible .entry add(.param .u64 p, .param .u32 n)
{
	.reg .b32 %r<9>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r3, [%rd3];
	add.u32 %r4, %r3, %r1;
	st.global.u32 [%rd3], %r4;
	ret;
}
.visible .entry both()
{
	.reg .b32 %r<4>;
	ld.global.u32 %r1, [count];
	add.u32 %r2, %r1, 1;
	st.global.u32 [count], %r2;
	ret;
}
.visible .entry wait()
{
	.reg .b32 %r<2>;
	.reg .pred %p;
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p, %r1, 0;
	@%p bar.sync 1, 64;
	ret;
}
.visible .entry stop()
{
	trap;
}
END_OF_KERNELS
# program NAME: the lines of standard input before the kernels
program() { { cat && cat kernels; } >"$1"; }

program passes.ptx <<'END_OF_LINES'
//@ buffer a : u32[4] = iota(0)
//@ launch add<<<1, 4>>>(a, 7)
//@ expect a == i + 7
//@ print a
END_OF_LINES
program cases.ptx <<'END_OF_LINES'
//@ case wrong
//@ buffer a : u32[4] = iota(0)
//@ launch add<<<1, 4>>>(a, 7)
//@ expect a[1..2] == i + 8
//@ expect count == 0
//@ case fault
//@ launch stop<<<1, 2>>>()
//@ case race
//@ set check=all
//@ launch both<<<2, 1>>>()
//@ case stuck
//@ launch wait<<<1, 32>>>()
//@ case expected
//@ launch stop<<<1, 1>>>()
//@ expect fault trap
//@ case gpu
//@ needs gpu
//@ expect count == 0
//@ case prints
//@ buffer a : f32[2] = {1.5, nan}
//@ launch add<<<1, 1>>>(a, 7)
//@ expect prints "<&#"
//@ print a[0]
//@ case warned
//@ launch wait<<<1, 32>>>()
//@ expect deadlock
END_OF_LINES
program explored.ptx <<'END_OF_LINES'
//@ launch both<<<2, 1>>>()
//@ allow count == 1
//@ allow count == 3
//@ always count == 2
//@ forbid count == 0
END_OF_LINES
program runs.ptx <<'END_OF_LINES'
//@ set runs=3
//@ buffer a : u32[1] = 1
//@ launch add<<<1, 1>>>(a, 1)
//@ observe a[0], P0:%r4
//@ allow a[0] == 2
//@ allow a[0] == 9
//@ always a[0] == 2
//@ forbid a[0] == 3
END_OF_LINES
program forbidden.ptx <<'END_OF_LINES'
//@ set runs=2
//@ buffer a : u32[1] = 1
//@ forbid a[0] == 1
//@ always a[0] == 2
END_OF_LINES
program prints.ptx <<'END_OF_LINES'
//@ set check=init
//@ buffer b : u8[70] = iota(100)
//@ buffer s : s16[5] = {-1, 2}
//@ buffer h : f16[4] = iota(1, 0.5)
//@ buffer f : f32[6] = {nan, inf, -inf, 1e30, 0.1, -0.0}
//@ buffer d : f64[40] = iota(0, 0.125)
//@ buffer u : u64[2] = {18446744073709551615, 0}
//@ buffer one : u32[1] = 3
//@ buffer never : u32[3]
//@ buffer long_name_of_a_buffer : u32[30] = iota(1000000)
//@ print b
//@ print b[3]
//@ print b[3..5]
//@ print s
//@ print h
//@ print f
//@ print d
//@ print u
//@ print one
//@ print never
//@ print limit
//@ print count
//@ print long_name_of_a_buffer
//@ print long_name_of_a_buffer[7..29]
//@ print sum(b), max(s), one + 1
//@ print b[0..3] * 2
END_OF_LINES
{ sed '/trap/s|$| //@ error F0105|' kernels && echo '//@ launch stop<<<1, 1>>>()'; } >met.ptx
{ cat kernels && printf '.entry k() { bad; } //@ error E0207\n'; } >rejected.ptx
{ cat kernels && printf '.entry k() {\nbad;\nret; //@ error E0207\n}\n'; } >elsewhere.ptx
{ cat kernels && printf '.entry k() { ret; } //@ error E027\n//@ expect count == 0\n'; } >unknown.ptx
cp kernels nothing.ptx
program mistake.ptx <<'END_OF_LINES'
//@ buffr a : u32[4]
END_OF_LINES
printf 'PTX SB\n{\nx=0;\ny=0;\n}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ;\n fence.sc.gpu | fence.sc.gpu ;\n ld.relaxed.gpu r0, y | ld.relaxed.gpu r0, x ;\n~exists (P0:r0 == 0 /\\ P1:r0 == 0)\n' >sb.litmus
printf 'PTX one\n{\nx=0;\n}\n P0@cta 0,gpu 0 ;\n st.weak x, 2 ;\n ld.weak r0, x ;\nexists (P0:r0 == 1)\n' >one.litmus

# shows ARG...: prints the command, its output and its status
shows() {
	echo "== ptxi $*"
	NO_COLOR=1 "$ptxi" "$@" 2>err </dev/null
	echo "-- status $?"
	cat err
}
all="passes.ptx cases.ptx explored.ptx runs.ptx forbidden.ptx met.ptx rejected.ptx elsewhere.ptx unknown.ptx nothing.ptx mistake.ptx sb.litmus one.litmus no_such.ptx"
# shellcheck disable=SC2086
{
	for format in text json junit tap; do
		shows check -j 1 --format=$format $all
	done
	shows check -j 1 -q $all
	shows check -j 1 -v passes.ptx cases.ptx
	shows check -j 1 --color=always passes.ptx cases.ptx
	for file in prints.ptx runs.ptx forbidden.ptx explored.ptx met.ptx mistake.ptx; do
		shows run -j 1 $file
		shows run -j 1 --format=json $file
	done
	shows run -j 1 --format=tsv runs.ptx
	shows run -j 1 --runs=4 --format=tsv one.litmus
	shows run -j 1 --runs=4 one.litmus
	shows run -j 1 -v --runs=4 one.litmus
	shows run -j 1 -v passes.ptx
	shows run -j 1 --stats passes.ptx
	shows explore -j 1 explored.ptx
	shows explore -j 1 --format=json explored.ptx
	shows explore -j 1 -v explored.ptx
	shows explore -j 1 --why 'count == 1' explored.ptx
	# Lines, right and wrong ones; && separates lines that belong together.
	{
		cat kernels
		printf '.visible .entry structure(.param .align 4 .b8 s[16]) { ret; }\n'
	} >lines.ptx
	printf 'abc' >three
	awk '{
		script = "script." NR
		printf ".\tsaid.%d\trun\t-j\t1\t--script=%s\tlines.ptx\n", NR, script
		gsub(/ && /, "\n")
		print >script
		close(script)
	}' "$top/tests/oracle/formats/lines.txt" | NO_COLOR=1 "$many" || exit 2
	awk '{
		print "== " $0
		said = "said." NR
		while ((getline line <said) > 0)
			if (line != "status 0") {
				sub(/^script\.[0-9]+:/, "script:", line)
				print line ~ /^status [0-9]+$/ ? "-- " line : line
			}
		close(said)
	}' "$top/tests/oracle/formats/lines.txt"
} | sed 's/"seconds": [0-9.e-]*/"seconds": T/g; s/time="[0-9.]*"/time="T"/; s/in [0-9.]* s\b/in T s/; s/[0-9.]* seconds in kernels/T seconds in kernels/; s/[0-9.]* million thread-instructions per second/T million thread-instructions per second/; /^engine: /d' >out
cd "$top" || exit 2
if [ "$1" = write ]; then
	cp "$dir/out" tests/oracle/formats/expected.txt
elif ! cmp -s tests/oracle/formats/expected.txt "$dir/out"; then
	echo "formats: other than in tests/oracle/formats/expected.txt:"
	diff tests/oracle/formats/expected.txt "$dir/out" | head -n 20
	exit 1
fi
echo "formats: $(wc -l <"$dir/out") lines of $(grep -c '^== ' "$dir/out") commands as expected"
