#!/bin/sh
# make figures: computes the figures of docs/figures.tsv that this machine can compute (count and run), writes the new values there, and into the pages that quote them.
cd "$(dirname "$0")/.." || exit 2
: "${PTXI:?}" "${BUILD:?}"
export PTXI BUILD
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
tab=$(printf '\t')
today=$(date -u +%Y-%m-%d)
here="$(nproc) x $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"

grouped() { awk -v n="$1" 'BEGIN { if (n !~ /^[0-9]+$/) { print n; exit } while (length(n) > 3) { s = "," substr(n, length(n) - 2) s; n = substr(n, 1, length(n) - 3) } print n s }'; }

while IFS= read -r line; do
	case $line in '#'* | name"$tab"*) printf '%s\n' "$line"; continue ;; esac
	name=$(printf '%s' "$line" | cut -f1) kind=$(printf '%s' "$line" | cut -f2) old=$(printf '%s' "$line" | cut -f3)
	machine=$(printf '%s' "$line" | cut -f4) command=$(printf '%s' "$line" | cut -f6) where=$(printf '%s' "$line" | cut -f7)
	case $kind in count | run) ;; *) printf '%s\n' "$line"; continue ;; esac
	# A script whose output has several figures runs once.
	case $command in
	"sh tests/"*" | "* | "FULL=1 sh tests/"*" | "*)
		script=${command%% | *}
		saved=$work/$(printf '%s' "$script" | tr -c 'a-z_\n' '-')
		[ -f "$saved" ] || { echo "figures: $script" >&2; sh -c "$script" >"$saved"; }
		new=$(sh -c "cat $saved | ${command#* | }")
		;;
	*) new=$(sh -c "$command") ;;
	esac
	new=$(grouped "$new")
	[ -n "$new" ] || { echo "figures: $name: no value from: $command" >&2; printf '%s\n' "$line"; continue; }
	was=$machine
	[ "$machine" = any ] || machine=$here
	[ "$new" = "$old" ] || echo "figures: $name: $old is now $new" >&2
	[ "$new $machine" = "$old $was" ] || printf '%s\n' "$where" | sed 's/ || /\n/g' | while IFS= read -r place; do
		[ -n "$place" ] && python3 tests/figures_place.py "${place%%: *}" "${place#*: }" "$old" "$new" "$was" "$machine" >&2
	done
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$kind" "$new" "$machine" "$today" "$command" "$where"
done <docs/figures.tsv >"$work/new" && cp "$work/new" docs/figures.tsv
