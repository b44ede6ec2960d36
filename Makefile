# The front door. CMake does the work (CMakePresets.json); each target here
# installs missing packages first, so that it works on a fresh machine.

PREFIX ?= /usr/local
JOBS ?= 2
FUZZ_SECONDS ?= 60
FUZZED = readers local service verify
# Three tests at a time on two processors, because many wait (tests/). Where
# OpenBLAS had threads of its own, a third one made them wait spinning.
CTEST = ctest --output-on-failure -j$(shell expr 3 '*' $(JOBS))
TIDY = clang-tidy -p build/clang --quiet
LIBRARY = --target kith_static kith_shared kith
SOURCES = $(shell find src include tools tests bench -name '*.[ch]')

.PHONY: help ledger-faults wasm build python wheel demo demo-service faults \
	install test lint format asan tsan tsan-team clang mutants fuzz bench papers \
	pictures deb dist clean bootstrap

# What can be made: "## target: words" in groups headed by "#: words".
help:
	@sed -n 's/^#: \(.*\)/\n\1/p; s/^## \([a-z-]*\): /  make \1|/p' \
	    $(MAKEFILE_LIST) | \
	    awk -F'|' 'NF < 2 { print; next } { printf "%-22s%s\n", $$1, $$2 }'

bootstrap:
	@scripts/bootstrap.sh

#: Use it
## build: the library and the command, optimised, in build/release
build: bootstrap
	@cmake --preset release >/dev/null
	@cmake --build --preset release $(LIBRARY)

## python: the Python package, in build/release/python (for PYTHONPATH)
python: bootstrap
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target kith_python kith_python_files

## wheel: the same as a wheel, in build/wheel (offline, for this system)
wheel: python
	@scripts/build_wheel.sh build/release build/wheel

## demo: cluster example data privately and compare with a non-private run
demo: build
	@KITH=build/release/tools/kith/kith scripts/demo.sh

## demo-service: kithd, 20,000 devices over HTTP, and the model that comes out
demo-service: build
	@cmake --build --preset release --target kithd
	@scripts/demo_service.sh

## install: the library, headers, command and manual (PREFIX, DESTDIR)
install: bootstrap
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build --preset release --target kith_installed
	@DESTDIR=$(DESTDIR) cmake --install build/release

## deb: Debian packages of the last commit, checked by lintian, in build/deb
deb:
	@scripts/bootstrap.sh deb
	@JOBS=$(JOBS) scripts/build_deb.sh build/deb

## dist: the source archive of the last commit and its checksum, in build/dist
dist:
	@scripts/build_dist.sh build/dist

#: Change it
## wasm: what runs on a user's device as WebAssembly, for web/kith-device
wasm: bootstrap
	@scripts/build_wasm.sh web/kith-device/kith_device.wasm

## test: build with gcc and clang, warnings are errors, and run every test
test:
	@scripts/bootstrap.sh browser
	@cmake --preset clang >/dev/null
	@cmake --build --preset clang $(LIBRARY)
	@cmake --preset release -DKITH_WERROR=ON >/dev/null
	@cmake --build --preset release
	@$(CTEST) --test-dir build/release

# (cppcheck: NULL is a pointer wherever there is POSIX, also as a last argument.)
## lint: formatting, clang-tidy, cppcheck, shellcheck, rules of the house
lint:
	@scripts/bootstrap.sh lint
	@clang-format --dry-run -Werror $(SOURCES)
	@scripts/check_layers.py
	@scripts/trusted.py >/dev/null
	@scripts/check_banned.py
	@shellcheck -s bash -S warning -x -P SCRIPTDIR scripts/*.sh .ci/run \
	    $$(find tests -name '*.sh')
	@cmake --preset clang >/dev/null
	@find src -name '*.c' ! -path src/base/mem.c ! -path src/base/error.c | \
	    xargs -P $(JOBS) -n 4 $(TIDY) --extra-arg=-I$(CURDIR)/src \
	    --extra-arg=-I$(CURDIR)/include \
	    --extra-arg=-include$(CURDIR)/scripts/lint_model.h
	@find tools/kith tools/kith-mpi -name '*.c' ! -name cli.c ! -name ranks.c | \
	    xargs -P $(JOBS) -n 4 $(TIDY) --extra-arg=-I$(CURDIR)/tools/kith \
	    --extra-arg=-I$(CURDIR)/include \
	    --extra-arg=-include$(CURDIR)/scripts/lint_model_tools.h
	@find tools/kithd tools/verify tools/kith/cli.c tools/kith/ranks.c \
	    src/base/mem.c src/base/error.c -name '*.c' | xargs -P $(JOBS) -n 4 $(TIDY)
	@cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
	    --enable=warning,portability,performance -j $(JOBS) \
	    --suppress=varFuncNullUB --include=scripts/lint_macros.h \
	    -D_GNU_SOURCE -I include -I src -I build/clang/include src tools

## format: put every source file into the house style
format:
	@scripts/bootstrap.sh lint
	@clang-format -i $(SOURCES)

## asan: build and test with AddressSanitizer and UBSan
## tsan: build and test with ThreadSanitizer
## clang: build and test with clang, warnings are errors
# OpenBLAS is not compiled with TSan, which would miss its threads' locks.
tsan: export OPENBLAS_NUM_THREADS = 1
asan tsan clang: bootstrap
	@cmake --preset $@ >/dev/null
	@cmake --build --preset $@
	@$(CTEST) --test-dir build/$@

## tsan-team: ranks as threads, and rows on disk, with ThreadSanitizer (minutes)
tsan-team: export OPENBLAS_NUM_THREADS = 1
tsan-team: bootstrap
	@cmake --preset tsan >/dev/null
	@cmake --build --preset tsan --target test_team test_team_bits \
	    test_team_release test_spill
	@$(CTEST) --test-dir build/tsan -R 'test_(team|team_bits|team_release|spill)$$'

## faults: kill and restart kithd and its store some hundred times (minutes)
faults: bootstrap
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target kith kithd kithd_test
	@KITH_FAULTS=200 KITH_FAULTS_PG=40 $(CTEST) --test-dir build/release -j1 \
	    -V -R test_faults
## ledger-faults: 1,300 kills, 8 stops of PostgreSQL, 2,000 flipped bits, power cuts
ledger-faults: build
	@cmake --build --preset release \
	    --target test_ledger_faults test_ledger_stores test_ledger_power \
	    test_ledger_damage
	@KITH_LEDGER_KILLS=1000 build/release/tests/test_ledger_faults
	@KITH_LEDGER_CUTS=8 build/release/tests/test_ledger_power
	@KITH_LEDGER_FLIPS=2000 build/release/tests/test_ledger_damage
	@KITH_LEDGER_KILLS=300 KITH_LEDGER_STOPS=8 $(CTEST) -V --test-dir \
	    build/release -R test_ledger_postgresql

## mutants: plant the mistakes of tests/mutants, see each caught (30 minutes)
mutants: bootstrap
	@scripts/mutants.py

## fuzz: fuzz what is read from strangers, FUZZ_SECONDS (60) for each door
fuzz:
	@scripts/bootstrap.sh fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz --target $(addprefix fuzz_,$(FUZZED))
	@for door in $(FUZZED); do \
	    mkdir -p build/fuzz/found/$$door; \
	    build/fuzz/tests/fuzz/fuzz_$$door -max_total_time=$(FUZZ_SECONDS) \
	        -artifact_prefix=build/fuzz/ build/fuzz/found/$$door \
	        tests/fuzz/corpus/$$door || exit 1; done

#: Measure and draw it
## bench: the comparisons and speeds of bench/RESULTS.md
bench: build
	@cmake --build --preset release --target benches
	@python3 bench/run.py

## papers: every figure of the three papers, in bench/papers (QUICK=1: minutes)
papers: build
	@python3 bench/papers/make_page.py $(if $(QUICK),--quick) --jobs $(JOBS) \
	    $(if $(RUNS),--runs $(RUNS))

## pictures: draw docs/pictures anew
pictures: build
	@cmake --build --preset release --target bench_summary
	@KITH=build/release/tools/kith/kith scripts/draw_noise.py
	@KITH=build/release/tools/kith/kith scripts/draw_auto.py

#: Tidy up
## clean: remove every build and the demo's files
clean:
	@rm -rf build demo
