# Two commands matter: `make run` and `make test`. Each sets up all it needs.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory
SWIFT_BUILD := swift build --explicit-target-dependency-import-check error
# Arguments for the server: make run ARGS="--listen 127.0.0.1:9000"
ARGS ?=

.PHONY: help
help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: run
run: setup-build ## Build and start the server (ARGS="...": its flags)
	@echo "==> building the web app and the server"
	@web/build
	@swift build -c release
	@exec .build/release/monitor-server serve $(ARGS)

.PHONY: test
test: setup-test ## Run the tests and checks of a change (about 12 minutes on two cores, once it is built)
	@echo "==> building"
	@web/build
	@$(SWIFT_BUILD) --build-tests
	@scripts/side-by-side \
		"system tests: Tests/system/run --short" \
		"hook tests: Tests/hooks/run --short" \
		"agent tests: Tests/agent/run --short" \
		"push oracle tests: Tests/push-oracle/test_oracle.py" \
		"setup tests: Tests/setup/run" \
		"soak tests: Tests/soak/test_soak.py" \
		"checks: scripts/check --self-test && scripts/check"
	@echo "==> Swift tests"
	@scripts/with-test-postgres scripts/side-by-side \
		"Swift tests with databases: scripts/swift-tests --databases" \
		"Swift tests with sockets: scripts/swift-tests --sockets"
	@echo "==> the web app"
	@web/test
	@Tests/web/run --short

.PHONY: quick
quick: setup-test ## Build, and run the unit tests and a core of the system tests (a minute after a small change)
	@echo "==> building"
	@web/build
	@$(SWIFT_BUILD) --build-tests
	@scripts/side-by-side \
		"core of the system tests: Tests/system/run --core" \
		"unit tests: scripts/with-test-postgres scripts/swift-tests --units"

.PHONY: test-release
test-release: setup-release ## Run what takes long and what a release needs, after `make test` (about two hours; as root)
	@echo "==> building"
	@$(SWIFT_BUILD) --build-tests
	@$(SWIFT_BUILD) -c release --product RiskReader
	@echo "==> all tests of the server, the hooks, the agent and the web app"
	@web/build
	@scripts/side-by-side --limit 2400 \
		"system tests: Tests/system/run" \
		"hook tests: Tests/hooks/run" \
		"agent tests: Tests/agent/run"
	@Tests/web/run
	@echo "==> system tests that take long"
	@Tests/system/run --long --limit 1200
	@echo "==> the newest clients of OpenAI"
	@CLIENTS_NEWEST=$$(date +%F) Tests/system/run test_openai test_openai_others
	@echo "==> packages and container"
	@Tests/packaging/run
	@echo "==> behind HAProxy and nginx"
	@Tests/smuggling/proxies.py
	@echo "==> behind the proxies of deploy/proxies"
	@Tests/smuggling/examples.py
	@echo "==> the listener beside h11, ten minutes"
	@DIFFERENTIAL_SECONDS=600 TEST_LIMIT=1200 scripts/swift-tests ListenerTests
	@echo "==> 500 generated repositories"
	@GIT_REPOSITORIES=500 TEST_LIMIT=3600 scripts/swift-tests GitRunnerTests
	@echo "==> fuzzing, ten minutes"
	@Tests/fuzz/run all 600
	@echo "==> single tests on a busy machine, twenty minutes"
	@scripts/with-test-postgres Tests/soak/run --minutes 20
	@echo "==> random faults, ten minutes"
	@Tests/chaos/run --minutes 10

.PHONY: web
web: setup-build ## Build the web app alone; a running server shows it after a restart
	@web/build

.PHONY: screenshots
screenshots: setup-test ## Take the pictures of the web app in docs/screenshots
	@web/build
	@swift build
	@Tests/web/run --screenshots

.PHONY: test-claude
test-claude: setup-test ## Run hooks, server and web app with the real Claude Code CLI (opt-in: installs it from PyPI)
	@web/build
	@swift build
	@Tests/claude/run

.PHONY: fuzz-api
fuzz-api: setup-test ## Fuzz the HTTP interface by its description (opt-in: Schemathesis from PyPI; ARGS="--seed N")
	@swift build
	@Tests/schemathesis/run $(ARGS)

.PHONY: test-tsan test-asan
test-tsan: setup-test ## Run the Swift tests under ThreadSanitizer (ARGS="TARGET...")
	@Tests/sanitizers/run thread $(ARGS)

test-asan: setup-test ## Run the Swift tests under AddressSanitizer (ARGS="TARGET...")
	@Tests/sanitizers/run address $(ARGS)

# make fuzz TARGET=rpc SECONDS=600
TARGET ?= all
SECONDS ?= 60
.PHONY: fuzz
fuzz: setup-test ## Fuzz what parses bytes from outside (TARGET=all|NAME, SECONDS=60)
	@Tests/fuzz/run $(TARGET) $(SECONDS)

.PHONY: chaos
chaos: setup-test ## Random faults under load (ARGS="--minutes 10 --seed N")
	@swift build --product monitor-server
	@Tests/chaos/run $(ARGS)

# make soak MINUTES=60
MINUTES ?= 60
.PHONY: soak
soak: setup-soak ## Run single tests in random order on a busy machine, with a ledger (MINUTES=60, ARGS="--report")
	@web/build
	@$(SWIFT_BUILD) --build-tests
	@scripts/with-test-postgres Tests/soak/run --minutes $(MINUTES) $(ARGS)

.PHONY: bench
bench: setup-bench ## Measure (ARGS="--large 10000000": with ten million events stored, too)
	@web/build
	@swift build -c release
	@swift build -c release --package-path Benchmarks
	@Benchmarks/run $(ARGS)

.PHONY: dist
dist: setup-dist ## Make the release: a tarball and a Debian package, in dist/
	@scripts/dist

.PHONY: agent
agent: setup-build ## Build the machine's agent that the server of this folder offers to machines
	@scripts/build-agent .build/agent

.PHONY: check
check: setup-test ## Check structure, sizes, format and links of what is there
	@swift build --product monitor-server
	@scripts/check

.PHONY: format
format: ## Format all Swift files in place
	@git ls-files -z '*.swift' | xargs -0 swift format --in-place --

.PHONY: clean
clean: ## Remove what was built
	@rm -rf .build Benchmarks/.build dist web/dist

.PHONY: setup-build setup-test setup-bench setup-dist setup-soak setup-release
setup-build setup-test setup-bench setup-dist setup-soak setup-release: setup-%:
	@scripts/setup $*
