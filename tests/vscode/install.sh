#!/usr/bin/env bash
# install.sh FOLDER: Node 24 and code-server 4.139.1 (VS Code 1.139.1), from the npm registry alone.
set -euo pipefail
folder=$1
wanted="node@24 code-server@4.139.1"
mkdir -p "$folder"
if command -v flock >/dev/null; then
	exec 9>"$folder/.lock" && flock 9 # two may want it at once
fi
[ "$(cat "$folder/.ready" 2>/dev/null)" = "$wanted" ] && exit 0
echo "installing $wanted into $folder"
rm -rf "$folder/.ready" "$folder/node" "$folder/server"
mkdir -p "$folder/node" "$folder/server"
# Node has a folder of its own: npm would prune it when it installs something else beside it.
echo '{"private":true}' > "$folder/node/package.json"
echo '{"private":true}' > "$folder/server/package.json"
quiet=(--silent --no-audit --no-fund)
(cd "$folder/node" && npm install "${quiet[@]}" "${wanted% *}")
export PATH="$folder/node/node_modules/.bin:$PATH"
(cd "$folder/server" && npm install "${quiet[@]}" --ignore-scripts "${wanted#* }")
# The part that is VS Code has its own list of packages; without scripts, so nothing is compiled.
(cd "$folder/server/node_modules/code-server/lib/vscode" && npm install "${quiet[@]}" --omit=dev --ignore-scripts)
# Logs of extensions are written by native code; without a compiler they stay empty, and nothing else is missing.
headers=$(dirname "$(find "$folder/node" -maxdepth 6 -name include -type d | head -1)")
(cd "$folder/server/node_modules/code-server/lib/vscode" &&
	npm_config_nodedir=$headers npm rebuild --silent @vscode/spdlog @vscode/native-watchdog >/dev/null 2>&1) ||
	echo "no compiler: extensions will write no logs in the tests"
echo "$wanted" > "$folder/.ready"
