# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# build_planted PATCH TREE KERNEL: copies the sources into the folder TREE, applies PATCH there, and
# builds the modules for the x86_64 guest of KERNEL ("" for the stock kernel). Call it in the top
# folder.

build_planted() {
	local patch=$1 tree=$2 kernel=$3
	rm -rf "$tree"
	mkdir -p "$tree"
	git ls-files module uapi examples libpfmdev tests/vm tests/modules Makefile dkms.conf | cpio -p -d --quiet "$tree"
	patch -s -F 0 -d "$tree" -p1 <"$patch" &&
		make -s -C "$tree" guest-modules-x86_64 KERNEL="$kernel"
}
