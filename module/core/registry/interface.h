/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_INTERFACE_H
#define PERFMON_INTERFACE_H

#include <linux/errno.h>
#include <linux/module.h>
#include <linux/printk.h>

/*
 * If a module was built against other headers, its structures may differ from those of the core.
 * The fields of the description that it registers may then be at other offsets.  Only the interface
 * number has a fixed offset: it is always the first field.  So check this number before you read
 * any other field.  The kernel detects such modules only with CONFIG_MODVERSIONS.
 */
static inline int pfm_interface_check(const char *kind, u32 built_for, u32 offered,
				      const struct module *module)
{
	if (built_for == offered)
		return 0;
	pr_err("perfmon: %s was built for %s interface %u, but this perfmon has %u: rebuild it against the headers of this perfmon\n",
	       module->name, kind, built_for, offered);
	return -ENOEXEC;
}

#endif
