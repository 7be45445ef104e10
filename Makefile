# Every target prints what it does. `make demo` and `make test` set up all they need.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
# Bytecode is worth keeping: without it every start compiles the libraries again.
export PYTHONDONTWRITEBYTECODE :=
BIN := $(VENV)/bin
TITANIC := examples/titanic/titanic.csv

.DEFAULT_GOAL := help
.PHONY: help demo test run up check gvisor compose lint fast docker image bot-image venv tokens tasks bench-sandbox bench-telegram bench-profile gallery lock clean

help: ## these lines
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/ready image ## the whole line on the bundled sample: a CSV becomes a deck
	@$(BIN)/python -m bot ask $(TITANIC) "Explore this data and make a deck with charts: who survived?" --out build/demo --yes

run: $(VENV)/ready image ## start the bot
	@$(BIN)/python -m bot run

up: docker $(VENV)/ready ## bot and sandbox service with Docker Compose, from .env
	@bash deploy/up.sh

test: $(VENV)/ready-dev image ## all tests, those that need Docker included
	@$(BIN)/python -m pytest -n auto --dist loadfile

check: $(VENV)/ready-dev lint fast ## lint, types, import rules and the fast tests

gvisor: $(VENV)/ready-dev image ## what sandboxes promise, over gVisor, which it installs
	@sh deploy/gvisor.sh
	@$(BIN)/python -m pytest -m gvisor

compose: $(VENV)/ready-dev image ## prove the Compose file: a bot on a Bot API server of ours delivers a deck
	@bash deploy/prove-compose.sh

lint: $(VENV)/ready-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

fast: $(VENV)/ready-dev
	$(BIN)/python -m pytest -n auto --dist loadfile -m "not docker and not slow"

docker: ## start a Docker engine unless one answers
	@bash deploy/engine.sh

image: docker $(VENV)/ready ## build the sandbox image, and the one for previews, unless they are there
	@bash deploy/sandbox/image.sh
	@bash deploy/render/image.sh

bot-image: docker ## build the image of the bot and of the sandbox service
	@bash deploy/bot/image.sh

venv: $(VENV)/ready ## the Python environment that deckhand runs in

tokens: $(VENV)/ready-dev image ## replay the recorded runs, count their tokens into build/bench/tokens.json
	@$(BIN)/python -m tests.replay

tasks: $(VENV)/ready-dev image ## do the ten tasks, check what came out into build/bench/tasks.json (ten minutes)
	@$(BIN)/python -m tests.tasks

bench-sandbox: $(VENV)/ready-dev image ## measure the sandbox beside its peers into build/bench (a quarter of an hour; BENCH_N=3 for a look)
	@$(BIN)/python -m tests.bench.sandbox

bench-telegram: $(VENV)/ready-dev image ## a hundred chats at once, into build/bench (some minutes; BENCH_CHATS=10 for a look)
	@$(BIN)/python -m tests.bench.telegram

bench-profile: $(VENV)/ready-dev ## a profile beside pandas, and of 500 MB, into build/bench (a minute)
	@$(BIN)/python -m tests.bench.profile

gallery: $(VENV)/ready-dev image ## the README's pictures, of what the product makes now
	@$(BIN)/python -m tests.gallery

$(VENV)/ready: requirements.lock
	@bash deploy/venv.sh $(PYTHON) $(VENV) requirements.lock && touch $@

$(VENV)/ready-dev: requirements-dev.lock
	@bash deploy/venv.sh $(PYTHON) $(VENV) requirements-dev.lock && touch $(VENV)/ready $@

lock: ## renew the lock files (needs uv)
	bash deploy/lock.sh

clean: ## remove what was built here; data/ stays
	rm -rf build $(VENV) .pytest_cache .ruff_cache
