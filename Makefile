# Every target makes its own environment: nothing has to be installed first but Python 3.11 or later.
PYTHON ?= python3
NEWEST ?= $(PYTHON)
UV ?= uv
FUZZ_SECONDS ?= 20
FAULTS ?= 1
BIN := .venv/bin
RUN := .venv/.installed-run
DEV := .venv/.installed-dev
DOCS := .venv-docs/.installed-docs
PIP := -m pip --quiet --disable-pip-version-check --no-input
# A lock is complete: with --no-deps pip takes what it names and never looks for a newer release of what another
# package asks for; `pip check` then says whether anything is missing.
FROM_LOCK := $(PIP) install --no-deps --no-build-isolation --require-hashes -r
OURSELVES := $(PIP) install --no-deps --no-build-isolation -e .
LOCK = $(UV) pip compile --no-config --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-annotate --no-header pyproject.toml requirements/build.in

CHECK_PYTHON = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	echo "surefold needs Python 3.11 or later, and '$(PYTHON)' is not. Try: make PYTHON=python3.11" >&2; exit 1; }

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test browser screenshots lint types bench validity grid faults docs lock versions newer clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(RUN) ## Assess the bundled data, offline, and write its report
	@$(BIN)/surefold demo

test: lint types browser ## Lint, types, then all quick tests with coverage
	$(BIN)/python -m pytest --quiet --numprocesses 2 --dist loadfile --cov --cov-report=term-missing

browser: $(DEV) ## Find a Chromium for the tests of the report, or install one
	@$(BIN)/python -m tools.browser

screenshots: $(DEV) ## Take the pictures of the report that the docs show
	$(BIN)/python -m tools.screenshots

lint: $(DEV) ## Ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV) ## Mypy, strict
	$(BIN)/mypy

bench: $(DEV) ## Time against peers, side by side, ratios out
	$(BIN)/python -m benchmarks

validity: $(DEV) ## Simulate coverage and size of the intervals and tests (slow)
	$(BIN)/python -m tests.validity

grid: $(DEV) ## Ask every measure over every road: arrays, files, Dask (slow)
	SUREFOLD_GRID=all $(BIN)/python -m pytest --quiet tests/road/test_grid.py tests/road/test_grid_pairs.py

faults: $(DEV) ## Fuzz the doors (FUZZ_SECONDS a door), then kill, fill and damage runs (FAULTS times), and write the page
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(BIN)/python -m pytest -q -s tests/faults/test_fuzz.py
	FAULTS=$(FAULTS) $(BIN)/python -m tests.faults

docs: $(DEV) $(DOCS) ## Make the reference, run doctests and all pages, check links and spelling, build the site
	$(BIN)/python -m docs.generate
	$(BIN)/python -m docs.flow
	$(BIN)/python -m pytest --quiet --ignore=docs/preludes --ignore=docs/mathml.py --ignore=docs/conf.py src docs
	$(BIN)/python -m docs.executed --record --jobs 2
	$(BIN)/python -m docs.coverage
	$(BIN)/python -m docs.links
	.venv-docs/bin/codespell --ignore-words docs/words.txt --skip "docs/_build,*.png,*.svg" docs README.md CONTRIBUTING.md CHANGELOG.md
	.venv-docs/bin/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

lock: ## Recompile requirements/*.txt with hashes, from the newest releases (needs uv: pip install uv)
	$(LOCK) --upgrade --extra dev --output-file requirements/dev.txt
	$(LOCK) --upgrade --extra docs --output-file requirements/docs.txt
	sed '/--hash=/d; s/ \\$$//' requirements/dev.txt > requirements/pins.tmp
	$(LOCK) --upgrade --constraints requirements/pins.tmp --output-file requirements/run.txt
	rm requirements/pins.tmp

versions: $(DEV) ## Quick tests on the oldest and the newest releases that are allowed (needs uv: pip install uv)
	$(BIN)/python -m tools.versions --oldest $(PYTHON) --newest $(NEWEST) --uv $(UV)

newer: $(DEV) ## Set up in a fresh copy from an index in which every pinned package has a newer release
	$(BIN)/python -m tools.newer_releases

clean: ## Remove environments, caches and built files
	rm -rf .venv .venv-docs .venv-oldest .venv-newest build dist docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage htmlcov
	find src tests docs benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(RUN): requirements/run.txt pyproject.toml
	@$(CHECK_PYTHON)
	@echo "Making .venv with what surefold needs to run (once, half a minute or so) ..."
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python $(FROM_LOCK) requirements/run.txt
	@$(BIN)/python $(OURSELVES)
	@$(BIN)/python -m pip --disable-pip-version-check check
	@touch $@

$(DEV): requirements/dev.txt $(RUN)
	@echo "Adding the tools of development to .venv (once, a minute or so) ..."
	@$(BIN)/python $(FROM_LOCK) requirements/dev.txt
	@$(BIN)/python -m pip --disable-pip-version-check check
	@touch $@

$(DOCS): requirements/docs.txt pyproject.toml
	@$(CHECK_PYTHON)
	@echo "Making .venv-docs (once, a minute or so) ..."
	@$(PYTHON) -m venv --clear .venv-docs
	@.venv-docs/bin/python $(FROM_LOCK) requirements/docs.txt
	@.venv-docs/bin/python $(OURSELVES)
	@.venv-docs/bin/python -m pip --disable-pip-version-check check
	@touch $@
