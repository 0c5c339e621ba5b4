#!/bin/sh
# Lists how `ptxi explore` ends on every course file, at the size that the file has: "complete", "refused", "limit" (20 seconds for each case are not enough, or another limit; ptxi names the
# instructions with the choices) or "no" (another answer than a run), the seconds, and the reason, which tests/explore/course.tsv has. Arguments: other files, whose reason is what ptxi says.
cd "$(dirname "$0")/.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
err=$(mktemp) || exit 2
trap 'rm -f "$err"' EXIT
complete=0
all=0
[ $# != 0 ] || set -- tests/ptx/course/*.ptx
for file; do
	name=$(basename "$file" .ptx)
	begin=$(date +%s%N)
	cases=$(grep -c '^//@ case' "$file")
	NO_COLOR=1 "$ptxi" explore --timeout=$((cases > 1 ? 20 * cases : 20)) "$file" >/dev/null 2>"$err"
	status=$?
	seconds=$((($(date +%s%N) - begin) / 10000000))
	all=$((all + 1))
	case $status in
	0) answer=complete complete=$((complete + 1)) ;;
	7) answer=limit ;;
	8) answer=refused ;;
	*) answer=no ;;
	esac
	reason=
	if [ $status != 0 ]; then
		reason=$(sed -n "s/^$name	//p" tests/explore/course.tsv)
		reason=${reason:-$(grep -m 1 -o '\(not executed\|error\): .*' "$err")}
	fi
	awk -v name="$name" -v answer="$answer" -v s="$seconds" -v reason="$reason" 'BEGIN { printf "%-28s %-9s %6.2f s  %s\n", name, answer, s / 100, reason }'
done
echo "explore_course: $complete of $all files explored to the end"
