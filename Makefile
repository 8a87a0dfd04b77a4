# Roughcut. `make run` and `make test` are all that a newcomer needs; both install what is missing first.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

CACHE := $(or $(ROUGHCUT_CACHE),$(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/roughcut)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
GOLANGCI_VERSION := v2.15.0
FFMPEG ?= bundled
NATIVE := eval "$$(FFMPEG=$(FFMPEG) media/native/build.sh env)"

BUILD_PACKAGES := g++ make pkg-config cmake ninja-build meson nasm curl xz-utils ca-certificates dpkg-dev debian-archive-keyring \
	libx264-dev libx265-dev libnuma-dev libzimg-dev zlib1g-dev libass-dev libfreetype-dev libharfbuzz-dev libfribidi-dev libfontconfig-dev
SYSTEM_FFMPEG_PACKAGES := libavcodec-dev libavdevice-dev libavfilter-dev libavformat-dev libswresample-dev libswscale-dev libavutil-dev
TEST_PACKAGES := ffmpeg espeak-ng libespeak-ng1 sox python3 chromium fonts-dejavu-core nginx-light yt-dlp
DESKTOP_TAGS := desktop,production,webkit2_41
# Go's cache does not know which pkg-config answered: the linker flag keeps what was built with another one, whose list of GTK is too long
# for a command line, out of this build.
DESKTOP := $(NATIVE); export NATIVE_PKG_CONFIG="$$PKG_CONFIG" PKG_CONFIG="$(CURDIR)/.ci/pkg-config" CGO_LDFLAGS="-O2 -g -Wl,--as-needed"
DESKTOP_PACKAGES := libgtk-3-dev libwebkit2gtk-4.1-dev gstreamer1.0-libav gstreamer1.0-plugins-good
DESKTOP_TEST_PACKAGES := xvfb openbox xdotool imagemagick ffmpeg dbus at-spi2-core python3-gi gir1.2-gtk-3.0 gir1.2-atspi-2.0
ifeq ($(FFMPEG),system)
BUILD_PACKAGES += $(SYSTEM_FFMPEG_PACKAGES)
endif

GENERATED = $$(git ls-files server/api web/src/api docs/settings.md docs/cli.md)

.PHONY: build desktop run test test-long test-desktop bench scorecard generate lint setup setup-test native web clean help

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

run: build ## build what is missing and start Roughcut for one person on this machine
	bin/roughcut serve --owner

build: setup native web ## the one executable, bin/roughcut
	@$(NATIVE); go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/roughcut .

desktop: setup native web ## the executable with a window of its own, bin/roughcut-desktop
	@./.ci/packages $(DESKTOP_PACKAGES)
	@$(DESKTOP); go build -tags $(DESKTOP_TAGS) -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/roughcut-desktop .

# The tests in e2e time a browser by the clock, so they run after the others and have the machine to themselves.
test: setup-test build lint ## every test but the long ones
	@$(DESKTOP); if pkg-config --exists gtk+-3.0 webkit2gtk-4.1; then go vet -tags $(DESKTOP_TAGS) ./cli ./desktop ./e2e; fi
	@$(NATIVE); go test -timeout 60m $$(go list ./... | grep -v /e2e$$)
	@$(NATIVE); go test -timeout 60m ./e2e
	cd web && npm run --silent test

test-long: setup-test build ## the long matrices and fault suites too
	$(NATIVE); ROUGHCUT_LONG=1 go test -timeout 80m -v -run Long ./...
	$(MAKE) --no-print-directory test-desktop

test-desktop: setup-test native web ## the window, on a screen that nobody sees
	@./.ci/packages $(DESKTOP_PACKAGES) $(DESKTOP_TEST_PACKAGES)
	@$(DESKTOP); go vet -tags $(DESKTOP_TAGS) ./cli ./desktop ./e2e
	@$(DESKTOP); go test -tags $(DESKTOP_TAGS) -timeout 10m -v -run Desktop ./e2e

bench: setup-test native web ## measure against the ffmpeg command line, as ratios in one run; with ROUGHCUT_LONG=1 of ten minutes each
	@$(NATIVE); ./.ci/bench

scorecard: setup-test native web ## measure cuts, words, joins, captions and loudness of made-up talks against their goals
	@$(NATIVE); ROUGHCUT_LONG=1 go test -timeout 60m -v -run '^TestLongScorecard$$' ./e2e

generate: native web/node_modules/.stamp ## everything that is generated, from its source
	@$(NATIVE); go generate ./...
	cd web && npm run --silent generate

lint: native web ## formatting, vet, generated files up to date, linters
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt'ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	@$(NATIVE); go vet ./...
	@before=$$(cat $(GENERATED) | sha256sum); $(MAKE) --no-print-directory generate; after=$$(cat $(GENERATED) | sha256sum); \
	 [ "$$before" = "$$after" ] || { echo "generated files were out of date; make generate has renewed them"; exit 1; }
	cd web && npm run --silent lint && npm run --silent typecheck
	$(NATIVE); if lint=$$(./.ci/golangci-lint $(GOLANGCI_VERSION) "$(CACHE)"); then "$$lint" run ./...; else echo "golangci-lint could not be installed here; go vet ran"; fi

setup: ; @./.ci/packages $(BUILD_PACKAGES) ## Debian packages that a build needs
setup-test: ; @./.ci/packages $(BUILD_PACKAGES) $(TEST_PACKAGES) ## and those that tests need

native: setup ## FFmpeg and whisper.cpp, built once into the user's cache
	@FFMPEG=$(FFMPEG) media/native/build.sh >/dev/null

web: web/dist/index.html ## the web UI

web/node_modules/.stamp: web/package-lock.json
	cd web && npm ci --no-audit --no-fund --silent && touch node_modules/.stamp

web/dist/index.html: web/node_modules/.stamp web/index.html web/package.json web/vite.config.ts $(shell find web/src -type f 2>/dev/null)
	cd web && npm run --silent build

clean: ## what a build left in this folder (the cache stays)
	rm -rf bin web/node_modules web/dist/assets web/dist/index.html
