# `make demo` and `make test` set up what is missing and need nothing but Go,
# git (with its Perl) and make; see README.md. `make help` lists the rest.

export CGO_ENABLED = 0

LAB      := bin/lab
PACKAGES := ./cmd/... ./dsl/... ./labs/... ./clusters/... ./collectors/...
# What outlives a checkout.
CACHE     = $(or $(LAB_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/lab)
# What tests on real clusters run on stands in the table of versions.
TABLE     = go run ./clusters/versions/internal/table
VERSIONS  = $(shell $(TABLE) e2e)

.DEFAULT_GOAL := help
.PHONY: help build engine images test-images browser demo labs test-labs record matrix test check lint unit race e2e e2e-restart slowest fuzz bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build bin/lab
	@mkdir -p bin
	@echo "building $(LAB)"
	@go build -trimpath -o $(LAB) ./cmd/lab

engine: build ## Bring up a container engine where there is none
	@$(LAB) engine up --yes

images: engine ## Have the node images of the tested versions: pull or build
	@$(LAB) image build $(VERSIONS)

test-images: VERSIONS = $(shell $(TABLE) labs)
test-images: images ## Have the node images of the tests and of test-labs

# It is installed by apt where none is on the PATH and one is root.
browser: ## Have a headless browser for the tests of the HTML page
	@for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do \
	  command -v $$name >/dev/null && exit 0; done; \
	{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null; } || \
	  { echo "no Chromium is on the PATH: install it (Debian: apt-get install chromium)"; exit 1; }; \
	echo "installing chromium"; \
	{ apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core; } >/dev/null

demo: engine ## Run the lab job-sidecar on 1.27 and 1.28, with the gate off and on
	@$(LAB) run --cluster v127,v128,v128_on labs/catalog/job-sidecar

# The labs of the catalog: LABS="a b" and CLUSTERS=v127,v129 choose a part of them,
# PARALLEL is how many labs run at once, and CONCURRENCY how many clusters of each.
LABS        :=
CLUSTERS    :=
PARALLEL    := 1
CONCURRENCY := 5
BATCH        = go run ./labs/catalog/internal/batch -lab $(LAB) -parallel $(PARALLEL) -concurrency $(CONCURRENCY)

labs: engine ## Run all labs on all their clusters, less those that are not available
	@$(BATCH) -skip-unavailable -cluster "$(CLUSTERS)" run $(LABS)

# A version that is not available is a failure here.
TEST_CLUSTERS = $(shell $(TABLE) clusters)

# AGAIN=1 runs a lab that did not come out as expected once more, and says so.
AGAIN :=
# ORDER=need judges first the labs that changed, then those that failed the last
# time, then those not judged for longest. JUDGED keeps when each was judged.
ORDER  := given
JUDGED  = $(CACHE)/judged.json
# No lab begins after UNTIL, and those that still run at STOP are stopped: two
# times such as 2026-01-02T15:04:05Z.
UNTIL :=
STOP  :=
# Labs that need images which take long to build, such as LAB=IMAGE,LAB=IMAGE.
# They are judged only if the images are there.
NEEDS :=
JUDGE  = $(BATCH) $(if $(AGAIN),-again) -order $(ORDER) -judged $(JUDGED) $(if $(UNTIL),-until $(UNTIL)) \
  $(if $(STOP),-stop $(STOP)) $(if $(NEEDS),-needs $(NEEDS)) -cluster $(TEST_CLUSTERS) -o .lab/labs.json

# The tests have a pool of clusters of their own, which is gone with them. If
# TEST_POOL names a folder they share the pool in it, and it stays.
TEST_POOL :=
ENTER_POOL = if [ -n "$(TEST_POOL)" ]; then export LAB_POOL="$(TEST_POOL)"; else pool=$$(mktemp -d) && export LAB_POOL=$$pool/pool; fi
LEAVE_POOL = if [ -z "$(TEST_POOL)" ]; then $(LAB) down --all && rm -r $$pool; fi

test-labs: VERSIONS = $(shell $(TABLE) labs)
test-labs: images ## Run all labs on a choice of clusters; durations in .lab/labs.json
	@mkdir -p .lab; $(ENTER_POOL); $(JUDGE) run $(LABS); code=$$?; $(LEAVE_POOL) || code=1; exit $$code

record: engine ## Run the labs and keep what is recorded, for replay and the matrix
	@$(BATCH) -skip-unavailable -cluster "$(CLUSTERS)" record $(LABS); code=$$?; \
	$(BATCH) matrix && exit $$code

matrix: ## Write what the recordings of the labs say into labs/README.md
	@go run ./labs/catalog/internal/batch matrix

test: check unit e2e ## All tests, real clusters included

check: lint ## Formatting, vet, lint, and the figures of the sources
	@test -z "$$(gofmt -l cmd dsl labs clusters collectors)" || { echo "not formatted:"; gofmt -l cmd dsl labs clusters collectors; exit 1; }
	@echo "vetting"
	@go vet -tags e2e,restart $(PACKAGES)
	@go run ./cmd/lab/internal/house words
	@go run ./cmd/lab/internal/house figures

# The linter is compiled once for each version that .ci/tools/go.mod pins. That is
# a module of its own, which raises no dependency of this one.
lint: ## Lint by .golangci.yml
	@version=$$(awk '$$1 == "github.com/golangci/golangci-lint/v2" { print $$2 }' .ci/tools/go.mod); \
	lint=$(CACHE)/tools/golangci-lint-$$version-$$(go env GOVERSION); \
	if [ ! -x "$$lint" ]; then \
	  echo "compiling golangci-lint $$version, once"; mkdir -p $(CACHE)/tools && \
	  go build -C .ci/tools -trimpath -o "$$lint.part" github.com/golangci/golangci-lint/v2/cmd/golangci-lint && mv "$$lint.part" "$$lint" || exit 1; \
	fi; \
	echo "linting with golangci-lint $$version"; "$$lint" run $(PACKAGES)

unit: ## Tests that need no engine
	@mkdir -p .lab
	go tool gotestsum --format pkgname-and-test-fails --jsonfile .lab/unit.json -- $(PACKAGES)

# What starts a goroutine, outside of tests.
STARTS := \<go (func\>|[[:alnum:]_.]+\()|\.Go\(|time\.AfterFunc\(

# The detector makes tests several times slower: one that fails is run once more. A
# data race is a failure all the same. A program with the detector sleeps for a second
# at its end by default, and the tests of clusters/engine start many.
race: ## Tests with the race detector, of the packages that start goroutines
	@command -v $$(go env CC) >/dev/null || { \
	  echo "the race detector needs a C compiler, and there is no $$(go env CC): install one (Debian: apt-get install gcc libc6-dev)"; exit 1; }
	@mkdir -p .lab
	@packages=$$(grep -rlE --include='*.go' --exclude='*_test.go' --exclude-dir=testdata '$(STARTS)' cmd dsl labs clusters collectors | \
	  xargs -n 1 dirname | sort -u | sed 's,^,./,'); \
	CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 go tool gotestsum --format pkgname-and-test-fails --jsonfile .lab/race.json --rerun-fails=1 --rerun-fails-max-failures 5 \
	  --packages "$$(echo $$packages)" -- -race -timeout 10m; code=$$?; \
	if grep -q 'WARNING: DATA RACE' .lab/race.json; then echo "there is a data race: see above"; code=1; fi; exit $$code

# Packages with end-to-end tests run one at a time: they share the machine. Of one
# package four tests may run at once.
E2E = ./clusters/engine ./clusters/kind ./clusters/nodeimage/... ./clusters/podimage ./cmd/lab ./labs/labtest/... ./labs/report/html

# A test that fails is run once more, alone, as others on the machine can be in its
# way. What was run again, and how it went, stands at the end of the output.
AGAIN_REPORT = .lab/e2e-again.txt

# LAB_TEST_EVERY_POINT=1 breaks runs off at every point that is known and not at a
# choice of them, LAB_TEST_SOAK_RUNS is how many runs share the pool's clusters.
e2e: images browser ## Tests on real engines and clusters
	@mkdir -p .lab; rm -f $(AGAIN_REPORT); $(ENTER_POOL); \
	go tool gotestsum --format standard-verbose --jsonfile .lab/e2e.json --rerun-fails=1 --rerun-fails-max-failures 5 \
	  --rerun-fails-report $(AGAIN_REPORT) --packages "$(E2E)" \
	  -- -tags e2e -count 1 -p 1 -parallel 4 -timeout 45m; code=$$?; \
	$(LEAVE_POOL) || code=1; \
	if [ -s $(AGAIN_REPORT) ]; then echo "failed, and run again:"; cat $(AGAIN_REPORT); fi; exit $$code

# It ends all clusters of the machine, those that wait in a pool included. So it is
# for machines that are for tests alone, after all other tests.
e2e-restart: images ## The end-to-end test that restarts the container engine
	go test -tags e2e,restart -count 1 -v -timeout 10m -run '^TestTheEngineIsRestarted$$' ./cmd/lab

slowest: ## The ten slowest tests of the last make unit, race and e2e
	@cat $(wildcard .lab/unit.json .lab/race.json .lab/e2e.json) /dev/null | go tool gotestsum tool slowest --num 10

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
