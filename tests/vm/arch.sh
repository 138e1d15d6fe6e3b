# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # the variables are for whoever sources this
#
# The names by which one architecture goes in Debian, in its kernel, in GNU and in QEMU.

arch_names() {
	case $1 in
	x86_64)
		deb=amd64 flavour=amd64 kernel_arch=x86 image=bzImage
		triplet=x86_64-linux-gnu qemu_package=qemu-system-x86
		modules_to_load='perfmon perfmon_soft' ;;
	arm64)
		deb=arm64 flavour=arm64 kernel_arch=arm64 image=Image
		triplet=aarch64-linux-gnu qemu_package=qemu-system-arm
		modules_to_load='perfmon perfmon_armv8' ;;
	ppc64el)
		deb=ppc64el flavour=powerpc64le kernel_arch=powerpc image=zImage
		triplet=powerpc64le-linux-gnu qemu_package=qemu-system-ppc
		modules_to_load='perfmon perfmon_power' ;;
	*)
		echo "${0##*/}: no guest of architecture '$1' (x86_64, arm64, ppc64el)" >&2
		return 2 ;;
	esac
}
