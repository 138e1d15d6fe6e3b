# SPDX-License-Identifier: GPL-2.0-only
#
# make           the modules for the running kernel (or KDIR=), the library, the tool
# make install   with DKMS, into PREFIX (and DESTDIR); make uninstall takes it away
# make demo      shows pfmon counting a program on a stock kernel, in a guest
# make check     all tests; installs the Debian packages it lacks
# make bench     costs in guest instructions, beside perf's
# make format    brings the sources into shape; make check-format only looks

VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
PREFIX ?= /usr/local
BUILD ?= build/host
CROSS ?=
STATIC ?=
SYSROOT ?=
KDIR ?= /lib/modules/$(shell uname -r)/build

# Sub-makes run in their own folders.
override BUILD := $(abspath $(BUILD))
passed = BUILD=$(BUILD) CROSS=$(CROSS) STATIC=$(STATIC) SYSROOT=$(SYSROOT) \
	PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) VERSION=$(VERSION)

.PHONY: all modules programs libpfmdev pfmon workload guest-tests man \
	install uninstall check demo bench clean
.DEFAULT_GOAL := all

all: modules libpfmdev pfmon man

include tests/vm/guest.mk

modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR)/module modules

# What runs in user space: for the host, or for a guest (tests/vm/guest.mk).
programs: libpfmdev pfmon workload guest-tests

libpfmdev:
	$(MAKE) -C libpfmdev $(passed)

pfmon: libpfmdev
	$(MAKE) -C tools/pfmon $(passed)

workload:
	$(MAKE) -C tests/workload $(passed)

guest-tests: libpfmdev
	$(MAKE) -C tests/guest $(passed)

man:
	$(MAKE) -C libpfmdev $(passed) man
	$(MAKE) -C tools/pfmon $(passed) man

clean:
	rm -rf build
	find module -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name '.*.cmd' -o -name modules.order -o -name Module.symvers | xargs -r rm -f
