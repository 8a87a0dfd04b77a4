# Roughcut. `make run` and `make test` install missing packages on Debian and its relatives; `make help` lists all targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

CACHE := $(or $(ROUGHCUT_CACHE),$(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/roughcut)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint v2.15.0
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint v1.7.9
FFMPEG ?= bundled
# WHISPER=vulkan recognizes speech on graphics processors.
WHISPER ?= cpu
# ARCH=arm64 cross-compiles for Linux on arm64, into bin/arm64 and dist/arm64, and SYSTEM=windows for Windows on amd64, into bin/windows.
THIS_ARCH := $(shell go env GOHOSTARCH)
ARCH ?= $(THIS_ARCH)
ifneq ($(ARCH),$(THIS_ARCH))
TARGET := linux/$(ARCH)
endif
ifdef SYSTEM
TARGET := $(SYSTEM)/amd64
endif
# LINK=portable links everything except glibc statically, for glibc 2.31, into the folder portable of bin.
LINK ?=
BIN := bin$(if $(TARGET),/$(or $(SYSTEM),$(ARCH)))$(if $(LINK),/$(LINK))
DIST := dist$(if $(TARGET),/$(or $(SYSTEM),$(ARCH)))
EXE := $(if $(SYSTEM),.exe)
NATIVE := eval "$$(FFMPEG=$(FFMPEG) LINK=$(LINK) WHISPER=$(WHISPER) TARGET=$(TARGET) media/native/build.sh env)"

BUILD_TOOLS := g++ make pkg-config cmake ninja-build meson nasm curl xz-utils ca-certificates dpkg-dev debian-archive-keyring
BUILD_LIBRARIES := libva-dev libx264-dev libx265-dev libnuma-dev libzimg-dev libmp3lame-dev libopus-dev zlib1g-dev libass-dev libfreetype-dev libharfbuzz-dev libfribidi-dev libfontconfig-dev
SYSTEM_FFMPEG_PACKAGES := libavcodec-dev libavdevice-dev libavfilter-dev libavformat-dev libswresample-dev libswscale-dev libavutil-dev
TEST_PACKAGES := ffmpeg jq groff espeak-ng libespeak-ng1 sox python3 chromium-headless-shell fonts-dejavu-core nginx-light yt-dlp \
	firefox-esr webkit2gtk-driver gstreamer1.0-libav gstreamer1.0-plugins-good xvfb \
	asterisk-core-sounds-en-g722 asterisk-core-sounds-es-g722 asterisk-core-sounds-fr-g722 asterisk-moh-opsound-g722 openttd-opensfx fuse3
DESKTOP_TAGS := desktop,production,webkit2_41
# The linker flag separates the desktop build from others in Go's build cache. The cache key does not contain the pkg-config
# command, and the static one lists more libraries for GTK than fit on a command line.
DESKTOP := $(NATIVE); export NATIVE_PKG_CONFIG="$$PKG_CONFIG" PKG_CONFIG="$(CURDIR)/.ci/pkg-config" CGO_LDFLAGS="$$CGO_LDFLAGS -Wl,--as-needed"
DESKTOP_LIBRARIES := libgtk-3-dev libwebkit2gtk-4.1-dev
DESKTOP_PACKAGES := gstreamer1.0-libav gstreamer1.0-plugins-good
DESKTOP_TEST_PACKAGES := xvfb openbox xdotool imagemagick ffmpeg dbus at-spi2-core python3-gi gir1.2-gtk-3.0 gir1.2-atspi-2.0 \
	pulseaudio pulseaudio-utils gstreamer1.0-pulseaudio pipewire pipewire-pulse wireplumber locales
HAS_DESKTOP := dpkg-query -W $(DESKTOP_LIBRARIES) $(DESKTOP_PACKAGES) $(DESKTOP_TEST_PACKAGES) >/dev/null 2>&1
# The window needs WebView2, which Wails would download with another tag.
WINDOWS_TAGS := desktop,production,wv2runtime.error
ifdef SYSTEM
DESKTOP_TAGS := $(WINDOWS_TAGS)
DESKTOP := $(NATIVE)
endif
DIST_PACKAGES := dpkg-dev python3 xz-utils
DIST_LIBRARIES := libdav1d-dev
CROSS_PACKAGES := g++-aarch64-linux-gnu qemu-user
WINDOWS_PACKAGES := g++-mingw-w64-x86-64-posix autoconf automake libtool
WINDOWS_DIST_PACKAGES := python3 libdav1d-dev nsis wine64
WINDOWS_TEST_PACKAGES := wine64 jq xvfb xdotool qemu-user
IMAGE_PACKAGES := debootstrap debian-archive-keyring
# The fonts of captions in the image, which the Debian package recommends.
IMAGE_FONTS := fontconfig-config fonts-noto-core fonts-noto-cjk fonts-symbola
DIST_TEST_PACKAGES := lintian jq umoci runc desktop-file-utils appstream xvfb xdotool
VULKAN_TEST_PACKAGES := libvulkan1 mesa-vulkan-drivers
# Voices that no detector has learned from: recorded prompts and actors.
SCORECARD_PACKAGES := asterisk-core-sounds-it-g722 asterisk-core-sounds-ru-g722 fillets-ng-data-cs fillets-ng-data-nl
LONG_TEST_PACKAGES := $(SCORECARD_PACKAGES) qemu-user melt frei0r-plugins kdenlive shotcut xvfb openbox xdotool dbus openshot-qt
ifeq ($(FFMPEG),system)
BUILD_LIBRARIES += $(SYSTEM_FFMPEG_PACKAGES)
endif
ifeq ($(WHISPER),vulkan)
BUILD_TOOLS += glslc spirv-headers
endif
# Libraries for another architecture are unpacked into a folder, because their packages can conflict with this machine's packages.
ifdef SYSTEM
BUILD_TOOLS += $(WINDOWS_PACKAGES)
LIBRARIES =
else ifdef TARGET
BUILD_TOOLS += $(CROSS_PACKAGES)
LIBRARIES = ./.ci/sysroot $(ARCH) "$(CACHE)" $(1) >/dev/null
else
LIBRARIES = ./.ci/packages $(1)
endif

# MEDIA_FOLDER is where the folder media of the kit will be on the computer of the other editors.
KIT ?= interchange-kit
MEDIA_FOLDER ?= $(abspath $(KIT))/media

# A position-independent executable has random addresses. Its tables of addresses are filled at the start and then read-only.
HARDEN := -Wl,-z,relro,-z,now
ifdef SYSTEM
# Windows has none of the libraries. Its executables contain an icon, a version and a manifest.
HARDEN := -static $$resources
RESOURCES = resources=$$(./.ci/dist/windows/resources $(1) "$(VERSION)" "$(2)" $(BIN)/resources);
endif
# BUILD NAME DESCRIPTION FLAGS LINKER_FLAGS builds an executable.
BUILD = $(RESOURCES) go build -buildmode=pie -trimpath -ldflags "-s -w -X main.version=$(VERSION) -extldflags '$(HARDEN)' $(4)" $(3) -o $(BIN)/$(1)$(EXE) .

# Suites of random cases with a share of their own have as much time as they need.
LONG_TIMEOUT := $(if $(ROUGHCUT_SHARE),0,80m)

FUZZ_SECONDS ?= 10
MINUTES ?= 60

GENERATED = $$(git ls-files server/api server/openapi.yaml web/src/api docs/settings.md docs/cli.md docs/guide.md docs/images/architecture.svg)

.PHONY: build desktop dist image docs run test test-pages test-engines test-timing test-long fuzz flake test-dist test-arm64 test-vulkan test-windows test-clients interchange-kit test-desktop bench scorecard generate lint setup setup-test native web clean help

help: ## list all targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

run: build ## build Roughcut and start it in single-user mode
	bin/roughcut serve --owner

build: setup native web ## build the executable, bin/roughcut (ARCH=arm64: bin/arm64/roughcut; SYSTEM=windows: bin/windows/roughcut.exe; WHISPER=vulkan: speech on graphics processors)
	@$(NATIVE); $(call BUILD,roughcut,Roughcut command line)

desktop: setup native web ## build the executable with a desktop window, bin/roughcut-desktop (SYSTEM=windows: bin/windows/roughcut-desktop.exe)
	@./.ci/packages $(if $(TARGET),,$(DESKTOP_PACKAGES))
	@$(call LIBRARIES,$(DESKTOP_LIBRARIES))
	@$(DESKTOP); $(call BUILD,roughcut-desktop,Roughcut,-tags "$(DESKTOP_TAGS)",$(if $(SYSTEM),-H windowsgui))

dist: build desktop ## write the packages, their bill of materials and checksums to dist: Debian packages and the portable archive (ARCH=arm64: to dist/arm64), or a ZIP archive and an installer (SYSTEM=windows: to dist/windows)
ifdef SYSTEM
	@./.ci/packages $(WINDOWS_DIST_PACKAGES)
	@export WINEPREFIX; WINEPREFIX=$$(./.ci/wine "$(CACHE)"); $(NATIVE); BIN=$(BIN) ./.ci/dist/build "$(VERSION)" $(DIST)
else
	@./.ci/packages $(DIST_PACKAGES)
	@$(call LIBRARIES,$(DIST_LIBRARIES))
	@$(MAKE) --no-print-directory LINK=portable build
	@eval "$$(LINK=portable TARGET=$(TARGET) media/native/build.sh env)"; BIN=$(BIN) ./.ci/dist/build "$(VERSION)" $(DIST)
endif

image: dist ## write a container image to dist
	@$(if $(TARGET),echo "the container image cannot be built for $(ARCH) yet" >&2; exit 1)
	@./.ci/packages $(IMAGE_PACKAGES)
	@base=$$(./.ci/dist/base bookworm "$(CACHE)" $(IMAGE_FONTS)); archive=$$(echo dist/roughcut-*-linux-*.tar.xz); \
	 export SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)}; \
	 ./.ci/dist/image "$$base" "$$archive" "$${archive%-linux-*}-oci-$$(dpkg --print-architecture).tar" "$(VERSION)"; \
	 cd dist && for image in roughcut-*-oci-*.tar; do sha256sum "$$image" >"$$image.sha256"; done

# The whole-program tests also build the seeds of the page tests, which come last: a person
# reads the names of flaky tests at the end.
test: setup-test build ## run every test except fuzzing, the timing tests and the long tests; where the packages of test-desktop are installed, also a first cut in the window
	@$(NATIVE); ROUGHCUT_SEEDS=$$(mktemp -d); export ROUGHCUT_SEEDS; trap 'rm -rf "$$ROUGHCUT_SEEDS"' EXIT; failed=0; \
	 ./.ci/test -timeout 60m ./... || failed=1; \
	 if $(HAS_DESKTOP); then \
	 ($(DESKTOP); ./.ci/test -tags $(DESKTOP_TAGS) -short -run '^TestDesktopFirstCut$$' ./e2e) || failed=1; fi; \
	 (cd web && npm run --silent test) || failed=1; \
	 (cd web && npx playwright test -c engines.config.ts --grep @short) || failed=1; \
	 (cd web && npx playwright test) || failed=1; \
	 exit $$failed

test-pages: setup-test build ## run the tests of the pages in a browser
	@$(NATIVE); cd web && npx playwright test

test-engines: setup-test build ## run the jobs of a first cut in Chromium, Firefox and WebKitGTK
	@$(NATIVE); cd web && npx playwright test -c engines.config.ts

# One test at a time, so that none disturbs the clock of another one.
test-timing: setup-test build ## run the tests that judge clocks, one at a time; the machine must be idle; where the packages of test-desktop are installed, also the start of the window
	@$(NATIVE); ROUGHCUT_TIMING=1 go test -timeout 60m -count 1 -p 1 -parallel 1 -v -run '^TestTiming' ./...
	@if $(HAS_DESKTOP); then $(DESKTOP); ROUGHCUT_TIMING=1 go test -tags $(DESKTOP_TAGS) -count 1 -v -run '^TestTimingDesktop' ./e2e; fi

fuzz: setup-test native web ## run each fuzz target for FUZZ_SECONDS
	@$(NATIVE); ./.ci/fuzz $(FUZZ_SECONDS)

flake: setup-test build ## run the whole-program and the page tests again and again for MINUTES, side by side and without retries; the log is flake.log in the cache
	@$(NATIVE); ./.ci/flake $(MINUTES) "$(CACHE)/flake.log"

test-long: test ## run every test: also the timing tests, fuzzing, the long tests, the packages and the desktop window
	$(MAKE) --no-print-directory test-engines test-desktop test-timing fuzz
	@./.ci/packages $(LONG_TEST_PACKAGES)
	$(NATIVE); ROUGHCUT_LONG=1 go test -timeout $(LONG_TIMEOUT) -v -run Long ./...
	$(MAKE) --no-print-directory test-dist test-arm64 test-vulkan test-windows

test-dist: image ## build the packages again, compare the bytes, use them in chroots of Debian and Ubuntu, and run the container image
	@./.ci/packages $(TEST_PACKAGES) $(DIST_TEST_PACKAGES)
	@eval "$$(LINK=portable media/native/build.sh env)"; again=$$(mktemp -d); trap 'rm -rf "$$again"' EXIT; ./.ci/dist/build "$(VERSION)" "$$again"; \
	 diff dist/SHA256SUMS "$$again/SHA256SUMS" || { echo "two builds of the packages differ"; exit 1; }
	@./.ci/dist/try dist "$(CACHE)"
	@./.ci/dist/try-image dist/roughcut-*-oci-*.tar

# The packages whose tests are quick under qemu.
ARM64_TESTS := ./media ./pipeline/language ./server/auth

test-arm64: setup-test native web ## cross-compile for arm64, run unit tests and a cut under qemu, build the packages and use them
	@./.ci/packages $(DIST_TEST_PACKAGES)
	@$(MAKE) --no-print-directory ARCH=arm64 dist
	@eval "$$(TARGET=linux/arm64 media/native/build.sh env)"; \
	 go test -timeout 60m -exec "qemu-aarch64 -L $$ROUGHCUT_SYSROOT" $(ARM64_TESTS)
	@$(NATIVE); ROUGHCUT_ARM64="$(CURDIR)/bin/arm64/roughcut" ROUGHCUT_ARM64_SYSROOT="$(CACHE)/sysroot-arm64" go test -v -count 1 -run Arm64 ./e2e
	@./.ci/dist/try-arm64 dist/arm64 "$(CACHE)/sysroot-arm64"

test-vulkan: setup-test web ## transcribe with Vulkan on Mesa's software driver, and compare the words with the CPU's words
	@./.ci/packages $(VULKAN_TEST_PACKAGES)
	@$(MAKE) --no-print-directory WHISPER=vulkan native
	@eval "$$(WHISPER=vulkan media/native/build.sh env)"; ROUGHCUT_LONG=1 ROUGHCUT_VULKAN=1 go test -timeout 60m -v -count 1 -run Vulkan ./pipeline/sandbox ./e2e

test-windows: setup-test native web ## cross-compile for Windows, cut a talk and run the server under Wine, build the packages twice and use them
	@./.ci/packages $(WINDOWS_TEST_PACKAGES)
	@$(MAKE) --no-print-directory SYSTEM=windows dist
	@eval "$$(TARGET=windows/amd64 media/native/build.sh env)"; go vet $$(go list ./... | grep -v /e2e$$); \
	 go vet -tags $(WINDOWS_TAGS) ./cli ./desktop; \
	 WINEDEBUG=-all WINEPREFIX=$$(./.ci/wine "$(CACHE)") go test -tags $(WINDOWS_TAGS) -count 1 -run Windows \
	 -exec "xvfb-run -a /usr/lib/wine/wine64" ./desktop
	@prefix=$$(./.ci/wine "$(CACHE)"); $(NATIVE); ROUGHCUT_WINDOWS="$(CURDIR)/bin/windows/roughcut.exe" WINEPREFIX="$$prefix" \
	 go test -timeout 60m -v -count 1 -run Windows ./e2e
	@eval "$$(TARGET=windows/amd64 media/native/build.sh env)"; again=$$(mktemp -d); trap 'rm -rf "$$again"' EXIT; \
	 WINEPREFIX=$$(./.ci/wine "$(CACHE)") BIN=bin/windows ./.ci/dist/build "$(VERSION)" "$$again"; \
	 diff dist/windows/SHA256SUMS "$$again/SHA256SUMS" || { echo "two builds of the packages differ"; exit 1; }
	@./.ci/dist/try-windows dist/windows "$(CACHE)"

test-clients: setup-test native web ## check the OpenAPI document with Redocly and Spectral, and generate, compile and run clients from it; needs npm and the Go module proxy
	@$(NATIVE); ROUGHCUT_LONG=1 go test -timeout 20m -v -count 1 -run '^TestLongClients' ./server

interchange-kit: setup-test build ## write sample timelines with media and a checklist for other editors to KIT
	@./.ci/interchange-kit "$(KIT)" "$(MEDIA_FOLDER)"

test-desktop: setup-test native web ## run the tests of the desktop window on a virtual display; screenshots are in window of the cache
	@./.ci/packages $(DESKTOP_LIBRARIES) $(DESKTOP_PACKAGES) $(DESKTOP_TEST_PACKAGES)
	@$(DESKTOP); go vet -tags $(DESKTOP_TAGS) ./cli ./desktop ./e2e
	@$(DESKTOP); export ROUGHCUT_SCREENSHOTS="$${ROUGHCUT_SCREENSHOTS:-$(CACHE)/window}"; \
	 go test -tags $(DESKTOP_TAGS) -timeout 20m -v -run Desktop ./e2e

bench: setup-test native web ## compare speed with the command lines of ffmpeg and whisper.cpp (ROUGHCUT_LONG=1: recordings of ten minutes)
	@$(NATIVE); ./.ci/bench

scorecard: setup-test native web ## measure cuts of generated talks and recorded voices, words, joins, captions and loudness against goals
	@./.ci/packages $(SCORECARD_PACKAGES)
	@$(NATIVE); ROUGHCUT_LONG=1 go test -timeout 60m -v -run '^TestLongScorecard' ./e2e

docs: setup-test build generate ## update the generated pages, the screenshots and the drawings in docs
	@$(NATIVE); ROUGHCUT_DOCS=1 ROUGHCUT_LONG=1 go test -timeout 20m -count 1 -run '^TestLongBrowserGuide$$' ./e2e

generate: native web/node_modules/.stamp ## write all generated files
	@$(NATIVE); go generate ./...
	cd web && npm run --silent generate

lint: native web ## check formatting, generated files and Go and web linters
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt'ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	@go mod tidy -diff || { echo "go.mod and go.sum are not tidy; run go mod tidy"; exit 1; }
	@$(NATIVE); go vet ./...
	@$(DESKTOP); if pkg-config --exists gtk+-3.0 webkit2gtk-4.1; then go vet -tags $(DESKTOP_TAGS) ./cli ./desktop ./e2e; fi
	@before=$$(cat $(GENERATED) | sha256sum); $(MAKE) --no-print-directory generate; after=$$(cat $(GENERATED) | sha256sum); \
	 [ "$$before" = "$$after" ] || { echo "generated files were out of date and have been updated; commit them"; exit 1; }
	@$(NATIVE); go test ./docs
	cd web && npm run --silent lint && npm run --silent typecheck
	$(NATIVE); if lint=$$(./.ci/go-tool $(GOLANGCI) "$(CACHE)"); then "$$lint" run ./...; \
	 if pkg-config --exists gtk+-3.0 webkit2gtk-4.1; then $(DESKTOP); "$$lint" run --build-tags $(DESKTOP_TAGS) ./cli ./desktop ./e2e; fi; \
	 GOOS=windows CGO_ENABLED=0 "$$lint" run --build-tags $(WINDOWS_TAGS) ./desktop; \
	 else echo "golangci-lint could not be installed; only go vet ran"; fi
	@if lint=$$(./.ci/go-tool $(ACTIONLINT) "$(CACHE)"); then "$$lint"; else echo "actionlint could not be installed; the workflows were not checked"; fi

setup: ## install the Debian packages for a build
	@command -v go >/dev/null || { echo "Go is missing. Install Go 1.26 or later from https://go.dev/dl, then run make again."; exit 1; }
	@./.ci/packages $(BUILD_TOOLS)
	@$(call LIBRARIES,$(BUILD_LIBRARIES))
	@$(if $(LINK),./.ci/sysroot $(ARCH)-bullseye "$(CACHE)" >/dev/null)

setup-test: setup ## install the Debian packages for tests
	@./.ci/packages $(TEST_PACKAGES)

native: setup ## build FFmpeg and whisper.cpp into the cache and fetch the networks for voices and faces and the fonts of captions, once
	@FFMPEG=$(FFMPEG) LINK=$(LINK) WHISPER=$(WHISPER) TARGET=$(TARGET) media/native/build.sh >/dev/null
	@media/voicenet/fetch.sh
	@media/face/fetch.sh
	@media/fonts/fetch.sh

web: web/dist/index.html ## build the web UI

web/node_modules/.stamp: web/package-lock.json
	cd web && ../.ci/npm ci && touch node_modules/.stamp

web/dist/index.html: web/node_modules/.stamp web/index.html web/package.json web/vite.config.ts $(shell find web/src -type f 2>/dev/null)
	cd web && npm run --silent build

clean: ## delete build results, but not the cache
	rm -rf bin dist web/node_modules web/dist/assets web/dist/index.html
