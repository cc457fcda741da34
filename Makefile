# All commands for development and CI. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
BUILD := swift build
# The same options everywhere, so that the package is not compiled again for each target.
CLIENT_OPTIONS := -Xswiftc -warnings-as-errors

# The time limit of Scripts/run-tests is for the ordinary tests.
crash agreement api-fuzz end-to-end: export TEST_MINUTES ?= 1440

# Swift builds one at a time anyway, and the order of a target's prerequisites matters.
.NOTPARALLEL:

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: demo
demo: system-packages ## Build the command and watch a server keep 200 customers' purchases through an outage
	$(BUILD) --product counterfoil
	.build/debug/counterfoil demo

.PHONY: tour
tour: system-packages ## Build the command and show the libraries at work: forgeries, receipts, timings
	$(BUILD) --product counterfoil
	.build/debug/counterfoil tour $(wildcard ../shared/fixtures)

.PHONY: test
test: ## Run what CI runs: checks of the sources, all builds and tests, documentation, client package, browser tests
	Scripts/install-system-packages tests browser
	Scripts/install-python-packages interop Tests/Interop/requirements.txt
	Scripts/check-format
	Scripts/check-imports
	Scripts/mutants --check
	$(BUILD) --build-tests --explicit-target-dependency-import-check error
	COUNTERFOIL_INTEROP=required Scripts/run-tests
	$(MAKE) test-memory TEST='(Webhook|Recovery|Restore|Claim|Grant|Consumption|Erasure|Merge)'
	Scripts/build-docs
	Scripts/check-dependents
	Scripts/check-fuzz
	Scripts/check-optimized
	$(MAKE) client-test check-storekit console-test

.PHONY: console-test
console-test: browser ## Test the console's pages in a browser: journeys, accessibility, hostile texts; TEST=part of a name
	.build/console-venv/bin/python Tests/Console/run.py $(TEST)

.PHONY: console-streams
console-streams: ## Hold 64 open pages for ten minutes while notifications arrive (long)
	CONSOLE_LONG=1 $(MAKE) console-test TEST=streams_for_ten_minutes

.PHONY: pictures
pictures: browser ## Make the screenshots in README again, from the running demo
	.build/console-venv/bin/python Tests/Console/pictures.py

.PHONY: client-test
client-test: system-packages ## Build and test Client/, the package for apps, and simulate HISTORIES=100000 random histories of it
	$(BUILD) --product counterfoil
	cd Client && $(BUILD) --build-tests $(CLIENT_OPTIONS) \
		&& COUNTERFOIL_END_TO_END=required ../Scripts/run-tests $(CLIENT_OPTIONS)
	cd Client && $(BUILD) -c release --product client-histories && .build/release/client-histories $(or $(HISTORIES),100000)
	Scripts/check-client-size

.PHONY: end-to-end
end-to-end: system-packages ## Simulate HISTORIES=200 random histories of two customers' devices with a store and a server, from SEED=1 on (long)
	$(BUILD) --product counterfoil
	cd Client && $(BUILD) --build-tests $(CLIENT_OPTIONS) \
		&& COUNTERFOIL_END_TO_END=required CLIENT_END_TO_END_HISTORIES=$(or $(HISTORIES),200) \
		CLIENT_END_TO_END_SEED=$(or $(SEED),1) ../Scripts/run-tests $(CLIENT_OPTIONS) --filter 'EndToEndTests.*(Thirteen months|From the same facts)'

.PHONY: check-storekit
check-storekit: system-packages ## Check the StoreKit adapter against the documented declarations, and test the check with changed ones
	Scripts/check-storekit --self-test

.PHONY: check-alerts
check-alerts: ## Check the alert rules and the dashboard, with promtool (taken from Debian's package)
	Scripts/check-alerts

.PHONY: format
format: ## Format all sources
	@swift format --version >/dev/null 2>&1 || \
		{ echo "swift-format is missing: it is part of the Swift toolchain, in the compiler's folder" >&2; exit 2; }
	git ls-files -z --cached --others --exclude-standard '*.swift' | xargs -0 swift format --in-place --parallel

.PHONY: bench
bench: system-packages ## Measure the speed compared with raw cryptography; prints one JSON object a line
	@Scripts/build-static counterfoil-benchmarks 1>&2
	@.build/release/counterfoil-benchmarks
	@.build/release/counterfoil-benchmarks server
	@.build/release/counterfoil-benchmarks scale

.PHONY: bench-outbox
bench-outbox: system-packages ## Measure how long commits wait during webhook operations on EVENTS=10000000 events
	@Scripts/build-static counterfoil-benchmarks 1>&2
	@.build/release/counterfoil-benchmarks outbox $(or $(EVENTS),10000000)

.PHONY: crash
crash: system-packages ## Kill the server under load, CRASHES=100 times, and check that nothing was lost
	$(BUILD) --build-tests
	COUNTERFOIL_CRASHES=$(or $(CRASHES),100) Scripts/run-tests --filter "A server that is killed"

.PHONY: install
install: ## Install dist/counterfoil (after make release) or a new build, with manual page and completions; PREFIX, DESTDIR
	@test -x dist/counterfoil || { Scripts/install-system-packages && $(BUILD) -c release --product counterfoil; }
	@if [ -x dist/counterfoil ] && [ -n "$$(find Sources Package.swift -newer dist/counterfoil | head -n 1)" ]; then \
		echo "dist/counterfoil is older than the sources: run make release to build it again" >&2; fi
	@Scripts/install $(if $(wildcard dist/counterfoil),dist/counterfoil,.build/release/counterfoil) $(or $(PREFIX),/usr/local)

.PHONY: release
release: system-packages ## Build one binary for servers, dist/counterfoil, from the versions in Packaging/versions.txt
	Scripts/build-release

.PHONY: check-release
check-release: ## Run dist/counterfoil in a minimal Debian without Swift (as root; after make release)
	Scripts/check-release

.PHONY: test-memory
test-memory: system-packages ## Run the tests of the server on the ledger in memory instead of SQLite; TEST=part of a name
	$(BUILD) --build-tests
	COUNTERFOIL_ENGINE=memory Scripts/run-tests --filter 'CounterfoilServerTests.*$(TEST)' \
		--skip "$$(ls Tests/CounterfoilServerTests/LedgerSQLite | sed 's/+/\\+/' | paste -sd '|')"

.PHONY: agreement
agreement: system-packages ## Simulate 200 random histories of a store, and check that server and simulator agree (long)
	$(BUILD) --build-tests
	COUNTERFOIL_AGREEMENT=1-200 Scripts/run-tests --filter 'Server and simulator agree|Nothing is missing'

.PHONY: api-fuzz
api-fuzz: system-packages ## Fuzz every route of the server with schemathesis; API_FUZZ_EXAMPLES=200 each
	Scripts/install-python-packages api-fuzz Tests/Interop/requirements-api-fuzz.txt
	$(BUILD) --build-tests
	COUNTERFOIL_API_FUZZ=$(or $(API_FUZZ_EXAMPLES),200) Scripts/run-tests --filter 'CounterfoilServerTests.*FuzzTests'

.PHONY: mutants
mutants: system-packages ## Disable each check in turn and expect a failing test (long)
	Scripts/mutants

.PHONY: harness-mutants
harness-mutants: system-packages ## Disable checks that random histories of the client or end-to-end tests have to detect (long)
	$(BUILD) --product counterfoil
	Scripts/mutants --by histories
	Scripts/mutants --by end-to-end

.PHONY: fuzz
fuzz: system-packages ## Fuzz every parser; FUZZ_SECONDS=60 each, FUZZ_TARGET=name for one
	Fuzz/run

.PHONY: oldest
oldest: system-packages ## Build a dependent with the oldest swift-crypto that is supported
	Scripts/check-dependents --oldest

.PHONY: docs
docs: system-packages ## Build the documentation of the libraries; a broken link is an error
	Scripts/build-docs

.PHONY: system-packages
system-packages:
	@Scripts/install-system-packages

.PHONY: browser
browser:
	Scripts/install-system-packages browser
	Scripts/install-python-packages console Tests/Console/requirements.txt
	@# Ubuntu has Chromium only as a snap.
	@test -x /usr/bin/chromium || .build/console-venv/bin/playwright install --with-deps chromium
	$(BUILD) --product counterfoil
