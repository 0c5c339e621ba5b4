#!/bin/sh
# Tests of the tests: COUNT random small changes to ptxi's source from SEED (chosen by sites.c), each built and tested separately, until a test of `make check` detects it.
#   run.sh COUNT SEED JOBS
# RESULTS=FILE (default build/mutate/seed-SEED.tsv) gets one line per mutant as soon as its verdict is known; mutants already listed there are not tried again.
# TIME=seconds: start no mutant after that time. MODULES="arith interp": modules to change. ONE=number: only that mutant, with the output of the test that detects it.
# PASSES=1: the unchanged program is known to pass its tests here. WITHOUT="weak vectors": tests to leave out. SLOW=4: allows each test four times as long, for a busy machine.
# CRITERION_PREFIX=folder with include/ and lib/, if Criterion is not installed. Without flex and bison: $BUILD/gen of a built tree.
# A slow test is tried only on the modules that it is about (see `steps`), so the result is a lower bound of what `make check` detects.
# Known equivalent mutants are listed in equivalent.tsv: file, function, change, source line, reason.
count=$1 seed=$2 jobs=$3
cd "$(dirname "$0")/../.." || exit 2
: "${BUILD:=build/release}" "${MODULES:=arith assembler check code explore interp ir model parser script weak}" "${CC:=gcc}" "${TIME:=1000000}" "${SLOW:=1}"
top=$(pwd)
work=$top/build/mutate
: "${RESULTS:=$work/seed-$seed.tsv}"
tab=$(printf '\t') separator=$(printf '\001')
known=$top/tests/mutate/equivalent.tsv
pristine=$work/pristine
if [ -n "$CRITERION_PREFIX" ]; then
	export CPPFLAGS="-I$CRITERION_PREFIX/include" LDFLAGS="-L$CRITERION_PREFIX/lib -Wl,-rpath-link,$CRITERION_PREFIX/lib"
	export LD_LIBRARY_PATH="$CRITERION_PREFIX/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
export LC_ALL=C

# The tests, quickest and likeliest first: name, seconds allowed (many times what the unchanged program needs), modules, command.
steps() {
	for folder in run sync error race course litmus nvcc; do
		echo "golden_$folder 30 all build/release/ptxi check -q tests/ptx/$folder"
	done
	echo "unit 150 all build/release/unit/all -j1 --fail-fast"
	slow="mutants explore_scale weak race_mutants vectors"
	quick="docs formats instructions classic explore_words explore_work random_recorded changed litmus_verdicts questions golden_plain explore_nvcc cli codes"
	for oracle in $quick $(ls tests/oracle | sed -n 's/\.sh$//p') $slow; do
		[ -f "tests/oracle/$oracle.sh" ] && echo "$oracle"
	done | awk -v slow=" $slow " '!index(slow, " " $1 " ") || seen[$1]++ { if (!done[$1]++) print }' | while read -r oracle; do
		case $oracle in
		mutants) modules=assembler,check,code,interp,ir,parser,script limit=60 ;;
		explore_scale) modules=code,explore,interp,model limit=100 ;;
		weak) modules=code,interp,script,weak limit=200 ;;
		race_mutants) modules=check,code,interp,script limit=200 ;;
		vectors) modules=arith limit=400 ;;
		changed | explore_work | instructions | random_recorded) modules=all limit=200 ;;
		*) modules=all limit=60 ;;
		esac
		echo "$oracle $limit $modules sh tests/oracle/$oracle.sh"
	done
}

# Runs one test on one processor, with 8 GB at most, so that hanging and excessive memory are detected.
limited() {
	seconds=$1
	shift
	(
		ulimit -c 0
		ulimit -v 8000000
		# shellcheck disable=SC2086
		PTXI=build/release/ptxi BUILD=build/release TMPDIR=$tmp exec $pin timeout -k 5 $((seconds * SLOW)) "$@"
	) </dev/null
}

# Leaves out the unit tests that fail on the unchanged program, one by one, as a Criterion filter: !(a/b|c/d). Fails if others then fail.
without_unit_tests() {
	limited $((seconds * 3)) build/release/unit/all -j1 --tap >"$tmp/unit.tap" 2>/dev/null
	sed -n 's,^not ok - \([A-Za-z0-9_]*\)::\([A-Za-z0-9_]*\).*,\1/\2,p' "$tmp/unit.tap" | sort -u >"$tmp/unit.bad"
	[ -s "$tmp/unit.bad" ] || return 1
	filter="!($(paste -s -d '|' "$tmp/unit.bad"))"
	limited $((seconds * 3)) build/release/unit/all -j1 --filter "$filter" >"$tmp/unit.rest" 2>&1 || return 1
	sed 's/^/mutate: without the unit test /; s/$/, which fails on the unchanged program/' "$tmp/unit.bad" >&2
	echo "$filter" >"$tmp/filter"
}

# Prints the first test that fails, or nothing.
noticed_by() {
	while read -r name seconds modules command; do
		[ "$modules" = all ] || case ",$modules," in *",$module,"*) ;; *) continue ;; esac
		# shellcheck disable=SC2086
		limited "$seconds" $command >"$tmp/log" 2>&1 && continue
		echo "$name"
		break
	done <"$work/steps"
}

build() {
	make -s "-j$1" BUILD=build/release VARIANT=release WARN="-std=c11 -w" OPT_release=-O2 FLEX=false BISON=false CC="$CC" build/release/ptxi build/release/unit/all build/release/oracle/vectors build/release/oracle/vectors_soft build/release/oracle/instructions build/release/oracle/changed build/release/oracle/random_files
}

changed() {
	head -c "$at" "$1"
	case $change in
	*" -> negated}"*) printf '!(' && tail -c "+$((at + 1))" "$1" | head -c "$length" && printf ')' ;;
	*) printf '%s' "$replacement" ;;
	esac
	tail -c "+$((at + length + 1))" "$1"
}

# Judges the mutant of this worker's tree: sets verdict and by.
judge() {
	module=${file%%/*} by=-
	cp -p "$file" "$tmp/original"
	changed "$tmp/original" >"$file"
	rm -f build/release/libptxi.a build/release/ptxi build/release/unit/all build/release/oracle/vectors build/release/oracle/vectors_soft build/release/oracle/instructions build/release/oracle/changed build/release/oracle/random_files
	: >"$tmp/stamp"
	sleep 0.02
	touch "$file"
	if ! build 1 >"$tmp/log" 2>&1; then
		verdict=not-compiled
	else
		verdict=same-code
		for object in $(find build/release -name '*.o' -newer "$tmp/stamp"); do
			cmp -s "$object" "$pristine/$object" || verdict=survived
		done
	fi
	if [ $verdict = survived ]; then
		by=$(noticed_by)
		if [ -n "$by" ]; then
			verdict=noticed
		else
			by=-
			grep -qF "$file$tab$function$tab$change$tab$text$tab" "$known" && verdict=equivalent
		fi
	fi
	cp -p "$tmp/original" "$file"
	find build/release -name '*.[od]' -newer "$tmp/stamp" | while read -r object; do
		cp -p "$pristine/$object" "$object"
	done
}

worker() {
	tmp=$work/tmp-$1 pin=
	rm -rf "$work/worker-$1" "$tmp"
	mkdir -p "$tmp"
	cp -a "$pristine" "$work/worker-$1"
	cd "$work/worker-$1" || exit 2
	taskset -c "$(($1 - 1))" true 2>/dev/null && pin="taskset -c $(($1 - 1))"
	while IFS=$separator read -r number file line at length replacement function change text; do
		[ -z "$ONE" ] || [ "$number" = "$ONE" ] || continue
		[ "$(date +%s)" -lt "$end" ] && [ "$(cat "$work/valid/"* | wc -l)" -lt "$count" ] || break
		mkdir "$work/claims/$number" 2>/dev/null || continue
		begun=$(date +%s)
		judge
		[ -z "$ONE" ] || cat "$tmp/log"
		printf '%s\t%s\t%s\t%s\t%s:%s\t%s\t%s\t%s\n' "$number" $verdict "$by" $(($(date +%s) - begun)) "$file" "$line" "$function" "$change" "$text" >>"$RESULTS"
		case $verdict in noticed | survived | equivalent) echo "$number" >>"$work/valid/$1" ;; esac
	done <"$work/plan"
	cd "$top" && rm -rf "$work/worker-$1" "$tmp"
}

mkdir -p "$work"
touch "$known" "$RESULTS" || exit 2
rm -rf "$pristine" "$work/claims" "$work/valid"
mkdir -p "$work/claims" "$work/valid"
[ -z "$ONE" ] || RESULTS=$work/one.tsv
[ -z "$ONE" ] || : >"$RESULTS"
cut -f1 "$RESULTS" | while read -r number; do
	mkdir "$work/claims/$number"
done
awk -F '\t' '$2 ~ /^(noticed|survived|equivalent)$/ { print $1 }' "$RESULTS" >"$work/valid/before"

# The plan: more than COUNT, since some do not compile and some compile to the same code.
$CC -std=c11 -O1 -o "$work/sites" tests/mutate/sites.c || exit 2
# shellcheck disable=SC2046
"$work/sites" "$seed" $((count * 2)) $(for module in $MODULES; do find "$module" -name '*.[ch]' | sort; done) 2>"$work/lines" | tr '\t' '\001' >"$work/plan"

# The unchanged program must pass; a test that fails here (because of a missing tool, or another version) is left out.
mkdir -p "$pristine"
tar -cf - --exclude=./build --exclude=./.git . | tar -C "$pristine" -xf - || exit 2
for module in lexer parser; do
	mkdir -p "$pristine/build/release/gen/$module"
	cp "$BUILD/gen/$module/"*.[chy] "$pristine/build/release/gen/$module/" || { echo "mutate: $BUILD/gen/$module is needed: build ptxi first" >&2; exit 2; }
	sleep 0.02
	touch "$pristine/build/release/gen/$module/"*.[ch] # newer than the grammars they were made of
done
cd "$pristine" || exit 2
build "$jobs" || { echo "mutate: the unchanged program does not build" >&2; exit 2; }
steps | awk -v without=" $WITHOUT " '!index(without, " " $1 " ")' >"$work/steps"
if [ -z "$ONE$PASSES" ]; then
	rm -rf "$work/tmp-0"
	mkdir -p "$work/tmp-0"
	while read -r name seconds modules command; do
		(
			tmp=$work/tmp-0 pin=
			# shellcheck disable=SC2086
			limited "$((seconds * 3))" $command >"$work/tmp-0/$name" 2>&1 && exit
			[ "$name" = unit ] && without_unit_tests && exit
			echo "mutate: without $name, which fails on the unchanged program ($work/tmp-0/$name)" >&2
			echo "$name" >>"$work/tmp-0/failed"
		) &
	done <"$work/steps"
	wait
	[ -f "$work/tmp-0/failed" ] && awk 'NR == FNR { bad[$1]; next } !($1 in bad)' "$work/tmp-0/failed" "$work/steps" >"$work/steps.new" && mv "$work/steps.new" "$work/steps"
	[ -f "$work/tmp-0/filter" ] && sed "s,^unit .*,& --filter $(cat "$work/tmp-0/filter")," "$work/steps" >"$work/steps.new" && mv "$work/steps.new" "$work/steps"
fi
cd "$top" || exit 2

end=$(($(date +%s) + TIME))
[ -z "$ONE" ] || jobs=1
k=1
while [ $k -le "$jobs" ]; do
	worker $k &
	k=$((k + 1))
done
wait

# The first COUNT mutants that could be tried, in the order of the plan.
sort -n "$RESULTS" | awk -F '\t' -v count="$count" -v lines="$(cat "$work/lines")" '
	$2 == "not-compiled" || $2 == "same-code" { other[$2]++; next }
	n < count { n++; verdict[$2]++; if ($2 == "noticed") by[$3]++; if ($2 == "survived") print "SURVIVED " $1 "  " $5 "  " $6 ": " $7 "\n    " $8 }
	END {
		for (name in by) list = list " " name " " by[name]
		tried = n - verdict["equivalent"]
		printf "mutants: %d tried of %s; %d noticed, %d survive, %d equivalent (%d more compile to the same code): %.1f %% of %d noticed\n", n, lines, verdict["noticed"], verdict["survived"],
			verdict["equivalent"], other["same-code"], tried ? 100 * verdict["noticed"] / tried : 0, tried
		print "noticed by:" list
	}'
