# SPDX-License-Identifier: GPL-2.0-only
#
# make guest-ARCH: builds the modules and programs for a guest of ARCH, in build/ARCH/module,
# build/ARCH/examples and build/ARCH/bin. Modules for tests are in build/ARCH/examples/tests. The
# top Makefile includes this file and has the target "programs". With KERNEL=VERSION, the modules
# are built for that kernel, in build/ARCH-VERSION. C=2 makes Kbuild run sparse. W and KCFLAGS on
# the command line have no effect, because guest_strictness sets both.
#
# For the debug kernel, our code is compiled with line coverage and with checks for undefined
# behaviour. These options add calls where the code accesses user memory, and objtool does not
# permit calls there. So objtool does not check our code (OBJECT_FILES_NON_STANDARD).

guest_arches := x86_64 arm64 ppc64el

guest-programs-x86_64 guest-modules-x86_64: guest_cross := x86_64-linux-gnu-
guest-programs-arm64 guest-modules-arm64: guest_cross := aarch64-linux-gnu-
guest-programs-ppc64el guest-modules-ppc64el: guest_cross := powerpc64le-linux-gnu-

guest-modules-x86_64: guest_kernel_arch := x86
guest-modules-arm64: guest_kernel_arch := arm64
guest-modules-ppc64el: guest_kernel_arch := powerpc

guests := $(addprefix guest-,$(guest_arches))
guest_modules := $(addprefix guest-modules-,$(guest_arches))
guest_programs := $(addprefix guest-programs-,$(guest_arches))
.PHONY: $(guests) $(guest_modules) $(guest_programs)

$(guests): guest-%: guest-modules-% guest-programs-%

# Kbuild writes its results beside the sources. So each architecture, and each VERSION, has its own
# tree of links to the sources. To avoid stale files, the tree is made again when a source is added
# or removed, when a Kbuild file changes, and when there is a newer kernel for VERSION.
kbuild_sources := \( -name '*.[chS]' ! -name '*.mod.c' -o -name Kbuild -o -name Makefile \)

$(guest_modules): stage = $(CURDIR)/build/$*$(KERNEL:%=-%)
$(guest_modules): debug_settings = $(if $(filter debug,$(KERNEL)),\
	GCOV_PROFILE=y UBSAN_SANITIZE=y OBJECT_FILES_NON_STANDARD=y)
# Mutants (tests/mutants) are built with an empty guest_strictness, because a mutant may have unused
# variables.
guest_strictness ?= W=1 KCFLAGS=-Werror
guest_cflags ?= -O2 -g
# With this option the same sources give the same binaries in every folder, so runs with --icount do
# not differ between folders.
same_bytes := -ffile-prefix-map=$(CURDIR)/=
$(guest_modules): build = $(MAKE) --no-print-directory ARCH=$(guest_kernel_arch) \
	CROSS_COMPILE=$(guest_cross) CONFIG_DEBUG_INFO_BTF_MODULES= $(guest_strictness) \
	KCPPFLAGS=$(same_bytes) $(debug_settings)
# The examples and the modules for tests are built without line coverage. tests/mutants sets
# guest_examples to nothing if a mutant cannot change them.
guest_examples ?= $(stage)/examples/*
$(guest_modules): guest-modules-%:
	@mkdir -p $(stage)
	@tests/vm/fetch headers $* $(KERNEL) >$(stage)/headers
	@{ cat $(stage)/headers; \
	   find module uapi examples tests/modules -type f $(kbuild_sources) | LC_ALL=C sort; \
	   find module examples tests/modules -name Kbuild -exec cat {} +; } >$(stage)/layout.new
	@if ! cmp -s $(stage)/layout.new $(stage)/layout; then \
		rm -rf $(stage)/module $(stage)/uapi $(stage)/examples && \
		cp -rs $(CURDIR)/module $(CURDIR)/uapi $(CURDIR)/examples $(stage) && \
		cp -rs $(CURDIR)/tests/modules $(stage)/examples/tests && \
		find $(stage)/module $(stage)/examples -type l ! $(kbuild_sources) -delete && \
		mv $(stage)/layout.new $(stage)/layout; \
	fi
	+@kdir=$$(cat $(stage)/headers) && \
	tests/vm/within $$kdir $(build) -C $$kdir M=$(stage)/module modules && \
	for example in $(guest_examples); do \
		tests/vm/within $$kdir $(build) -C $$kdir M=$$example GCOV_PROFILE= \
			KBUILD_EXTRA_SYMBOLS=$(stage)/module/Module.symvers modules || exit; \
	done

$(guest_programs): guest-programs-%:
	@sysroot=$$(tests/vm/fetch sysroot $*) && \
	$(MAKE) --no-print-directory programs BUILD=build/$* CROSS=$(guest_cross) \
		SYSROOT=$$sysroot STATIC=1 CFLAGS='$(guest_cflags) $(same_bytes)'
	@$(guest_cross)gcc $(guest_cflags) -std=gnu11 -Wall -Wextra -Werror -static \
		-o build/$*/bin/ready-random tests/vm/ready-random.c
