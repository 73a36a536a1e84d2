# Verbs of select_loop; `make help` lists them.
#
#   PG_CONFIG   the pg_config of the server to build for and run (default: on PATH, else Debian's newest)
#   ARGS        passed on: make run ARGS="simple prepared rescan", make test ARGS="private"

SHELL := /bin/bash

# a PG_CONFIG given by hand is a server of the caller's own: nothing but libclang is installed for it; an empty one is none
PG_CONFIG_GIVEN := $(strip $(PG_CONFIG))
ifeq ($(PG_CONFIG_GIVEN),)
# looked up when a recipe needs it: `deps` may have installed it just before
override PG_CONFIG = $(shell tools/pg-config)
endif
TARGET := $(or $(CARGO_TARGET_DIR),target)
ARGS ?=

.PHONY: help deps build driver extension run test check bench calibrate install man clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install what is missing: server, headers, libclang (apt, by sudo where not root)
	@tools/deps $(if $(PG_CONFIG_GIVEN),"$(PG_CONFIG)")

build: driver extension ## build sps, and the extension into target/pg<major>/

driver:
	cargo build --release --locked

extension:
	@tools/stage "$(PG_CONFIG)" "$(TARGET)"

run: deps build ## compare simple, prepared and plpgsql on a private server; ARGS="…" goes to sps compare
	PG_CONFIG="$(PG_CONFIG)" $(TARGET)/release/sps compare --private $(ARGS)

test: deps extension ## all tests, on a private server of their own; ARGS="…" goes to the test runner
	@PG_CONFIG="$(PG_CONFIG)" tests/run $(ARGS)

check: ## formatting, lints, and the tests that need no server
	cargo fmt --all --check
	cargo clippy --locked --all-targets -p sps -p select_loop_keys -- -D warnings
	$(if $(PG_CONFIG),tools/cargo-extension "$(PG_CONFIG)" "$(TARGET)" clippy -- -D warnings,@echo "no PostgreSQL headers: the extension is not linted (make deps)")
	cargo test --locked --quiet -p select_loop_keys
	cargo test --locked --quiet -p sps --lib --test no_server

bench: deps build ## the speed targets, as ratios within one run each, and how soon layers stop; ten minutes on an idle machine
	@tools/bench "$(PG_CONFIG)" "$(TARGET)"

install: deps extension ## install the extension for PG_CONFIG's server: CREATE EXTENSION select_loop
	@tools/install "$(PG_CONFIG)" "$(TARGET)"

man: driver ## manual pages and shell completions, into target/man and target/completions
	@tools/man "$(TARGET)"

calibrate: deps build ## 100 brief comparisons of an arm with itself: how many call it different; a quarter of an hour on an idle machine
	@tools/calibrate "$(PG_CONFIG)" "$(TARGET)/release/sps"

clean: ## remove what was built
	cargo clean
