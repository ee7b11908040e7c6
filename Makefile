# Everything here needs Go, git and make. Only `image` needs a container builder.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

CONTROLLER_GEN_VERSION := v0.21.0
GOLANGCI_LINT_VERSION := v2.15.0

CONTROLLER_GEN := go run sigs.k8s.io/controller-tools/cmd/controller-gen@$(CONTROLLER_GEN_VERSION)

# golangci-lint takes minutes to compile, so it is kept outside the checkout.
LWSFED_CACHE ?= $(HOME)/.cache/lwsfed
GOLANGCI_LINT := $(LWSFED_CACHE)/tools/golangci-lint-$(GOLANGCI_LINT_VERSION)/golangci-lint

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION)

IMAGE ?= ghcr.io/lwsfed/lwsfed:$(VERSION)
CONTAINER_TOOL ?= docker

# What generate and manifests write, as git path specs.
GENERATED := ':(glob)api/**/zz_generated.*.go' ':(glob)config/crd/*_*.yaml' config/rbac/hub/role.yaml

# Each has its own go.mod.
NESTED_MODULES := clusters/local/binaries/kubernetes clusters/local/binaries/kwok

# Packages tested at once. Those that start fleets of API servers starve each other on a small machine.
TEST_JOBS ?= 1
TEST_ARGS ?=
PKG ?= ./...

##@ Everyday

.PHONY: help
help: ## Show this help.
	@awk 'BEGIN {FS = ":.*## "; print "Usage: make <target>"} \
	  /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' Makefile

.PHONY: build
build: ## Build bin/lwsfed.
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/lwsfed ./cmd/lwsfed

.PHONY: generate
generate: ## Write the deepcopy functions of api/.
	$(CONTROLLER_GEN) object paths=./api/...

.PHONY: manifests
manifests: ## Write the CRDs and the hub's RBAC rules.
	$(CONTROLLER_GEN) crd:maxDescLen=0,generateEmbeddedObjectMeta=true paths=./api/... output:crd:dir=config/crd
	$(CONTROLLER_GEN) rbac:roleName=lwsfed-hub paths=./pkg/controller/... output:rbac:dir=config/rbac/hub

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## Format the Go code.
	$(GOLANGCI_LINT) fmt

.PHONY: lint
lint: $(GOLANGCI_LINT) ## Lint the Go code.
	$(GOLANGCI_LINT) run

##@ Tests

.PHONY: test
test: test-programs ## Run the everyday suite (PKG, TEST_ARGS, TEST_JOBS).
	go test $(PKG) -p $(TEST_JOBS) -timeout 15m $(TEST_ARGS)

.PHONY: test-long
test-long: test-programs ## Run the suite with its long tests.
	LWSFED_LONG=1 go test $(PKG) -p $(TEST_JOBS) -timeout 60m $(TEST_ARGS)

.PHONY: bench
bench: test-programs ## Measure lwsfed on local fleets (TEST_ARGS).
	LWSFED_BENCH=1 go test ./test/bench -count 1 -v -timeout 60m $(TEST_ARGS)

.PHONY: deflake
deflake: test-programs ## Run the suite N times (10), up to the first failure.
	for ((i = 1; i <= $(or $(N),10); i++)); do \
	  echo "run $$i"; \
	  go test $(PKG) -p $(TEST_JOBS) -count 1 -shuffle on -timeout 15m $(TEST_ARGS); \
	done

# Tests that start fleets find their programs ready, so that no test's time limit pays for compiling them.
.PHONY: test-programs
test-programs: build
	go run ./clusters/local/cmd/fleet build
	go build ./...

.PHONY: verify
verify: generate manifests fmt-check tidy-check lint ## Check all that needs no cluster, generated files included.
	@changed=$$(git status --porcelain --untracked-files=all -- $(GENERATED)); \
	if [[ -n $$changed ]]; then \
	  git --no-pager diff HEAD -- $(GENERATED); \
	  echo "Generated files differ from what is committed. Run 'make generate manifests' and commit:"; \
	  echo "$$changed"; \
	  exit 1; \
	fi

.PHONY: fmt-check
fmt-check: $(GOLANGCI_LINT)
	$(GOLANGCI_LINT) fmt --diff

.PHONY: tidy-check
tidy-check:
	go mod tidy -diff
	for module in $(NESTED_MODULES); do go -C $$module mod tidy -diff; done

##@ Running

.PHONY: fleet-up
fleet-up: ## Start a fleet of local control planes.
	go run ./clusters/local/cmd/fleet up

.PHONY: fleet-down
fleet-down: ## Stop the fleet that fleet-up started.
	go run ./clusters/local/cmd/fleet down

.PHONY: demo
demo: test-programs ## Show lwsfed at work on a local fleet.
	go run ./test/demo

.PHONY: image
image: ## Build the container image (IMAGE, CONTAINER_TOOL).
	$(CONTAINER_TOOL) build --build-arg VERSION=$(VERSION) -t $(IMAGE) .

$(GOLANGCI_LINT):
	GOBIN=$(@D) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
