# Headwater. `make` alone lists what there is; everything runs from .venv, which `make setup` prepares.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast check test-long bench wheel docs lock clean

PYTHON ?= python3
UV_VERSION := 0.13.7
BIN := .venv/bin
STAMP := .venv/.setup-done

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## prepare .venv: locked dependencies and this project, skipped when nothing changed

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "setup: $(PYTHON) is older than Python 3.11" >&2; \
	  echo "hint: make setup PYTHON=python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	  echo "setup: this Python has no ensurepip, so it can't make .venv" >&2; \
	  echo "hint: apt-get install python3-venv" >&2; exit 1; }
	@echo "setup: virtual environment .venv"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "setup: uv $(UV_VERSION)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@echo "setup: dependencies of requirements.lock (the first time takes a minute or two: Spark is 450 MB)"
	@$(BIN)/uv pip install --python $(BIN)/python --compile-bytecode --require-hashes -r requirements.lock
	@echo "setup: headwater itself, editable"
	@$(BIN)/uv pip install --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@echo "setup: archive of Java classes, so that Spark starts faster"
	@$(BIN)/python -m headwater.execute.class_archive
	@touch $@
	@echo "setup: done; activate with: source $(BIN)/activate"

demo: setup ## a shop that changes for a minute and seven dynamic tables over it; verifies them at the end
	@$(BIN)/headwater demo

# Two processes, each with a Spark and a PostgreSQL of its own; whichever ends first takes over tests of the other.
# They start hundreds of Python processes, which would compile their imports each time without bytecode.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist worksteal

test: check ## check, then all tests but the long suites
	@$(PYTEST)

# What needs no server, no Java and no browser; the laws on fewer random plans.
test-fast: setup ## what needs neither Spark, PostgreSQL nor a browser
	@HEADWATER_PLANS=500 $(PYTEST) -m "not spark and not postgres and not browser and not slow"

check: setup ## formatting, lint, types, layering
	@$(BIN)/ruff format --check --output-format concise . || { echo "check: not formatted; run $(BIN)/ruff format ." >&2; exit 1; }
	@$(BIN)/ruff check --output-format concise .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

# The long suites: the same tests as in `make test`, many more times. Figures go to bench/results/.
LONG_histories := HEADWATER_LONG=1 HEADWATER_SEED=$${HEADWATER_SEED:-random} HEADWATER_HISTORIES=1000 $(BIN)/python -m pytest tests/differential/test_histories.py
LONG_crashes := HEADWATER_CRASHES=20 HEADWATER_WORKER_CRASHES=20 $(BIN)/python -m pytest tests/crash
LONG_graphs := HEADWATER_LONG=1 HEADWATER_SEED=$${HEADWATER_SEED:-random} HEADWATER_GRAPHS=$${HEADWATER_GRAPHS:-40} $(BIN)/python -m pytest tests/refresh/test_fresh.py
LONG_tpch := HEADWATER_LONG=1 HEADWATER_TPCH=$${HEADWATER_TPCH:-5} $(BIN)/python -m pytest tests/tpch
LONG_laws := export HEADWATER_SEED=$${HEADWATER_SEED:-20261115} HEADWATER_PLANS=$${HEADWATER_PLANS:-100000}; $(BIN)/python -m pytest -k '0 or 1 or 2 or 3 or 4' tests/laws/test_composed.py & half=$$!; $(BIN)/python -m pytest -p no:cacheprovider -k '5 or 6 or 7 or 8 or 9' tests/laws/test_composed.py && wait $$half
LONG_kept := export HEADWATER_SEED=$${HEADWATER_SEED:-20261115} HEADWATER_PLANS=$${HEADWATER_PLANS:-50000}; $(BIN)/python -m pytest -k '0 or 1' tests/laws/test_maintained.py & half=$$!; $(BIN)/python -m pytest -p no:cacheprovider -k '2 or 3' tests/laws/test_maintained.py && wait $$half
LONG_followed := HEADWATER_LONG=1 HEADWATER_SEED=$${HEADWATER_SEED:-random} HEADWATER_FOLLOWED=$${HEADWATER_FOLLOWED:-500} $(BIN)/python -m pytest tests/refresh/test_followed.py
LONG_restores := HEADWATER_SEED=$${HEADWATER_SEED:-random} HEADWATER_RESTORES=$${HEADWATER_RESTORES:-100} $(BIN)/python -m pytest tests/refresh/test_restore_random.py
LONG_simulation := export HEADWATER_SEED=$${HEADWATER_SEED:-20261115} HEADWATER_WORLDS=$${HEADWATER_WORLDS:-10000}; $(BIN)/python -m pytest -k '0 or 1' tests/simulation/test_simulation.py & half=$$!; $(BIN)/python -m pytest -p no:cacheprovider -k '2 or 3' tests/simulation/test_simulation.py && wait $$half
LONG_mutants := HEADWATER_MUTANTS=$${HEADWATER_MUTANTS:-200} $(BIN)/python -m pytest tests/simulation/test_mutants.py
LONG_kills := HEADWATER_SEED=$${HEADWATER_SEED:-random} HEADWATER_KILLS=$${HEADWATER_KILLS:-100} $(BIN)/python -m pytest -s tests/chaos/test_kills.py
LONG_together := HEADWATER_SEED=$${HEADWATER_SEED:-random} HEADWATER_TOGETHER=$${HEADWATER_TOGETHER:-600} $(BIN)/python -m pytest -s tests/chaos/test_together.py
LONG_soak := HEADWATER_SEED=$${HEADWATER_SEED:-random} HEADWATER_SOAK=$${HEADWATER_SOAK:-1200} $(BIN)/python -m pytest -s tests/chaos/test_soak.py
LONG_databases := HEADWATER_DATABASES=both $(BIN)/python -m pytest tests/refresh tests/service tests/stories -k 'sqlite or postgres'
LONG_restarts := HEADWATER_RESTARTS=30 $(BIN)/python -m pytest tests/faults/test_restarts.py
LONG_cuts := HEADWATER_CUTS=10 HEADWATER_STALLS=5,20,60 HEADWATER_SILENCE=30 $(BIN)/python -m pytest tests/faults/test_cut_off.py
LONG_beside := HEADWATER_BESIDE=$${HEADWATER_BESIDE:-60} $(BIN)/python -m pytest -s tests/store/test_beside_duckdb.py
LONG_pairs := HEADWATER_PAIRS=300 $(BIN)/python -m pytest tests/faults/test_two_workers.py

SUITES := histories crashes graphs laws kept tpch followed restores databases simulation mutants kills together soak restarts cuts pairs beside

test-long: setup ## one long suite: make test-long SUITE=name; without a name it says which there are
	@$(if $(LONG_$(SUITE)),:,echo "test-long: SUITE must be one of $(SUITES)" >&2; exit 2)
	$(LONG_$(SUITE))

bench: setup ## one benchmark: make bench NAME=name (bench/<name>.py); without NAME lists them
ifdef NAME
	@$(BIN)/python -m bench.$(NAME)
else
	@ls bench/*.py 2>/dev/null | sed 's|bench/\(.*\)\.py|\1|' || echo "bench: there is none yet"
endif

wheel: setup ## build the wheel into dist/
	@$(BIN)/python -m hatchling build --target wheel --directory dist

docs: setup ## write the pages that are generated from code
	@$(BIN)/python docs/write_errors.py
	@$(BIN)/python docs/write_cli.py
	@$(BIN)/python docs/write_incremental.py
	@$(BIN)/python docs/write_metrics.py
	@$(BIN)/python docs/write_properties.py
	@$(BIN)/python docs/write_settings.py

lock: setup ## pin the newest allowed dependencies, with hashes, into requirements.lock
	@$(BIN)/uv pip compile --quiet --upgrade --generate-hashes --no-header --no-emit-index-url pyproject.toml --group dev -o requirements.lock

clean: ## remove what tools leave behind; .venv stays
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .build dist
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
