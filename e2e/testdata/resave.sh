#!/bin/bash
# resave.sh PROGRAM PROJECT COPY - opens a project in Kdenlive or Shotcut and saves it under another name. Needs a display and a session
# bus. The caller limits the time.
set -u
program=$1 project=$2 copy=$3
HOME=$(mktemp -d)
# Kdenlive keeps a file in TMPDIR while it starts. After a killed start it asks whether to reset its settings.
export HOME TMPDIR=$HOME XDG_RUNTIME_DIR=$HOME/run QT_QPA_PLATFORM=xcb QT_QPA_PLATFORMTHEME= LC_ALL=C.UTF-8
mkdir -p -m 700 "$XDG_RUNTIME_DIR" "$HOME/.config"
openbox >/dev/null 2>&1 &
manager=$!
"$program" "$project" >/dev/null 2>&1 &
editor=$!
trap 'kill -9 $editor $manager; rm -rf "$HOME"' EXIT
# find_window NAME prints the ID of a visible window, and fails if no window has the name.
find_window() { xdotool search --onlyvisible --name "$1" 2>/dev/null | head -n 1 | grep .; }
# activate ID gives a window the focus. Without a running window manager that never succeeds.
activate() {
  kill -0 $manager 2>/dev/null || { openbox >/dev/null 2>&1 & manager=$!; }
  timeout 5 xdotool windowactivate --sync "$1"
}

name=$(basename "$project" .kdenlive)
until window=$(find_window "^$name"); do kill -0 $editor && sleep 0.2 || exit 1; done
until dialog=$(find_window '^Save'); do # the window appears before it accepts keys
  activate "$window" && xdotool key --clearmodifiers ctrl+shift+s
  sleep 1
done
activate "$dialog" && xdotool key --clearmodifiers ctrl+a
xdotool type --delay 20 "$copy"
xdotool key Return
until [ -s "$copy" ]; do # Kdenlive first reports that it upgrades the project
  ! dialog=$(find_window '^Information') || ! activate "$dialog" || xdotool key Return
  kill -0 $editor && sleep 0.2 || exit 1
done
