# The two commands: `make run` shows what pi-lsp does, `make test` proves it. Both set up all they need.
# PYTHON=... chooses the interpreter (3.11 or newer); WORKSPACE=path runs the demonstration on your own folder.

PYTHON ?= $(shell for v in python3 python3.11 python3.12 python3.13 python3.14; do \
	"$$v" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$v; break; }; done)
NEWEST ?= $(shell for v in python3 python3.11 python3.12 python3.13 python3.14 $$HOME/.pyenv/versions/*/bin/python3; do \
	"$$v" -c 'import sys, venv, ensurepip; sys.version_info < (3, 11) or print("%d.%d" % sys.version_info[:2], sys.executable)' \
	2>/dev/null; done | sort -V | tail -n 1 | cut -d " " -f 2)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

BIN := .venv/bin
NEW := .venv-newest/bin
EXT := vscode-extension
# A process a core; the tests of a file share what they set up.
AT_ONCE := -n auto --dist loadfile

.PHONY: run test test-newest interop test-vscode vscode-pictures check check-vscode format bench schema vsix clean

run: $(BIN)/.ready
	@$(BIN)/pi-lsp demo --editor $(if $(WORKSPACE),"$(WORKSPACE)")

test: $(BIN)/.ready test-newest
	$(BIN)/python -m pytest $(AT_ONCE)
	@tests/vscode/run.sh

test-newest: $(NEW)/.ready
	@if [ "$$($(BIN)/python -V)" = "$$($(NEW)/python -V)" ]; then echo "no newer Python at hand than $$($(BIN)/python -V)"; \
	else $(NEW)/python -m pytest $(AT_ONCE) --ignore=tests/interop --ignore=tests/random --ignore=tests/security; fi

# Sessions shared with the real Pi, and random runs: PI_LSP_RUNS=500 PI_LSP_KILLS=200 for long ones.
interop: $(BIN)/.ready
	$(BIN)/python -m pytest tests/interop tests/random

check: $(BIN)/.ready check-vscode
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/python -m protocol.generate --check

check-vscode: $(EXT)/node_modules/.ready
	cd $(EXT) && npm run --silent check && npm test --silent

format: $(BIN)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

schema: $(BIN)/.ready
	$(BIN)/python -m protocol.generate

bench: $(BIN)/.ready
	-@$(MAKE) --silent vsix # without npm the rows of the extension say why they are missing
	$(BIN)/python -m tests.bench

# The extension with the server's wheel inside: vscode-extension/pi-lsp.vsix
vsix: $(BIN)/.ready $(EXT)/node_modules/.ready
	rm -rf $(EXT)/server
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir $(EXT)/server .
	cd $(EXT) && npm run --silent package -- --out pi-lsp.vsix

# The extension in a real VS Code in a headless Chromium: all scenarios, or `make test-vscode ONLY="chat trust"`.
test-vscode: $(BIN)/.ready
	@tests/vscode/run.sh $(ONLY)

# The pictures of the extension's README, as the tests last made them.
vscode-pictures: test-vscode
	cd $(EXT)/media/walkthrough && for p in rules:explorer-tooltip chat:chat-editor explain:explain tree:views; do \
		cp "$(CURDIR)/.cache/vscode/shots/$${p#*:}-dark.png" "$${p%%:*}.png"; done

clean:
	rm -rf .venv .venv-newest .cache build dist $(EXT)/node_modules $(EXT)/dist $(EXT)/server

$(BIN)/.ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "pi-lsp needs Python 3.11 or newer; name one with PYTHON=..."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@

$(NEW)/.ready: pyproject.toml
	$(NEWEST) -m venv .venv-newest
	$(NEW)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(NEW)/python -m pip install --quiet --editable . --group dev
	@touch $@

$(EXT)/node_modules/.ready: $(EXT)/package-lock.json
	cd $(EXT) && npm ci --silent --no-audit --no-fund
	@touch $@
