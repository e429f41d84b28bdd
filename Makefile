# The two commands: `make run` shows what pi-lsp does, `make test` proves it. Both set up all they need.
# PYTHON=... chooses the interpreter (3.11 or newer); WORKSPACE=path runs the demonstration on your own folder.

PYTHON ?= $(shell for v in python3 python3.11 python3.12 python3.13 python3.14; do \
	"$$v" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$v; break; }; done)
NEWEST ?= $(shell for v in python3.14 python3.13 python3.12 python3.11 python3; do \
	"$$v" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$v; break; }; done)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

BIN := .venv/bin
NEW := .venv-newest/bin

.PHONY: run test test-newest check format bench schema clean

run: $(BIN)/.ready
	@$(BIN)/pi-lsp demo $(if $(WORKSPACE),"$(WORKSPACE)")

test: $(BIN)/.ready test-newest
	$(BIN)/python -m pytest

test-newest: $(NEW)/.ready
	@if [ "$$($(BIN)/python -V)" = "$$($(NEW)/python -V)" ]; then echo "no newer Python at hand than $$($(BIN)/python -V)"; \
	else $(NEW)/python -m pytest; fi

check: $(BIN)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/python -m protocol.generate --check

format: $(BIN)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

schema: $(BIN)/.ready
	$(BIN)/python -m protocol.generate

bench: $(BIN)/.ready
	$(BIN)/python -m tests.bench

clean:
	rm -rf .venv .venv-newest .cache build dist

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
