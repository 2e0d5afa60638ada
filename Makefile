# The developer's interface to Atropos. `make help` lists what there is.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
.PHONY: help setup setup-cluster demo test test-cluster test-kill test-page test-install book package deny dist deb fuzz fuzz-c fuzz-closures fuzz-rust fuzz-input fuzz-orders fuzz-runtime real bench mutants rust-targets

# C and C++ programs are compiled with clang, which also reads bitcode; nothing links LLVM, and everything builds
# with cargo alone.
LLVM_CRATE := crates/llvm
LLVM_PACKAGES := clang-19

VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

ATROPOS := cargo run --quiet --release --package atropos-cli --bin atropos --

help:
	@echo "make demo    build Atropos and find a bug in a small program"
	@echo "make test    everything that must hold before a change lands: tidy, format, lints, tests"
	@echo "make test-page   test the pages of --report in a real browser, and SARIF against its schema"
	@echo "make test-cluster   test serve and work with a real nats-server, which it installs"
	@echo "make test-kill   kill the processes of large checks again and again, and compare their totals"
	@echo "make test-install   install the command from the packed crates, and use it"
	@echo "make book    build the book in docs/book"
	@echo "make package try to publish every crate that is published, without uploading it"
	@echo "make deny    check licences, sources and versions of all dependencies, with cargo-deny"
	@echo "make dist    a static binary with manual pages and completions, as an archive"
	@echo "make deb     a Debian package, with cargo-deb"
	@echo "make fuzz    compare the explorers with the oracle on random programs, until stopped"
	@echo "make fuzz-input  break inputs of every format until one breaks Atropos; COUNT=N bounds it"
	@echo "make fuzz-c  compare the C front-end with native runs of random programs, or KIND=concurrent, until stopped"
	@echo "make fuzz-orders  compare the search for orders with brute force on COUNT random programs"
	@echo "make fuzz-closures  compare Rust closures with the oracle on COUNT random programs"
	@echo "make fuzz-rust  compare Rust programs and the standard library with the oracle on COUNT random programs"
	@echo "make fuzz-runtime   compare the thread library with its oracle on random programs, until stopped"
	@echo "make real    fetch the sources of other projects, check them and compare with what is expected"
	@echo "make bench   regenerate the tables of the papers: counts beside theirs, speed and memory"
	@echo "make mutants put faults into the engine and report those that no test notices"
	@echo "make rust-targets   run the loom tests of published packages with Atropos, and with loom"
	@echo "make setup   install what is missing (the targets above do it by themselves)"

setup:
	@if ! command -v cargo >/dev/null; then
		echo "setup: cargo is missing; install Rust from https://rustup.rs and come back" >&2
		exit 1
	fi
	if [ ! -d $(LLVM_CRATE) ]; then exit 0; fi
	missing=()
	for package in $(LLVM_PACKAGES); do
		dpkg-query --show --showformat='$${Status}\n' "$$package" 2>/dev/null | grep -q 'ok installed' \
			|| missing+=("$$package")
	done
	if [ $${#missing[@]} -eq 0 ]; then exit 0; fi
	if ! command -v apt-get >/dev/null; then
		echo "setup: please install $${missing[*]} (Debian's names; there is no apt-get here)" >&2
		exit 1
	fi
	as_root=()
	if [ "$$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null; then
			echo "setup: please install $${missing[*]} as root: apt-get install $${missing[*]}" >&2
			exit 1
		fi
		as_root=(sudo)
	fi
	echo "setup: installing $${missing[*]}"
	"$${as_root[@]}" apt-get update
	"$${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$${missing[@]}"

# Exit status 1 means that Atropos found the bug, as the demo should show.
demo: setup
	@echo "Building Atropos (a minute or two the first time) ..."
	cargo build --quiet --release --package atropos-cli
	echo
	echo "examples/publication.c publishes data through a relaxed flag:"
	echo
	sed 's/^/    /' examples/publication.c
	echo
	echo "\$$ atropos check --model rc11 --jobs 1 examples/publication.c"
	echo
	status=0
	$(ATROPOS) check --model rc11 --jobs 1 examples/publication.c || status=$$?
	if [ $$status -ne 1 ]; then
		echo "demo: expected exit status 1 (violation found), got $$status" >&2
		exit 1
	fi
	echo
	echo "\$$ atropos check --model rc11 --jobs 1 examples/publication.c -- -DORDER=memory_order_release"
	echo
	$(ATROPOS) check --model rc11 --jobs 1 examples/publication.c -- -DORDER=memory_order_release

test: setup
	cargo xtask tidy
	cargo xtask packages
	if command -v cargo-deny >/dev/null; then
		cargo deny check licenses bans sources
	else
		echo "cargo-deny is not installed: cargo xtask packages has checked licences and sources (make deny does more)"
	fi
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --features atropos/cluster -- -D warnings
	ATROPOS_REQUIRE_CLANG=1 cargo test --workspace
	cargo test --package atropos --features cluster --test cluster
	$(MAKE) package

# The leader of a check on many machines starts nats-server.
setup-cluster:
	@if command -v nats-server >/dev/null || [ -x /usr/sbin/nats-server ]; then exit 0; fi
	if ! command -v apt-get >/dev/null; then
		echo "setup-cluster: please install nats-server (there is no apt-get here)" >&2
		exit 1
	fi
	as_root=()
	if [ "$$(id -u)" -ne 0 ]; then as_root=(sudo); fi
	"$${as_root[@]}" apt-get update
	"$${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends nats-server

# Where nats-server is not installed, `make test` leaves out the tests that need it.
test-cluster: setup setup-cluster
	ATROPOS_REQUIRE_NATS=1 cargo test --package atropos-cluster
	cargo test --package atropos-differential --test tasks
	ATROPOS_REQUIRE_NATS=1 cargo test --package atropos-cli --test cli cluster
	ATROPOS_REQUIRE_NATS=1 cargo test --package atropos --features cluster --test cluster

# Fifty kills of checking processes, fifty of workers and five of the server, for each program.
KILLS ?= 50
SERVER_KILLS ?= 5

test-kill: setup setup-cluster
	cargo build --release --package atropos-cli
	kill() { benchmarks/cluster/kill.sh target/release/atropos $(KILLS) $(SERVER_KILLS) "$$@"; }
	kill 33177600 2 benchmarks/trust/exp-mem2.c --model rc11 --equivalence co --reduce none -- -DN=6
	kill 6029312 2 benchmarks/rcmc/lastzero.c --model rc11 --equivalence co --reduce none -- -DN=20
	kill 518400 2 benchmarks/rcmc/binc.c --model rc11 --equivalence co --reduce none -- -DN=6
	kill 8149694 2 benchmarks/rcmc/fib_bench.c --model rc11 --equivalence co --reduce none -- -DN=6
	kill 118905 2 benchmarks/rcmc/ms-queue.c --model rc11 --equivalence co --reduce none -- -DN=3

# Where Chromium is not installed, `make test` leaves out the tests that need it.
test-page: setup
	@if ! command -v chromium chromium-browser google-chrome >/dev/null; then
		if ! command -v apt-get >/dev/null; then
			echo "test-page: please install Chromium (there is no apt-get here)" >&2
			exit 1
		fi
		as_root=()
		if [ "$$(id -u)" -ne 0 ]; then as_root=(sudo); fi
		"$${as_root[@]}" apt-get update
		"$${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium
	fi
	ATROPOS_REQUIRE_CHROMIUM=1 cargo test --package atropos-cli --test reports

book:
	@command -v mdbook >/dev/null || cargo install --locked mdbook
	mdbook build docs/book --dest-dir "$(CURDIR)/target/book"
	echo "open target/book/index.html"

# What `cargo publish` would upload, as far as it can be checked without building it again.
PUBLISHED := event graph vm native litmus llvm cat model report explore check spread cluster orders cli

package:
	@cargo publish --dry-run --quiet --no-verify --allow-dirty --package atropos $(PUBLISHED:%=--package atropos-%)
	echo "packed: $(words atropos $(PUBLISHED)) crates, not uploaded"

# Installs the command from the packed crates, as `cargo install atropos-cli` will, and makes the first check of the book.
# The folder is outside of this one, so that nothing of the workspace can help.
test-install: setup
	@cargo package --quiet --no-verify --allow-dirty --package atropos $(PUBLISHED:%=--package atropos-%)
	there=$$(mktemp -d)
	trap 'rm -rf "$$there"' EXIT
	for packed in target/package/*-$(VERSION).crate; do tar -C "$$there" -xzf "$$packed"; done
	echo "[patch.crates-io]" > "$$there/config.toml"
	for part in $(filter-out cli,$(PUBLISHED)); do
		echo "atropos-$$part = { path = \"$$there/atropos-$$part-$(VERSION)\" }" >> "$$there/config.toml"
	done
	CARGO_TARGET_DIR=$(CURDIR)/target/install cargo install --debug --locked --config "$$there/config.toml" \
		--root "$$there/installed" --path "$$there/atropos-cli-$(VERSION)"
	export PATH="$$there/installed/bin:$$PATH"
	atropos doctor
	cargo atropos --version
	status=0
	atropos check docs/book/examples/mailbox.c || status=$$?
	if [ $$status -ne 1 ]; then echo "test-install: expected exit status 1, got $$status" >&2; exit 1; fi

# `make test` checks licences, sources and versions with cargo-deny where it is installed: building it takes a minute or
# two. `cargo xtask packages` checks licences and sources by the same rules everywhere. Advisories are only
# here: their database is fetched over the network and changes every day, so a change that passed could fail unchanged.
CHECKS ?= licenses bans sources

deny:
	@command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny check $(CHECKS)
	if ! cargo deny fetch db; then
		echo "deny: advisories are NOT checked: their database, https://github.com/RustSec/advisory-db, cannot be" \
			"fetched from here; $(CHECKS) are as they should be" >&2
		exit 1
	fi
	cargo deny check advisories

# The target with musl has no shared libraries to look for. Dependencies with code in C need its compiler.
DIST_TARGET ?= $(shell uname -m)-unknown-linux-musl
DIST := target/dist/atropos-$(VERSION)-$(DIST_TARGET)

dist: setup
	@if [[ $(DIST_TARGET) == *-musl ]] && ! command -v musl-gcc >/dev/null; then
		as_root=()
		if [ "$$(id -u)" -ne 0 ]; then as_root=(sudo); fi
		"$${as_root[@]}" apt-get update
		"$${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends musl-tools
	fi
	rustup target add $(DIST_TARGET)
	cargo build --release --package atropos-cli --bin atropos --target $(DIST_TARGET)
	rm -rf $(DIST) && mkdir -p $(DIST)/completions
	cp target/$(DIST_TARGET)/release/atropos README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE $(DIST)
	$(DIST)/atropos manual $(DIST)/man
	for shell in bash zsh fish; do $(DIST)/atropos completions $$shell > $(DIST)/completions/atropos.$$shell; done
	tar -C target/dist -czf $(DIST).tar.gz $(notdir $(DIST))
	echo "$(DIST).tar.gz"

# The manual pages and completions come from the binary.
deb: setup
	@command -v cargo-deb >/dev/null || cargo install --locked cargo-deb
	cargo build --release --package atropos-cli
	mkdir -p target/deb
	target/release/atropos manual target/deb/man
	for shell in bash zsh fish; do target/release/atropos completions $$shell > target/deb/atropos.$$shell; done
	cargo deb --no-build --strip --quiet --package atropos-cli

# Each run starts at another seed; FROM=SEED repeats one.
FROM ?= $(shell date +%s)000

fuzz: setup
	cargo run --release --package atropos-differential --bin fuzz -- --threads $$(nproc) --from $(FROM) --instructions 11

# Finds are shrunk and kept in target/fuzz-input.
COUNT ?= 1000000

fuzz-input: setup
	cargo build --release --package atropos-cli --package atropos-differential --bin atropos --bin fuzz-input
	target/release/fuzz-input --emit target/fuzz-ll corpus/c benchmarks
	target/release/fuzz-input --count $(COUNT) --from $(FROM) --binary target/release/atropos \
		target/fuzz-ll corpus models examples benchmarks crates/llvm/src/runtime

# KIND=concurrent compares the outcomes of concurrent programs at all levels of optimisation.
KIND ?= sequential

fuzz-c: setup
	cargo run --release --package atropos-differential --bin fuzz-c -- --threads $$(nproc) --from $(FROM) --kind $(KIND)

# COUNT=2000 takes a few minutes.
fuzz-orders: setup
	ORDERS_COUNT=$(COUNT) ORDERS_FROM=$(FROM) \
		cargo test --release --package atropos-orders --test brute_force -- --nocapture brute_force

# Random programs as Rust closures against the oracle. COUNT=50000 takes about a quarter of an hour.
fuzz-closures:
	CLOSURES_COUNT=$(COUNT) CLOSURES_FROM=$(FROM) cargo test --release --package atropos --test random -- --nocapture

# Random programs as Rust source with the real standard library against the oracle.
fuzz-rust:
	RUST_COUNT=$(COUNT) RUST_FROM=$(FROM) \
		cargo test --release --package atropos-differential --test rust_source -- --nocapture

fuzz-runtime: setup
	cargo run --release --package atropos-differential --bin fuzz-runtime -- --threads $$(nproc) --from $(FROM)

# ARGS="--filter fib", "--all" (slow rows and threads of 10^6 events too), "--growth" (long threads only),
# "--compare OLD" (times and figures against an older build of atropos, by turns), "--structures" (what the reductions
# leave out; rewrites docs/structures.md), "--scaling 'casw N=6 rc11'", ...; --markdown rewrites docs/benchmarks.md.
ARGS ?=

bench: setup
	cargo build --release --package atropos-cli
	cargo run --release --package atropos-differential --bin litmus-table
	cargo run --release --package atropos-bench -- $(ARGS)

# NAMES="bypass psc" tries only the mutants whose names contain one of these words; without, docs/mutants.md is rewritten.
NAMES ?=

mutants:
	cargo xtask mutants $(NAMES)

# Packages are kept in target/real. FILTER="ck_" checks only some drivers; UPDATE=--update writes what is
# found, UPDATE=--markdown writes docs/real.md.
FILTER ?=
UPDATE ?=

real: setup
	cargo build --release --package atropos-cli --package atropos-bench --bin atropos --bin real
	target/release/real --filter "$(FILTER)" $(UPDATE)

# PACKAGES="bytes parking" runs only these; without, docs/rust-targets.md is rewritten. LIMIT is in
# seconds of processor time, for each test.
PACKAGES ?=
LIMIT ?= 60

rust-targets:
	cargo xtask rust-targets --limit $(LIMIT) $(PACKAGES)
