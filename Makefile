# `make demo` and `make test` set up what is missing and need nothing but Go,
# git (with its Perl) and make; see README.md. `make help` lists the rest.

export CGO_ENABLED = 0

LAB      := bin/lab
comma    := ,
PACKAGES := ./cmd/... ./dsl/... ./labs/... ./clusters/... ./collectors/...
# The versions that the end-to-end tests run on.
VERSIONS := 1.27 1.28 1.29

.DEFAULT_GOAL := help
.PHONY: help build engine images browser demo labs test-labs record matrix test check unit e2e fuzz bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build bin/lab
	@mkdir -p bin
	@echo "building $(LAB)"
	@go build -trimpath -o $(LAB) ./cmd/lab

engine: build ## Bring up a container engine where there is none
	@$(LAB) engine up -yes

images: engine ## Have the node images of the tested versions: pull or build
	@$(LAB) image build $(VERSIONS)

# It is installed by apt where none is on the PATH and one is root.
browser: ## Have a headless browser for the tests of the HTML page
	@for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do \
	  command -v $$name >/dev/null && exit 0; done; \
	{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null; } || \
	  { echo "no Chromium is on the PATH: install it (Debian: apt-get install chromium)"; exit 1; }; \
	echo "installing chromium"; \
	{ apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core; } >/dev/null

demo: engine ## Run the lab job-sidecar on 1.27 and 1.28, with the gate off and on
	@$(LAB) run -cluster v127,v128,v128_on labs/catalog/job-sidecar

# The labs of the catalog: LABS="a b" and CLUSTERS=v127,v129 choose a part of them,
# PARALLEL is how many labs run at once, and CONCURRENCY how many clusters of each.
LABS        :=
CLUSTERS    :=
PARALLEL    := 1
CONCURRENCY := 5
BATCH        = go run ./labs/catalog/internal/batch -lab $(LAB) -parallel $(PARALLEL) -concurrency $(CONCURRENCY)

labs: engine ## Run all labs on all their clusters, less those that cannot be had
	@$(BATCH) -skip-unavailable -cluster "$(CLUSTERS)" run $(LABS)

# A version that cannot be had is a failure here.
TEST_CLUSTERS := v127,v128,v128_on,v129,v137

# AGAIN=1 runs a lab that did not come out as expected once more, and says so.
AGAIN :=

test-labs: VERSIONS += 1.37
test-labs: images ## Run all labs on a choice of clusters; durations in .lab/labs.json
	@mkdir -p .lab; pool=$$(mktemp -d) && export LAB_POOL=$$pool/pool; \
	$(BATCH) $(if $(AGAIN),-again) -cluster $(TEST_CLUSTERS) -o .lab/labs.json run $(LABS); code=$$?; \
	$(LAB) down -all && rm -r $$pool && exit $$code

record: engine ## Run the labs and keep what is recorded, for replay and the matrix
	@$(BATCH) -skip-unavailable -cluster "$(CLUSTERS)" record $(LABS); code=$$?; \
	$(BATCH) matrix && exit $$code

matrix: ## Write what the recordings of the labs say into labs/README.md
	@go run ./labs/catalog/internal/batch matrix

test: check unit e2e ## All tests, real clusters included

check: ## Formatting and vet
	@test -z "$$(gofmt -l cmd dsl labs clusters collectors)" || { echo "not formatted:"; gofmt -l cmd dsl labs clusters collectors; exit 1; }
	@echo "vetting"
	@go vet -tags e2e,restart $(PACKAGES)

unit: ## Tests that need no engine
	go test $(PACKAGES)

# Packages with end-to-end tests run one at a time: they share the machine. Of one
# package four clusters may be up at once. They have a pool of clusters of their
# own, which is gone with them.
E2E = ./clusters/engine ./clusters/kind ./clusters/nodeimage ./cmd/lab ./labs/labtest/... ./labs/report/html

# LAB_TEST_EVERY_POINT=1 breaks runs off at every point that is known and not at a
# choice of them, LAB_TEST_SOAK_RUNS is how many runs share the pool's clusters.
# Where the machine is for tests alone they may restart its container engine.
RESTART := $(if $(LAB_TEST_RESTART_ENGINE),$(comma)restart)

# A test that fails is run once more, alone, as others on the machine can be in its
# way. What was run again, and how it went, stands at the end of the output.
AGAIN_REPORT = .lab/e2e-again.txt

e2e: images browser ## Tests on real engines and clusters
	@mkdir -p .lab; rm -f $(AGAIN_REPORT); pool=$$(mktemp -d) && export LAB_POOL=$$pool/pool; \
	go tool gotestsum --format standard-verbose --rerun-fails=1 --rerun-fails-max-failures 5 \
	  --rerun-fails-report $(AGAIN_REPORT) --packages "$(E2E)" \
	  -- -tags e2e$(RESTART) -count 1 -p 1 -parallel 4 -timeout 55m; code=$$?; \
	{ $(LAB) down -all && rm -r $$pool; } || code=$$?; \
	if [ -s $(AGAIN_REPORT) ]; then echo "failed, and run again:"; cat $(AGAIN_REPORT); fi; exit $$code

fuzz: ## Fuzz every fuzz target for a while (FUZZTIME=1m)
	@for package in $$(go list $(PACKAGES)); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    echo "== $$package $$target"; go test $$package -run '^$$' -fuzz "^$$target\$$" -fuzztime $${FUZZTIME:-1m} || exit 1; \
	  done; \
	done

bench: ## Benchmarks
	go test -run '^$$' -bench . -benchmem $(PACKAGES)

clean: ## Remove what was built here (not the images: lab image prune)
	rm -rf bin
