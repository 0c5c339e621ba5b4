#!/bin/sh
# Compiles the programs of this folder (or FILE.cu ...) again, each with -lineinfo (NAME.lineinfo.ptx) and with -G (NAME.debug.ptx). NVCC names the compiler. The committed files were made
# by nvcc 13.0; the names of files are cut to what a compilation in this folder would have.
cd "$(dirname "$0")" || exit 2
: "${NVCC:=nvcc}"
for cu in ${*:-*.cu}; do
	for way in lineinfo:-lineinfo debug:-G; do
		ptx=${cu%.cu}.${way%%:*}.ptx
		"$NVCC" -arch=sm_90 -ptx "${way#*:}" -o "$ptx" "$cu" || exit 1
		# the .debug sections of -G hold thousands of lines about types; only the names are of use
		sed "s|^\(	.file	[0-9]* \"\)$PWD/|\1|; s|^\(	.file	[0-9]* \"\)/.*/include/|\1/usr/include/|" "$ptx" |
			awk '/^\t\.section\t\.debug_str/ { print; next } /^\t\.section/ { print $0, "{ }"; skip = 1 } !skip { print } skip && /}/ { skip = 0 }' >"$ptx.short" &&
			mv "$ptx.short" "$ptx" || exit 1
	done
done
