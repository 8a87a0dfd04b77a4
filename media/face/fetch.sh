#!/usr/bin/env bash
# fetch.sh - writes cascade/facefinder, which the executable embeds: the decision trees of the face detector pigo.
#
# They are part of the Go module, which the module cache holds. The script verifies their checksum.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

MODULE=github.com/esimov/pigo
CASCADE_SHA256=d8014993e7298c7b1865d1f8b855d6dbf4ec5c808bf879e2091ab6837abf90cd

sha() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
matches() { [ -f "$1" ] && [ "$(sha "$1" | cut -d' ' -f1)" = "$CASCADE_SHA256" ]; }

cascade=$here/cascade/facefinder
matches "$cascade" && exit
cd "$here"
go mod download "$MODULE"
found=$(go list -m -f '{{.Dir}}' "$MODULE")/cascade/facefinder
matches "$found" || { echo "face: $found has the wrong checksum; correct it in media/face/fetch.sh after an update of pigo" >&2; exit 1; }
# A rename keeps parallel builds from reading half a file.
cp "$found" "$cascade.$$" && chmod 644 "$cascade.$$" && mv "$cascade.$$" "$cascade"
