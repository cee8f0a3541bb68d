# Two commands matter: `make demo` and `make test`. Both set everything up on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready-dev
DEMO_READY := $(VENV)/.ready
SEEDS ?= 1000

.PHONY: demo test lint simulate chaos bench constraints clean

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(DEMO_READY): pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(READY): pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@ $(DEMO_READY)

demo: $(DEMO_READY)
	SOLUTION_ARCHITECT_STATE=.state $(BIN)/solution-architect run examples/order-platform-migration.md --pre-approved

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadfile -q

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

simulate: $(READY)
	$(BIN)/python -m tests.simulation.run --seeds $(SEEDS)

chaos: $(READY)
	$(BIN)/python -m tests.chaos.run

bench: $(READY)
	$(BIN)/python -m tests.benchmarks.run

constraints: ## write the exact versions of this environment down
	$(BIN)/python -m tests.support.pin > constraints.txt

clean:
	rm -rf $(VENV) .state build dist *.egg-info
