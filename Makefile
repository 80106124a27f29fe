# The same few commands for the hand and for CI. `make` alone lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
ARGS   ?=
N      ?= 100000

.PHONY: help setup demo up quick fuzz test manuals check format bench lock clean

help:
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

setup: $(VENV)/ready ## a virtual environment with everything pinned, and a ready .venv/bin/wenhen

$(VENV)/ready: requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "wenhen needs Python 3.11 or newer, $(PYTHON) is older: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || \
	  { echo "Python's venv module is missing: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade "pip>=24.1"
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.lock
	$(BIN)/pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m wenhen.processes.warm
	@touch $@

demo: setup ## the whole chain on sample texts; ARGS=--once ends after the report
	$(BIN)/wenhen demo $(ARGS)

up: setup ## everything on this machine, until Ctrl-C
	$(BIN)/wenhen up $(ARGS)

quick: setup ## the tests that need no server and no browser
	$(BIN)/pytest --numprocesses auto --dist loadfile tests/unit $(ARGS)

fuzz: setup ## strange bytes through everything that reads foreign ones; N=1000000 inputs
	$(BIN)/python -m lab.fuzz $(N)

test: setup ## all tests, on real servers
	$(BIN)/pytest --numprocesses auto --dist loadfile $(ARGS)

manuals: ## real sites for the tests to crawl: Debian's Chinese manuals, unpacked below out/
	rm -rf out/manuals && mkdir -p out/manuals
	cd out/manuals && apt-get download -qq debian-reference-zh-cn debian-faq-zh-cn maint-guide-zh-cn
	cd out/manuals && for package in *.deb; do dpkg-deb --extract "$$package" . || exit 1; done

check: setup ## lint, direction of imports, types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/mypy

bench: setup ## benchmarks, as ratios in one run; ARGS=--json
	$(BIN)/wenhen bench letters $(ARGS)
	$(BIN)/wenhen bench index $(ARGS)
	$(BIN)/wenhen bench align $(ARGS)
	$(BIN)/wenhen bench scan $(ARGS)
	$(BIN)/wenhen bench crawl $(ARGS)
	$(BIN)/wenhen bench dashboard $(ARGS)

format: setup ## put the code into its form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

lock: setup ## pin the dependencies anew
	$(BIN)/pip install --quiet pip-tools
	$(BIN)/pip-compile $(LOCK) --extra build --extra bench --extra dev --extra embedded --extra browser --extra tracing --output-file requirements-dev.lock pyproject.toml
	$(BIN)/pip-compile $(LOCK) --extra build --extra embedded --extra browser --extra tracing --constraint requirements-dev.lock --output-file requirements.lock pyproject.toml

LOCK := --quiet --generate-hashes --allow-unsafe --strip-extras \
        --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

clean: ## remove what was made, not what was stored
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
