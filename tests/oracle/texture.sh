#!/bin/sh
# Replays the texture fetches that an H100 recorded (tests/oracle/h100/texture.tsv): 1,407 configurations of shape, format, sampler and coordinates, 1,024 fetches each.
: "${BUILD:?}"
"$BUILD/oracle/texture" replay tests/oracle/h100 >"$BUILD/texture.log" 2>&1
status=$?
grep '^differs' "$BUILD/texture.log" | head -n 20
tail -n 1 "$BUILD/texture.log"
exit $status
