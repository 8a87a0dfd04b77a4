#!/usr/bin/env bash
# fetch.sh - writes the caption fonts that are not in the repository, with their licenses. The executable embeds the fonts.
#
# npm installs the packages of package-lock.json, which carry the fonts, and verifies their checksums. SHA256SUMS lists the files that
# the script copies from them. The cache keeps the result.
#
#   ROUGHCUT_CACHE    cache folder (default: $XDG_CACHE_HOME/roughcut or ~/.cache/roughcut)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

sha() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
matches() { [ -d "$1" ] && (cd "$1" && sha -c "$here/SHA256SUMS" >/dev/null 2>&1); }

cache=${ROUGHCUT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/roughcut}
kept=$cache/caption-fonts-$(sha "$here/SHA256SUMS" | cut -c1-16)
matches "$here" && exit

if ! matches "$kept"; then
  echo "fonts: fetching the caption fonts" >&2
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/caption-fonts.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  cp "$here"/package*.json "$work"
  (cd "$work" && "$here/../../.ci/npm" ci --ignore-scripts)
  mkdir "$work/fonts"
  while read -r _ name; do
    case $name in
      *.ttf) cp "$work"/node_modules/@expo-google-fonts/*/*/"$name" "$work/fonts" ;;
      *-OFL.txt) cp "$work/node_modules/@expo-google-fonts/${name%-OFL.txt}/LICENSE_FONT" "$work/fonts/$name" ;;
    esac
  done <"$here/SHA256SUMS"
  matches "$work/fonts" || { echo "fonts: the packages contain other files than SHA256SUMS lists; correct it after an update" >&2; exit 1; }
  rm -rf "$kept"
  mv "$work/fonts" "$kept"
fi
# A rename keeps parallel builds from reading half a file.
while read -r _ name; do
  cp "$kept/$name" "$here/$name.$$" && mv "$here/$name.$$" "$here/$name"
done <"$here/SHA256SUMS"
