#!/bin/sh
# Replays what an H100 recorded of textures (tests/oracle/h100/texture.tsv: configurations of shape, format, sampler and coordinates, 1,024 fetches each) and of surfaces (surface.tsv: 64 stores or
# reductions each); and what is not executed says why, with status 8.
: "${BUILD:?}"
"$BUILD/oracle/texture" replay tests/oracle/h100 >"$BUILD/texture.log" 2>&1
status=$?
grep '^differs' "$BUILD/texture.log" | head -n 20
tail -n 2 "$BUILD/texture.log"
refused() { # KERNEL REASON
	"$BUILD/ptxi" run tests/oracle/texture/refused.ptx -e "launch $1<<<1, 1>>>()" >"$BUILD/refused.log" 2>&1
	code=$?
	if [ "$code" != 8 ] || ! grep -q "$2" "$BUILD/refused.log"; then
		echo "refused.ptx, $1: status $code, not 8 with '$2'"
		cat "$BUILD/refused.log"
		status=1
	fi
}
refused samples 'how the samples of a texel lie in memory'
refused depth 'how a depth is compared'
refused sampler 'a sampler apart from its texture'
refused forced 'a sampler apart from its texture'
exit $status
