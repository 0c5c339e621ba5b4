#!/bin/sh
# Debian packages, from what `make install` installs: ptxi (the program), libptxi0 (the shared library), libptxi-dev (header, static library) and python3-ptxi. Only dpkg-deb is
# needed. The packages are the same for the same sources: every file has the date of the last commit.
#   packaging/deb.sh FOLDER: builds FOLDER/*.deb (LEVEL=0 to 9: how hard xz tries, 6)
set -e
cd "$(dirname "$0")/.."
out=${1:?usage: packaging/deb.sh FOLDER}
: "${BUILD:=build/release}"
MAINTAINER="${DEBFULLNAME:-the ptxi authors} <${DEBEMAIL:-root@localhost}>" # who builds the packages
command -v dpkg-deb >/dev/null || { echo "make deb: dpkg-deb is not installed (package dpkg)" >&2 && exit 1; }
version=$(sed -n 's/^#define PTXI_VERSION "\(.*\)"/\1/p' include/ptxi/ptxi.h)
arch=$(dpkg --print-architecture)
triplet=$(${CC:-gcc} -print-multiarch 2>/dev/null || :)
libdir=/usr/lib${triplet:+/$triplet}
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
SOURCE_DATE_EPOCH=$epoch
export SOURCE_DATE_EPOCH
rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)
all=$out/all
umask 022
MAKEFLAGS='' make -s install DESTDIR="$all" PREFIX=/usr LIBDIR="$libdir" PYTHONDIR=/usr/lib/python3/dist-packages ZSHDIR=/usr/share/zsh/vendor-completions BUILD="$BUILD" >/dev/null
gzip -9n "$all"/usr/share/man/man1/*.1
strip --strip-unneeded -R .comment -R .note "$all/usr/bin/ptxi" "$all$libdir/libptxi.so.0" "$all$libdir"/ptxi/*
strip --strip-debug -R .comment -R .note "$all$libdir/libptxi.a"

# The newest symbol version of libc that FILE needs, as a dependency.
libc_of() {
	objdump -p "$1" | grep -oE 'GLIBC_([0-9.]+|ABI_DT_RELR)' | sed 's/ABI_DT_RELR/2.36/' | sort -uV | tail -n 1 | sed 's/GLIBC_\(.*\)/libc6 (>= \1)/'
}

# package NAME ARCHITECTURE SECTION DEPENDS TITLE: reads its files from standard input, one pattern a line, and its description from $text
package() {
	root=$out/$1
	mkdir -p "$root/DEBIAN" "$root/usr/share/doc/$1"
	while read -r pattern; do
		(cd "$all" && find ./$pattern ! -type d >"$out/files" && xargs -d '\n' cp -alt "$root" --parents <"$out/files" && xargs -d '\n' rm <"$out/files")
	done
	{
		printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: ptxi\n\nFiles: *\n'
		sed -n 's/^\(Copyright.*\)/\1/p' LICENSE | sed 's/^Copyright *\((c)\)* */Copyright: /' | head -n 1
		printf 'License: Expat\n'
		sed '1,/^Copyright/d' LICENSE | sed '1{/^$/d}' | sed 's/^$/./; s/^/ /'
	} >"$root/usr/share/doc/$1/copyright"
	printf 'ptxi (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md of the sources.\n\n -- %s  %s\n' "$version" "$MAINTAINER" "$(LC_ALL=C date -u -R -d "@$epoch")" |
		gzip -9n >"$root/usr/share/doc/$1/changelog.gz"
	[ "$1" = ptxi ] && gzip -9n <CHANGELOG.md >"$root/usr/share/doc/$1/NEWS.gz"
	if [ "$1" = libptxi0 ]; then
		echo "libptxi 0 libptxi0 (>= $version)" >"$root/DEBIAN/shlibs"
		echo "activate-noawait ldconfig" >"$root/DEBIAN/triggers"
		{
			echo "libptxi.so.0 libptxi0 #MINVER#"
			nm -D --defined-only "$root$libdir/libptxi.so.0" | awk -v v="$version" '{ sub(/@@/, "@", $NF); if ($NF !~ /@/) $NF = $NF "@" $NF; print " " $NF " " v }' | sort -u
		} >"$root/DEBIAN/symbols"
	fi
	find "$root" -type d -exec chmod 755 {} +
	find "$root" -exec touch -h -d "@$epoch" {} +
	(cd "$root" && find usr -type f | LC_ALL=C sort | xargs -d '\n' md5sum) >"$root/DEBIAN/md5sums"
	cat >"$root/DEBIAN/control" <<END
Package: $1
Source: ptxi
Version: $version
Architecture: $2
Maintainer: $MAINTAINER
Installed-Size: $(du -k -s --apparent-size "$root/usr" | cut -f 1)
Depends: $4
$([ "$1" != ptxi ] || echo "Suggests: clang")
Section: $3
Priority: optional
$([ "$2" = all ] || [ "$1" = ptxi ] || echo "Multi-Arch: same")
Description: $5
$text
END
	sed -i '/^$/d' "$root/DEBIAN/control"
	touch -d "@$epoch" "$root"/DEBIAN/* "$root/DEBIAN" "$root"
	dpkg-deb --root-owner-group -Zxz -z"${LEVEL:-6}" --build "$root" "$out" >/dev/null
	rm -rf "$root"
}

about=" PTX is the virtual instruction set of NVIDIA GPUs. ptxi executes it without a
 GPU, finds races, deadlocks and faults, and explores every outcome that the
 memory model allows."
text="$about
 .
 This package has the shared library."
needs=$(libc_of "$all$libdir/libptxi.so.0")
echo "$libdir/libptxi.so.*" | package libptxi0 "$arch" libs "$needs" "library that runs, checks and assembles PTX"
text="$about
 .
 This package has what is needed to compile programs with the library."
printf '%s\n' "$libdir/libptxi*" "$libdir/pkgconfig" usr/include usr/share/ptxi/examples/library.c usr/share/ptxi/examples/device.c | package libptxi-dev "$arch" libdevel "libptxi0 (= $version)" "library that runs, checks and assembles PTX (development files)"
text="$about
 .
 This package has the module for Python."
printf '%s\n' usr/lib/python3 usr/share/ptxi/examples/library.py | package python3-ptxi all python "python3, libptxi0 (>= $version)" "runs, checks and assembles PTX (Python 3 module)"
text="$about
 .
 This package has the program, the libraries with which it runs CUDA
 programs, the headers with which clang compiles them, and syntax files for
 vim and Visual Studio Code."
needs=$(libc_of "$all/usr/bin/ptxi")
echo usr | package ptxi "$arch" devel "$needs" "interpreter, checker, explorer and assembler for PTX"
rm -rf "$all" "$out/files"
ls -l "$out"/*.deb | awk '{ sub(/.*\//, "", $NF); print $5, $NF }'
