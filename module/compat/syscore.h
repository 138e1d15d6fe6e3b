/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Callbacks for suspend and resume.  Since 6.19, and since an update of 6.12, they take an
 * argument, and the structure that registers them has another name.  The file Kbuild finds
 * out which interface the kernel has, and defines PFM_HAS_SYSCORE if it is the new one.
 */
#ifndef PERFMON_COMPAT_SYSCORE_H
#define PERFMON_COMPAT_SYSCORE_H

#include <linux/syscore_ops.h>

#ifndef PFM_HAS_SYSCORE
#define PFM_SYSCORE_ARGUMENT void
#define PFM_SYSCORE(name, on_suspend, on_resume)                                         \
	static struct syscore_ops name = {                                               \
		.suspend = on_suspend,                                                   \
		.resume = on_resume,                                                     \
	}
#define pfm_syscore_register   register_syscore_ops
#define pfm_syscore_unregister unregister_syscore_ops
#else
#define PFM_SYSCORE_ARGUMENT void *unused
#define PFM_SYSCORE(name, on_suspend, on_resume)                                         \
	static const struct syscore_ops name##_ops = {                                   \
		.suspend = on_suspend,                                                   \
		.resume = on_resume,                                                     \
	};                                                                               \
	static struct syscore name = { .ops = &name##_ops }
#define pfm_syscore_register   register_syscore
#define pfm_syscore_unregister unregister_syscore
#endif

#endif
