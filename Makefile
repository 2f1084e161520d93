# Everything a newcomer needs: `make demo` and `make test` set the project up by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export JAX_COMPILATION_CACHE_DIR ?= $(CURDIR)/.cache/jax

.PHONY: setup demo test quick test-rest test-all lint docs bench clean

setup: $(VENV)/ready

$(VENV)/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Ludens needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@echo "Setting up $(VENV) (a few minutes, once)"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
	  --editable '.[gym,peers,e2e,dev]'
	@touch $@

demo: setup
	$(BIN)/ludens demo

# ROOM=search runs the tests of that room only, without linting first.
ROOM ?=
PYTEST := $(BIN)/pytest

# Linting takes one core, so the tests begin beside it.
test: setup
	@$(MAKE) --no-print-directory -j2 quick $(if $(ROOM),,lint)

# For two cores one process more: the tests of the page mostly wait for a browser.
quick: setup
	$(PYTEST) -n 3 -m 'not slow' $(if $(ROOM),tests/$(ROOM))

# What `make test` leaves out: exhaustive sweeps, long trainings, every variant.
test-rest: setup
	$(PYTEST) -n 2 -m slow $(if $(ROOM),tests/$(ROOM))

test-all: test test-rest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# The documentation as a site in site/; a dead link, a page that is not in the contents or a missing module fails it.
docs: $(VENV)/docs-ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

$(VENV)/docs-ready: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	@touch $@

bench: setup
	$(BIN)/ludens bench --peers

clean:
	rm -rf $(VENV) site .cache .mypy_cache .ruff_cache .pytest_cache
