/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user_access_begin() and the functions that are used with it: arm64 has its own versions since
 * 6.9.  Before 6.9 arm64 used the generic versions, which check the address again at each access.
 * For these kernels this file defines versions in which only user_access_begin() checks the
 * address.
 */
#ifndef PERFMON_COMPAT_UACCESS_H
#define PERFMON_COMPAT_UACCESS_H

#include <linux/uaccess.h>
#include <linux/version.h>

#if defined(CONFIG_ARM64) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#include <asm/asm-extable.h>

static __must_check __always_inline bool pfm_user_access_begin(const void __user *address,
							       size_t size)
{
	if (unlikely(!access_ok(address, size)))
		return false;
	uaccess_ttbr0_enable();
	return true;
}
#undef user_access_begin
#define user_access_begin pfm_user_access_begin
#undef user_access_end
#define user_access_end uaccess_ttbr0_disable

/* Write a word of 64 bits; a fault jumps to @label. */
#undef unsafe_put_user
/* clang-format off */
#define unsafe_put_user(x, address, label)					\
do {										\
	u64 value_ = (x);							\
	static_assert(sizeof(*(address)) == sizeof(value_));			\
	asm goto("1:	sttr	%x0, [%1]\n"					\
		 _ASM_EXTABLE_UACCESS_ERR_ZERO(1b, %l2, wzr, wzr)		\
		 : : "rZ" (value_), "r" (uaccess_mask_ptr(address))		\
		 : "memory" : label);						\
} while (0)
/* clang-format on */

#undef unsafe_get_user
#define unsafe_get_user(x, address, label)                                               \
	do {                                                                             \
		int fault_ = 0;                                                          \
		__raw_get_mem("ldtr", (x), uaccess_mask_ptr(address), fault_, U);        \
		if (unlikely(fault_))                                                    \
			goto label;                                                      \
	} while (0)
#endif

#endif
