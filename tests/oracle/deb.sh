#!/bin/sh
# The Debian packages: lintian has nothing to say, the program is under 5 MB, two builds are equal; and in a root folder with nothing but libc they install and pass their own
# examples.
cd "$(dirname "$0")/../.." || exit 2
: "${BUILD:=build/release}"
case $BUILD in *asan* | *tsan* | *fuzz*) echo "SKIP deb: a build with a sanitizer is not packaged" && exit 0 ;; esac
for tool in dpkg dpkg-deb objcopy objdump xz; do command -v $tool >/dev/null || { echo "SKIP deb: $tool is not installed" && exit 0; }; done
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
done=
fail() {
	echo "deb: $*"
	bad=1
}

export SOURCE_DATE_EPOCH=1700000000 DEBEMAIL=packager@debian.org
# xz takes ten times as long at its usual level, and the files are the same.
export LEVEL=0
BUILD=$BUILD sh packaging/deb.sh "$dir/deb" >"$dir/made" 2>&1 || { cat "$dir/made"; exit 1; }
BUILD=$BUILD sh packaging/deb.sh "$dir/again" >/dev/null 2>&1
for name in ptxi libptxi0 libptxi-dev python3-ptxi; do
	cmp -s "$dir"/deb/${name}_*.deb "$dir"/again/${name}_*.deb || fail "two builds of $name differ"
done

if command -v lintian >/dev/null; then
	said=$(lintian "$dir"/deb/*.deb 2>"$dir/said")
	[ -z "$said" ] || fail "lintian: $said"
	done="lintian, "
else
	echo "SKIP deb: lintian is not installed"
fi

mkdir "$dir/files"
for deb in "$dir"/deb/*.deb; do dpkg-deb -x "$deb" "$dir/files"; done
size=$(wc -c <"$dir/files/usr/bin/ptxi")
[ "$size" -lt 5000000 ] || fail "the stripped program has $size bytes"

# A root with libc and what it needs, and dpkg's empty database.
if [ "$(id -u)" = 0 ] && command -v chroot >/dev/null && chroot / true 2>/dev/null; then
	root=$dir/root
	mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/tmp" "$root/dev" "$root/proc"
	: >"$root/var/lib/dpkg/status"
	: >"$root/var/lib/dpkg/available"
	ldd "$dir/files/usr/bin/ptxi" | grep -oE '/[^ ]+' | while read -r lib; do
		mkdir -p "$root/$(dirname "$lib")"
		cp -L "$lib" "$root/$lib"
	done
	if dpkg --root="$root" --force-depends -i "$dir"/deb/*.deb >"$dir/said" 2>&1; then
		chroot "$root" /usr/bin/ptxi check -v /usr/share/ptxi/examples >"$dir/said" 2>&1 </dev/null || { fail "in a clean root, check says:" && cat "$dir/said"; }
		grep -q '^1 passed, 0 failed' "$dir/said" || { fail "in a clean root, check says:" && cat "$dir/said"; }
		dpkg --root="$root" -r --force-depends ptxi libptxi-dev libptxi0 python3-ptxi >"$dir/said" 2>&1 || { fail "removing:" && cat "$dir/said"; }
		left=$(find "$root" -path "$root/usr/*ptx*" ! -type d)
		[ -z "$left" ] || fail "removing leaves $left"
		done="${done}a clean root, "
	else
		fail "dpkg -i: $(cat "$dir/said")"
	fi
else
	echo "SKIP deb: the clean root: chroot is for root"
fi
[ $bad = 0 ] && echo "deb: 4 packages: ${done}the program has $size bytes"
exit $bad
