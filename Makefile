# Every target makes .venv itself; nothing but python3 and make has to be on the machine.
# PYTHON=python3.12 make test   uses another Python (and makes .venv again for it).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The interpreter behind $(PYTHON): the command itself or, where pyenv only shims it, pyenv's newest of that name.
INTERPRETER := $(shell { command -v $(PYTHON) && $(PYTHON) --version; } >/dev/null 2>&1 && echo $(PYTHON) \
	|| ls -d "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/*/bin/$(PYTHON) 2>/dev/null | sort -V | tail -n 1)
VERSION := $(shell $(INTERPRETER) -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null)
READY := $(VENV)/.ready-$(VERSION)

# Constraints reach the build's own environment too, so that every install is the same.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help setup demo test test-slow browser check format bench bench-large docs pictures constraints clean

help:
	@echo "make demo        simulate, fit, evaluate and report: the first minute"
	@echo "make test        the tests, with every example in the docs"
	@echo "make test-slow   the slow statistical and scale checks as well"
	@echo "make check       formatting, lint and types"
	@echo "make format      format the code"
	@echo "make bench       measure speed and memory"
	@echo "make bench-large measure data in parts: 100 million reports, 16 GB of memory"
	@echo "make docs        make the pages that are generated from the code"
	@echo "make pictures    make the pictures of figures and of the report"
	@echo "make constraints bring constraints.txt up to date"
	@echo "make clean       remove .venv and everything that was made"

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -n "$(VERSION)" || { echo "No Python behind '$(PYTHON)'. Install Python 3.11 or newer, or name one: PYTHON=/path/to/python3 make setup"; exit 1; }
	@$(INTERPRETER) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Dawnchorus needs Python 3.11 or newer; $(INTERPRETER) is $(VERSION)."; exit 1; }
	@test -e $@ || { echo "Making $(VENV) with Python $(VERSION) (a minute or two, once)"; rm -rf $(VENV); $(INTERPRETER) -m venv $(VENV); }
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@$(BIN)/python -m compileall -q src  # as pip does with other packages; Python may be told not to
	@touch $@

demo: $(READY)
	@$(BIN)/dawnchorus demo --out build/demo --overwrite

test: $(READY) browser
	@PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --numprocesses auto --dist worksteal

test-slow: $(READY) browser
	@PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -m "slow or not slow" --numprocesses auto --dist worksteal

# The pages are tested in Debian's Chromium. Where it cannot be installed, these tests are skipped and say so.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || test -n "$$CHROMIUM" || { \
		command -v apt-get >/dev/null && test "$$(id -u)" = 0 && echo "Installing Chromium (once)" && \
		{ apt-get install --yes --quiet --quiet --no-install-recommends chromium || \
		  { apt-get update --quiet --quiet && apt-get install --yes --quiet --quiet --no-install-recommends chromium; } } >/dev/null; } || \
		echo "No Chromium, and it cannot be installed: the tests of pages in a browser are skipped."

check: $(READY)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

format: $(READY)
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(READY)
	@$(BIN)/python benchmarks/foundation.py; first=$$?; $(BIN)/python benchmarks/readers.py; second=$$?; \
	$(BIN)/python benchmarks/models.py && exit $$((first + second))

bench-large: $(READY)
	@$(BIN)/python benchmarks/large.py && $(BIN)/python benchmarks/large.py base-hierarchical && \
	$(BIN)/python benchmarks/threads.py

docs: $(READY)
	@$(BIN)/python docs/developer/make_python_page.py > docs/python.md.new && mv docs/python.md.new docs/python.md
	@PYTHONPATH=tests $(BIN)/python -m faults.page > docs/developer/deliberate_faults.md

pictures: $(READY)
	@$(BIN)/python docs/developer/make_pictures.py

constraints: $(READY)
	@PIP_CONSTRAINT= $(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --upgrade --python-version 3.11 --extra dev --no-header --no-annotate --no-emit-index-url pyproject.toml --output-file constraints.txt

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
