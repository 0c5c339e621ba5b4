#!/bin/sh
# Makes every .ptx here from its .cu with nvcc 13.0, as its neighbour does.
exec sh "$(dirname "$0")/../ptx/nvcc/make.sh" -C "$(cd "$(dirname "$0")" && pwd)" "$@"
