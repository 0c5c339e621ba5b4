# The page (docs/PAGE.md): `make page` writes build/page/ptxi.html, `make check-page` tests it. They need emcc, node and npm, and `make page` once the network, for the packages that
# page/package-lock.json names; nothing else in this repository needs any of these.
PAGE := build/page/ptxi.html
CHROMIUM ?= $(firstword $(shell command -v chromium chromium-browser google-chrome 2>/dev/null))
PAGE_PACKAGES := page/node_modules/.package-lock.json

.PHONY: page check-page page-tools
page-tools:
	@for tool in emcc node npm; do command -v $$tool >/dev/null || { echo "make page needs $$tool (Debian: apt-get install --no-install-recommends emscripten nodejs npm)" >&2; exit 1; }; done

$(PAGE_PACKAGES): page/package-lock.json
	cd page && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

page: page-tools $(PAGE_PACKAGES)
	@$(MAKE) -s --no-print-directory VARIANT=wasm BUILD=build/wasm all
	node page/build.mjs build/wasm/ptxi $(PAGE)

# The same commands natively and under node, byte for byte; the results of an H200 under node; what a user does, in Chromium if there is one.
check-page: page
	@$(MAKE) -s --no-print-directory VARIANT=wasm BUILD=build/wasm build/wasm/oracle/vectors.js
	@$(MAKE) -s --no-print-directory VARIANT=release BUILD=build/release all
	node page/test/same.mjs build/release/ptxi build/wasm/ptxi
	node page/test/ptxi.mjs build/wasm/oracle/vectors replay tests/oracle/h200 >build/page/vectors.log </dev/null || { grep '^differs' build/page/vectors.log | head; tail -n 1 build/page/vectors.log; exit 1; }
	@tail -n 1 build/page/vectors.log
	@if [ -n "$(CHROMIUM)" ]; then node page/test/actions.mjs $(PAGE) build/page/screenshots $(CHROMIUM); else echo "SKIP actions: there is no Chromium"; fi
