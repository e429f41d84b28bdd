#!/bin/bash
# install.sh FOLDER: Node 24 and code-server 4.139.1 (VS Code 1.139.1), from the npm registry alone.
set -euo pipefail
folder=$1
[ -e "$folder/.ready" ] && exit 0
mkdir -p "$folder/node" "$folder/server"
# Node has a folder of its own: npm would prune it when it installs something else beside it.
echo '{"private":true}' > "$folder/node/package.json"
echo '{"private":true}' > "$folder/server/package.json"
quiet=(--silent --no-audit --no-fund)
(cd "$folder/node" && npm install "${quiet[@]}" node@24)
export PATH="$folder/node/node_modules/.bin:$PATH"
(cd "$folder/server" && npm install "${quiet[@]}" --ignore-scripts code-server@4.139.1)
# The part that is VS Code has its own list of packages; without scripts, so nothing is compiled.
(cd "$folder/server/node_modules/code-server/lib/vscode" && npm install "${quiet[@]}" --omit=dev --ignore-scripts)
# Logs of extensions are written by native code; without a compiler they stay empty, and nothing else is missing.
headers=$(dirname "$(find "$folder/node" -maxdepth 6 -name include -type d | head -1)")
(cd "$folder/server/node_modules/code-server/lib/vscode" &&
	npm_config_nodedir=$headers npm rebuild --silent @vscode/spdlog @vscode/native-watchdog >/dev/null 2>&1) ||
	echo "no compiler: extensions will write no logs in the tests"
touch "$folder/.ready"
