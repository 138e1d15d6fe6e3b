# SPDX-License-Identifier: GPL-2.0-only
#
# make              builds the library, the tool, and the modules for the running kernel;
#                   KDIR= for another kernel
# make install      installs the modules by DKMS, and the rest below PREFIX (/usr/local);
#                   DESTDIR= for packages
# make uninstall    removes what make install has installed
# make demo         counts the events of a program with pfmon, in a guest with a stock kernel
# make check        runs the gate: the tests that every change has to pass
# make check-all    runs all tests on the kernels of this machine's Debian release; KERNELS=all runs
#                   only the suites, on each supported kernel; KERNELS="6.12-arm64 7.2-rt-amd64"
#                   runs only the suites, on these kernels
# make bench        measures the costs of perfmon and of perf, in guest instructions
# make coverage     shows which lines of the modules the tests reach
# make fuzz         makes random calls in a guest;
#                   options: SECONDS=600 OPERATIONS= SEED= ARCH=x86_64 KERNEL=debug MODEL=intel-v5
# make mutants      changes the code in one place at a time and shows which suite fails;
#                   options: COUNT=100 SEED=1 FILES=module/core JOBS=2; with MATRIX=1 it runs all
#                   suites, even if one fails
# make format       formats the C sources
# make clean        removes what was built
#
# The targets demo, check, check-all, bench, coverage, fuzz and mutants first install the Debian
# packages that they need, unless these packages are installed already.

VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build/host
CROSS ?=
STATIC ?=
SYSROOT ?=
KDIR ?= /lib/modules/$(shell uname -r)/build

# Sub-makes run in other folders, so the path of the build folder must be absolute.
override BUILD := $(abspath $(BUILD))
passed = BUILD=$(BUILD) CROSS=$(CROSS) STATIC=$(STATIC) SYSROOT=$(SYSROOT) \
	PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) VERSION=$(VERSION)

.DEFAULT_GOAL := all
.PHONY: all modules programs libpfmdev pfmon workload compat-programs guest-tests bench-program \
	fuzz-program install uninstall demo check check-all bench coverage fuzz mutants format clean

all: modules libpfmdev pfmon

include tests/vm/guest.mk

modules:
	@test -e $(KDIR) || { echo "no kernel headers in $(KDIR): install" \
		"linux-headers-$$(uname -r), or name others with KDIR=" >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR)/module modules

# The programs for user space; tests/vm/guest.mk builds them for a guest.
programs: pfmon workload compat-programs guest-tests bench-program fuzz-program

libpfmdev:
	$(MAKE) -C libpfmdev $(passed)

pfmon: libpfmdev
	$(MAKE) -C tools/pfmon $(passed) all man

workload:
	$(MAKE) -C tests/workload $(passed)

compat-programs: libpfmdev
	$(MAKE) -C tests/compat $(passed)

guest-tests: libpfmdev
	$(MAKE) -C tests/guest $(passed)

bench-program: libpfmdev
	$(MAKE) -C tests/bench $(passed)

fuzz-program:
	$(MAKE) -C tests/fuzz $(passed)

install: libpfmdev pfmon
	$(MAKE) -C libpfmdev $(passed) install
	$(MAKE) -C tools/pfmon $(passed) install
	install -D -m 644 packaging/perfmon.conf $(DESTDIR)/usr/lib/modules-load.d/perfmon.conf
	DESTDIR=$(DESTDIR) packaging/install install

uninstall:
	DESTDIR=$(DESTDIR) packaging/install uninstall
	rm -f $(DESTDIR)/usr/lib/modules-load.d/perfmon.conf
	$(MAKE) -C tools/pfmon $(passed) uninstall
	$(MAKE) -C libpfmdev $(passed) uninstall
	DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) packaging/install remove-empty-folders

demo:
	@tests/vm/fetch tools
	@tests/demo

check:
	@tests/vm/fetch tools
	@tests/check

check-all:
	@tests/vm/fetch tools
	@tests/check $(if $(KERNELS),--kernels '$(KERNELS)',--all)

bench:
	@tests/vm/fetch tools
	@tests/bench/bench

coverage:
	@tests/vm/fetch tools
	@tests/check debug-suites-x86_64 debug-suites-arm64 debug-races-x86_64 debug-races-arm64 \
		debug-tool-x86_64 faults-x86_64 debug-uncore-x86_64 debug-refined-x86_64 \
		debug-pmu-intel-v5-x86_64 debug-pmu-amd-perfmonv2-x86_64 coverage
	@grep 'of .* lines,' build/check/coverage.log

fuzz:
	@tests/vm/fetch tools
	@tests/fuzz/fuzz $(ARCH:%=-a %) $(KERNEL:%=-k %) $(MODEL:%=-c %) $(SEED:%=--seed %) \
		$(SECONDS:%=--seconds %) $(OPERATIONS:%=--operations %)

mutants:
	@tests/vm/fetch tools
	@tests/mutants/mutants $(COUNT:%=--count %) $(SEED:%=--seed %) $(JOBS:%=--jobs %) \
		$(if $(MATRIX),--matrix) $(FILES)

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build
	find module examples tests/modules -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name '.*.cmd' -o -name '.*.d' -o -name modules.order -o -name Module.symvers | \
		xargs -r rm -f
