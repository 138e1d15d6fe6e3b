/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Since 6.3 the kernel has vm_flags_mod(), and vm_area_struct.vm_flags is read-only.  hrtimer.h
 * says why vm_flags_mod() is a macro here.
 */
#ifndef PERFMON_COMPAT_MM_H
#define PERFMON_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void pfm_vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set,
				    vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#define vm_flags_mod pfm_vm_flags_mod
#endif

#endif
