#!/usr/bin/env bash
# fetch.sh - writes weights/silero_v5.bin, which the executable embeds.
#
# It downloads an npm package that carries Silero VAD v5, verifies its checksum, installs none of its dependencies, and
# converts the network with package convert. The cache keeps the result.
#
#   ROUGHCUT_CACHE    cache folder (default: $XDG_CACHE_HOME/roughcut or ~/.cache/roughcut)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

PACKAGE=@ricky0123/vad-web@0.0.31
PACKAGE_SHA256=d1a211cf1a2ed26297da52cc08de79e75d79838a274bfc6de546feb1f828c940
NETWORK=package/dist/silero_vad_v5.onnx
NETWORK_SHA256=2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f
WEIGHTS_SHA256=56484a05cf3e9e263044f1e780a5846fe170b76968a922f1bd63ea579bec9958

say() { printf '%s\n' "voicenet: $*" >&2; }
sha() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
matches() { [ -f "$1" ] && [ "$(sha "$1" | cut -d' ' -f1)" = "$2" ]; }
verify() { matches "$1" "$2" || { say "$(basename "$1") has the wrong checksum; run this script again"; exit 1; }; }

weights=$here/weights/silero_v5.bin
cache=${ROUGHCUT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/roughcut}
kept=$cache/silero_v5-${WEIGHTS_SHA256:0:16}.bin
matches "$weights" $WEIGHTS_SHA256 && exit

if ! matches "$kept" $WEIGHTS_SHA256; then
  say "fetching $PACKAGE"
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/voicenet.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && "$here/../../.ci/npm" pack "$PACKAGE")
  mv "$work"/*.tgz "$work/package.tgz"
  verify "$work/package.tgz" $PACKAGE_SHA256
  tar xzf "$work/package.tgz" -C "$work" "$NETWORK"
  verify "$work/$NETWORK" $NETWORK_SHA256
  (cd "$here" && go run ./convert "$work/$NETWORK" "$work/silero_v5.bin")
  verify "$work/silero_v5.bin" $WEIGHTS_SHA256
  mv "$work/silero_v5.bin" "$kept"
fi
# A rename keeps parallel builds from reading half a file.
cp "$kept" "$weights.$$" && mv "$weights.$$" "$weights"
