#!/usr/bin/env bash
# run.sh [NAME...]: the extension in a real VS Code, all scenarios or those of the named files (chat: chat.mjs).
# Without a Chromium or npm they are skipped, except in CI. VSIX=file tests that package in place of a new one.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=$PWD/.cache/vscode

missing=""
command -v npm >/dev/null || missing="no npm on this machine"
CHROMIUM=$(command -v chromium chromium-browser google-chrome google-chrome-stable | head -1) || missing="no Chromium on this machine"
if [ -n "$missing" ]; then
	sed -n 's/^describe("\(.*\)", .*/\1/p' tests/vscode/*.mjs | while read -r name; do echo "skipped: VS Code, $name ($missing)"; done
	[ "${CI:-}" != true ] || { echo "in CI nothing may be skipped" >&2; exit 1; }
	exit 0
fi
export CHROMIUM

tests/vscode/install.sh "$cache"
[ -n "${VSIX:-}" ] || make --silent vsix >"$cache/package.log" 2>&1 || { cat "$cache/package.log"; exit 1; }
[ $# -gt 0 ] || set -- main
for name in "$@"; do
	"$cache/node/node_modules/.bin/node" "tests/vscode/$name.mjs"
done
