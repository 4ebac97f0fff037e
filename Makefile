# mom: every task a developer or a CI machine has, each in one word. `make help` lists them.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
NFPM        := github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2
CYCLONEDX   := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
GOLANGCI    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

PKG     ?= ./...
BENCH   ?= .
FUZZTIME ?= 20s
TAG     ?= mom:latest
MINION_TAG ?= mom-minion:latest
BASE    ?= debian:12-slim
ARGS    ?=
VERSION ?= 0.0.0-git$(shell git show -s --format=%cd --date=format:%Y%m%d%H%M%S HEAD 2>/dev/null)
ARCH    ?= $(shell $(GO) env GOARCH)
# Who builds a package answers for it, as Debian's tools name whom.
MAINTAINER ?= $(or $(DEBFULLNAME),$(shell id -un)) <$(or $(DEBEMAIL),$(shell id -un)@$(shell hostname))>
SEEDS   ?= 20000
BROKEN  ?= 200
ROUNDS  ?= 200
SEED    ?= 1
KILLS   ?= 50
SALT    ?= 0
ONLY    ?=
FORMULAS ?=
PROMTOOL ?= promtool
SHAPE   ?= all
RUNS    ?= 1
HOURS   ?= 2
POINTS  ?= 1000

# The names by which the binary answers as one of Salt's commands.
NAMES := salt salt-api salt-call salt-cp salt-key salt-master salt-minion salt-run salt-syndic

# A version that is asked for is what the binary says; without one it comes from git.
STAMP = $(if $(filter command,$(firstword $(origin VERSION))),-ldflags '-X main.stamped=$(VERSION)')

# What deploy/release and deploy/packages need.
PACKING = NAMES='mom $(NAMES)' MAINTAINER='$(MAINTAINER)' NFPM='$(GO) run $(NFPM)' CYCLONEDX='$(GO) run $(CYCLONEDX)'

# momlab plays, breaks and measures trees (lab/); its commands are called in this folder.
LAB = $(GO) -C lab build -o ../build/momlab ./momlab && build/momlab

# Where the binary is built for, beside the system at hand; README.md says what of it is tested.
SYSTEMS ?= linux/arm64 darwin/arm64 freebsd/amd64 openbsd/amd64 netbsd/amd64 windows/amd64

.PHONY: help build momlab test slow chaos galera power interop matrix upstream sim sabotage hostile mutants scale soak load fileload bench returns screenshots figures lint systems alerts fuzz image packages packagetest release release-check demo deps clean formulas

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

build: ## build/mom, a static binary; its version comes from git through the build info, or is VERSION=1.2.3
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=auto $(STAMP) -o build/mom ./mom

momlab: ## build/momlab, which simulates, breaks and measures trees (lab/)
	$(GO) -C lab build -o ../build/momlab ./momlab

test: deps ## all tests with the race detector; fails on a skipped test too (PKG=./internal/... for some)
	.ci/test $(PKG)

slow: deps ## tests at their large size (build tag slow): before a release, and after a change to what they test (PKG=./salt/render)
	.ci/test slow $(PKG)

formulas: ## public formulas and sites compiled by our minion and by Salt's, as a table: SALT_PEER=DIR FORMULAS=DIR SITES=DIR (ARGS='--only nginx,redis --apply'; ARGS=--list)
	@$(LAB) formulas --formulas '$(FORMULAS)' --sites '$(SITES)' $(ARGS)

chaos: deps ## break a tree of real processes by seed and check it: ROUNDS=200 SEED=1 (docs/design/chaos.md; ARGS='--keep-going -v')
	$(LAB) chaos --rounds $(ROUNDS) --seed $(SEED) $(ARGS)

galera: deps ## break a Galera cluster of three while mom writes jobs to it, and compare every row: KILLS=50 SEED=1 (docs/guide/deploy/mysql.md; ARGS='--rate 100')
	$(LAB) galera --kills $(KILLS) --seed $(SEED) $(ARGS)

power: ## take the power from a tree of real processes and see what it has promised: POINTS=1000 SEED=1 (docs/design/power.md)
	$(GO) -C lab test -count=1 -timeout 60m -v -run 'TestPower$$' ./power -args -points $(POINTS) -seed $(SEED)

interop: ## against an installed Salt: SALT_PEER=DIR with DIR/bin/salt-master and the others, SALT_PEER3=DIR for one of protocol 3, SALT_PEER8=DIR for 3008 (ARGS='-run Syndic')
	$(GO) -C lab test -tags saltpeer -count=1 -timeout 120m -v $(ARGS) ./interop

matrix: ## every pair of daemons of ours and of three installed Salts; writes docs/reference/compatibility.md: SALT_PEER=DIR SALT_PEER3=DIR SALT_PEER8=DIR (ARGS="--only 'mom - Salt 3006'")
	$(LAB) matrix $(ARGS)

upstream: ## Salt's own test suites against this program; writes docs/reference/upstream.md: SALT_PEER=DIR SALT_TESTS=DIR SALT_FACTORIES=DIR, SALT_PEER8=DIR for 3008 below (ARGS="--suite cli --cast 'all mom'")
	$(LAB) upstream $(ARGS)

sim: ## random trees with random faults in virtual time against a flat master: SEEDS=20000 SEED=1 SALT=0; prints the seed of a failure
	$(GO) -C lab test -count=1 -timeout 240m ./sim -run 'TestPromisesHold|TestRowsOfAFlatMaster|TestMoversAreWaitedFor' -args -seed $(SEED) -seeds $(SEEDS) -salt $(SALT)

sabotage: ## one act of each kind dropped, doubled and delayed in the simulator: BROKEN=200 SEED=1; each is noticed or borne (docs/design/simulator.md)
	$(GO) -C lab test -count=1 -timeout 240m ./sim -run 'TestSabotage' -args -seed $(SEED) -broken $(BROKEN)

hostile: ## random users try to get further than their rules allow, over three tiers: SEEDS=20000 SEED=1; prints the seed of a failure
	$(GO) test -count=1 -timeout 60m -v ./test/hostile -run 'TestHostileUser$$' -args -seeds $(SEEDS) -seed $(SEED)

mutants: ## remove each protection in turn: its test must fail (ONLY=cve for some; lab/mutants)
	$(LAB) mutants --only '$(ONLY)'

scale: ## trees of real processes with 2,000 to 10,000 minions, checked: SHAPE=2k RUNS=5; SHAPE=100k (docs/guide/swarm.md; ARGS='--json FILE --keep')
	$(LAB) scale --shape $(SHAPE) --runs $(RUNS) $(ARGS)

soak: ## a tree of three tiers with 2,000 minions under load for hours, a node killed every ten minutes; nothing may grow or be lost: HOURS=2 (ARGS='--every 2s --json FILE')
	$(LAB) soak --hours $(HOURS) $(ARGS)

load: ## clients and streams on the REST API of a real master, with an account: 100 clients, 1,000 streams (ARGS='--clients 20 --requests 200')
	$(LAB) load $(ARGS)

fileload: ## 2,000 minions fetch 10 MiB at once from a real master, with an account; of Salt with SALT_PEER=DIR (ARGS="--minions 1000 --mb 0 --states --json FILE")
	$(LAB) fileload $(ARGS)

bench: ## all benchmarks (BENCH=regexp, PKG=./internal/wire)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem $(PKG)

returns: deps ## how many returns a master takes and how soon jobs end, beside their targets (ARGS='--only ping')
	$(LAB) returns $(ARGS)

screenshots: deps ## the pictures of docs/guide/page.md, anew, by Chromium
	$(GO) test -count=1 -timeout 10m -run 'TestScreenshots$$' ./test/page -args -screenshots $(CURDIR)/docs/guide/images

figures: ## what the tree takes, in the shape in which Salt's was measured; half an hour (MINUTES=10 of a parent away, ARGS='-run Ping')
	$(GO) test -tags figures -count=1 -timeout 60m -v -run Figures $(ARGS) ./internal/localcluster

# Without cgo and paths, as a release: what lint compiles is not compiled again by the build.
lint systems: export CGO_ENABLED = 0
lint systems: export GOFLAGS := $(GOFLAGS) -trimpath
lint: ## formatting, words (internal/tools/prose), golangci-lint (.golangci.yml), tidy modules, short files
	@unformatted=$$($(GO) run $(GOFUMPT) -l .); [ -z "$$unformatted" ] || { printf 'not in gofumpt form:\n%s\n' "$$unformatted"; exit 1; }
	$(GO) run ./internal/tools/prose
	$(GO) run $(GOLANGCI) run ./...
	cd lab && $(GO) run $(GOLANGCI) run ./...
	$(GO) mod tidy -diff
	$(GO) -C lab mod tidy -diff
	$(GO) -C client/example mod tidy -diff
	$(GO) -C test/collector mod tidy -diff
	$(GO) -C test/brokers mod tidy -diff
	@git ls-files '*.go' | xargs wc -l | awk '$$2 != "total" && $$1 > 500 { print $$2 ": " $$1 " lines, more than 500: split it by concept"; bad = 1 } END { exit bad }'

comma := ,
systems: ## check the types of PKG for each of SYSTEMS; make release builds the program for them
	$(GO) run ./internal/tools/systems $(subst $() ,$(comma),$(strip $(SYSTEMS))) $(PKG)

alerts: ## the alert rules of docs/guide/operate and what they do, with promtool of Prometheus on the PATH (PROMTOOL=FILE)
	@command -v $(PROMTOOL) >/dev/null || { echo 'make alerts: there is no $(PROMTOOL); it comes with Prometheus (Debian: prometheus)' >&2; exit 1; }
	$(PROMTOOL) check rules --lint=all docs/guide/operate/alerts.yml
	$(PROMTOOL) test rules docs/guide/operate/alerts-test.yml

fuzz: ## every fuzz target for FUZZTIME each (default 20s), found by name
	@git ls-files '*_test.go' | xargs grep -Ho '^func Fuzz[A-Za-z0-9_]*' | sed 's/func //' | while IFS=: read -r file target; do \
		echo "== $$(dirname "$$file") $$target"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")"; \
	done

image: build ## the container images: the static binary on nothing (TAG=mom:latest), and on BASE for minions (MINION_TAG)
	rm -rf build/image
	install -D -m 0755 build/mom build/image/mom
	install -d build/image/usr/bin build/image/root build/image/etc/salt build/image/var/cache build/image/var/log
	install -d -m 1777 build/image/tmp
	for name in mom $(NAMES); do ln -s ../../mom "build/image/usr/bin/$$name"; done
	printf 'root:x:0:0:root:/root:/usr/bin/mom\n' > build/image/etc/passwd
	printf 'root:x:0:\n' > build/image/etc/group
	docker build -q -t $(TAG) .
	@if docker image inspect $(BASE) >/dev/null 2>&1 || docker pull -q $(BASE); then \
		echo 'docker build -q -f Dockerfile.minion -t $(MINION_TAG) .'; \
		docker build -q -f Dockerfile.minion --build-arg BASE=$(BASE) -t $(MINION_TAG) .; \
	else \
		printf 'make image: %s\n' >&2 \
			'$(TAG) is built, $(MINION_TAG) is NOT: its base $(BASE) is not on this machine and cannot be pulled.' \
			'To make what docker-compose needs without a registry: sudo deploy/images/debian/build.sh (debian:12-slim)' \
			'and sudo deploy/images/mariadb/build.sh (mariadb:10.11), then make image again.' \
			'To do without a shell on the minions: MOM_MINION_IMAGE=$(TAG) docker-compose up -d (the database image is needed all the same).'; \
		exit 1; \
	fi

packages: build ## packages for Debian and for rpm, in build/packages, and a look at what they hold (VERSION=1.2.3 ARCH=amd64 MAINTAINER='Ann <ann@example.org>')
	CGO_ENABLED=0 GOOS=linux GOARCH=$(ARCH) $(GO) build -trimpath -buildvcs=auto $(STAMP) -o build/mom-$(ARCH) ./mom
	VERSION=$(VERSION) ARCH=$(ARCH) $(PACKING) deploy/packages/build.sh build/mom-$(ARCH) build/mom mom $(NAMES)

packagetest: packages ## install and remove the Debian packages in an overlay over this machine, and verify their units (as root)
	deploy/packages/install.sh build/packages

release: ## a release in build/release, with SBOMs and SHA256SUMS: VERSION=1.2.3, which CHANGELOG.md has to name (SYSTEMS= for linux/amd64 alone)
	$(PACKING) deploy/release/build.sh '$(VERSION)' linux/amd64 $(SYSTEMS)

release-check: ## build the release of build/release again, in another folder and with an empty cache, and compare: VERSION=1.2.3 (ARGS='linux/amd64 linux/arm64')
	$(PACKING) deploy/release/check.sh '$(VERSION)' $(or $(ARGS),linux/amd64)

demo: build ## a whole tree on this machine, each member a process of its own
	build/mom demo

deps: ## what the tests need and a bare Debian lacks (apt-get, as root or by sudo)
	@.ci/deps

clean: ## what make has built
	rm -rf build
