# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # scripts that source this use the variables
#
# The names of an architecture in Debian, in the kernel, in GNU and in QEMU, and the modules that a
# guest of this architecture loads. This file also lists the processors whose PMU only our own QEMU
# emulates.

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

# pmu_model NAME: print the CPU model with which our own QEMU ("fetch qemu-pmu") emulates processor
# NAME; fails if there is no such processor. The kernel does not recognize family 6, model 100, so
# it uses the PMU as CPUID describes it, "generic architected perfmon". Models 15, 26, 42 and 94 are
# Core 2, Nehalem, Sandy Bridge and Skylake. Model "max" is an AMD CPU of family 6, like the K7, but
# it has the registers of family 15h and of PerfMonV2. If the CPU had family 15h, the guest's kernel
# would not boot. On amd-17h, CPUs share some counters. intel-v3, intel-v4 and intel-v5 have precise
# events (PEBS) with record formats 1, 3 and 4, respectively. intel-skylake has eight counters, as
# Skylake has without hyperthreading; four of them have PEBS. power9-levels is a POWER9 that counts
# the instructions of user level and those of kernel level separately; Debian's QEMU cannot do that.
pmu_model() {
	local generic=Nehalem,pmu=on,family=6,model=100
	case $1 in
	intel-v[12]) echo "$generic,x-pmu-version=${1#intel-v}" ;;
	intel-v3) echo "$generic,x-pmu-version=3,x-pmu-pebs=1" ;;
	intel-v4) echo "$generic,x-pmu-version=4,x-pmu-pebs=3" ;;
	intel-v5) echo "$generic,x-pmu-version=5,x-pmu-counters=8,x-pmu-lbr=on,x-pmu-pebs=4" ;;
	intel-v6) echo "$generic,x-pmu-version=6,x-pmu-counters=8" ;;
	intel-mixed) echo "$generic,x-pmu-version=4,x-pmu-pebs=3,x-core-type=0x20" ;;
	intel-core2) echo "${generic/model=100/model=15},x-pmu-version=3,x-pmu-pebs=1" ;;
	intel-nehalem) echo "${generic/model=100/model=26},x-pmu-version=3,x-pmu-pebs=1" ;;
	intel-sandybridge) echo "${generic/model=100/model=42},x-pmu-version=3,x-pmu-pebs=1" ;;
	intel-skylake) echo "${generic/model=100/model=94},x-pmu-version=4,x-pmu-counters=8,x-pmu-extra=on,x-pmu-pebs=3" ;;
	amd-10h) echo phenom,pmu=on,-fxsr-opt,ibs=on ;;
	amd-15h) echo max,pmu=on,perfmon-v2=off,ibs=off,perfctr-nb=off,perfctr-llc=off ;;
	amd-perfmonv2) echo max,pmu=on,ibs=on,perfctr-nb=off,perfctr-llc=off ;;
	power9-levels) echo power9 ;;
	amd-17h) echo max,pmu=on,perfmon-v2=off,ibs=off,topoext=on,xlevel=0x8000001e,family=23,model=49 ;;
	*) return 1 ;;
	esac
}

# other_cpu NAME: if the guest's CPUs differ, print the argument of QEMU's option -device that adds
# the second CPU. If all CPUs of the guest are equal, print nothing and fail. perf does not
# recognize the model as hybrid, so it assumes that all CPUs have the counters of the first CPU. So
# the second CPU must have all counters of the first one.
other_cpu() {
	[[ $1 == intel-mixed ]] || return
	echo Nehalem-x86_64-cpu,socket-id=1,core-id=0,thread-id=0,x-pmu-version=5,x-pmu-counters=8,x-pmu-lbr=on,x-pmu-pebs=4,x-core-type=0x40
}
