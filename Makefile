# The same few commands for the hand and for CI. `make` alone lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
ARGS   ?=
N      ?= 100000
PRODUCT  := crawler dashboard fingerprinter matcher wenhen
# In the order in which they are collected, so that the long files come early and the short ones of tests/unit last.
PARALLEL := --dist loadfile --no-loadscope-reorder
CORES    := $(shell getconf _NPROCESSORS_ONLN)

# Modules are compiled once, and not anew by each of the processes that tests start.
test quick: export PYTHONDONTWRITEBYTECODE =

.PHONY: help setup demo up quick fuzz test image manuals check chaos soak audit sbom release site format bench lock clean

help:
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

setup: $(VENV)/ready ## a virtual environment with everything pinned, and a ready .venv/bin/wenhen

$(VENV)/ready: requirements-dev.lock pyproject.toml benchmarks/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 13))' || \
	  { echo "the lock fits Python 3.11 and 3.12, $(PYTHON) is another: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || \
	  { echo "Python's venv module is missing: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade "pip>=24.1"
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.lock
	$(BIN)/pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable . --editable ./benchmarks
	$(BIN)/python -m wenhen.runtime.processes.precompile
	@touch $@

demo: setup ## the whole chain on sample texts; ARGS=--once ends after the report
	$(BIN)/wenhen demo $(ARGS)

up: setup ## everything on this machine, until Ctrl-C
	$(BIN)/wenhen up $(ARGS)

quick: setup ## the tests that need no server and no browser
	$(BIN)/pytest --numprocesses $(CORES) $(PARALLEL) tests/unit $(ARGS)

test: setup ## all tests, on real servers; three processes more than there are cores, since many tests wait for others
	$(BIN)/pytest --numprocesses $$(($(CORES) + 3)) $(PARALLEL) $(ARGS)

image: setup ## build the image and run every service from it, without an engine; as root of a Linux machine
	WENHEN_TEST_IMAGE=1 $(BIN)/pytest -n 0 tests/image $(ARGS)

fuzz: setup ## strange bytes through everything that reads foreign ones; N=1000000 inputs
	$(BIN)/python -m benchmarks.fuzz $(N)

manuals: ## real sites for the tests to crawl: Debian's Chinese manuals, unpacked below out/
	rm -rf out/manuals && mkdir -p out/manuals
	cd out/manuals && apt-get download -qq debian-reference-zh-cn debian-faq-zh-cn maint-guide-zh-cn
	cd out/manuals && for package in *.deb; do dpkg-deb --extract "$$package" . || exit 1; done

check: setup ## lint, direction of imports, declared dependencies, types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/deptry $(PRODUCT)
	$(BIN)/deptry $(PRODUCT) benchmarks tests --optional-dependencies-dev-groups none
	$(BIN)/mypy

audit: setup ## known holes of the dependencies, where PyPI's database can be reached
	$(BIN)/python -I .ci/audit.py $(BIN)/pip-audit requirements.lock

sbom: setup ## what a release is made of, as CycloneDX in dist/sbom.cdx.json
	@mkdir -p dist
	$(BIN)/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible --output-format JSON \
	  --output-file dist/sbom.cdx.json requirements.lock

release: sbom ## wheel and sdist in dist/, checked, and the wheel tried in an empty environment
	rm -rf build dist/*.whl dist/*.tar.gz
	$(BIN)/pyproject-build --no-isolation --outdir dist .
	$(BIN)/twine check --strict dist/*.whl dist/*.tar.gz
	room=$$(mktemp -d) && trap 'rm -rf "$$room"' EXIT && wheel=$$(echo "$$PWD"/dist/*.whl) && locked="$$PWD/requirements.lock" && \
	  $(PYTHON) -m venv "$$room/venv" && cd "$$room" && \
	  venv/bin/pip install --quiet --disable-pip-version-check --upgrade "pip>=24.1" && \
	  venv/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement "$$locked" && \
	  venv/bin/pip install --quiet --disable-pip-version-check --no-deps "$$wheel" && \
	  venv/bin/pip check && venv/bin/wenhen --version

site: setup ## the documents as a site in out/site, with search in Chinese; a link that leads nowhere fails it
	$(BIN)/mkdocs build --quiet --strict --site-dir out/site

bench: setup ## benchmarks, as ratios in one run; ARGS=--json
	$(BIN)/wenhen bench letters $(ARGS)
	$(BIN)/wenhen bench extract $(ARGS)
	$(BIN)/wenhen bench index $(ARGS)
	$(BIN)/wenhen bench align $(ARGS)
	$(BIN)/wenhen bench scan $(ARGS)
	$(BIN)/wenhen bench crawl $(ARGS)
	$(BIN)/wenhen bench dashboard $(ARGS)
	$(BIN)/wenhen bench field $(ARGS)

chaos: setup ## everything that can die does, and nothing is lost; ARGS=--each, or the long run: ARGS="--kills 200"
	$(BIN)/python -m benchmarks.chaos $(ARGS)

soak: setup ## crawl, match, browse and export at once: memory, answers, queues; ARGS="--minutes 30"
	$(BIN)/python -m benchmarks.soak $(ARGS)

format: setup ## put the code into its form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

lock: setup ## pin the dependencies anew
	$(BIN)/pip install --quiet pip-tools
	$(BIN)/pip-compile $(LOCK) --extra build --extra bench --extra dev --extra client --extra notebook --extra embedded --extra browser --extra pdf --extra pictures --extra tracing --extra bulk --output-file requirements-dev.lock pyproject.toml
	$(BIN)/pip-compile $(LOCK) --extra build --extra embedded --extra browser --extra pdf --extra pictures --extra tracing --extra bulk --constraint requirements-dev.lock --output-file requirements.lock pyproject.toml

LOCK := --quiet --generate-hashes --allow-unsafe --strip-extras \
        --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

clean: ## remove what was made, not what was stored
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
