// SPDX-License-Identifier: LGPL-2.1-or-later
/* A sentence for each reason of <perfmon/perfmon_reason.h>. */
#include "internal.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const sentences[] = {
	[PFM_REASON_NONE] = "no call has failed on this descriptor",
	[PFM_REASON_FAULT] = "an address is not readable or not writable",
	[PFM_REASON_MEMORY] = "no memory",
	[PFM_REASON_NO_CONTEXT] = "the descriptor has no context yet: create one first",
	[PFM_REASON_HAS_CONTEXT] = "the descriptor has a context already",
	[PFM_REASON_COUNT] = "the number of elements is negative or too large",
	[PFM_REASON_TOO_LONG] =
		"the vector is longer than /sys/kernel/perfmon/arg_mem_max",
	[PFM_REASON_RESERVED] = "a reserved field is not zero",
	[PFM_REASON_FLAGS] = "a flag is unknown or does not fit the other flags",
	[PFM_REASON_UNSUPPORTED] =
		"this version of perfmon does not support the call, at least not "
		"with these flags or this PMU",
	[PFM_REASON_NO_PMU] = "no PMU description is loaded and none fits this machine",
	[PFM_REASON_PMU_HELD] = "the PMU is held by another user",
	[PFM_REASON_GROUP] =
		"only the group of /sys/kernel/perfmon/task_group may do this",
	[PFM_REASON_NO_PMC] = "the PMU has no such PMC",
	[PFM_REASON_NO_PMD] = "the PMU has no such PMD",
	[PFM_REASON_PMD_HELD] = "the PMD is held by another user of the PMU",
	[PFM_REASON_PMC_VALUE] = "the PMU does not accept the value of the PMC",
	[PFM_REASON_NOT_A_COUNTER] = "the PMC does not accept flag PFM_REGFL_NO_EMUL64",
	[PFM_REASON_PMD_UNUSED] = "the PMD is not in use in this set",
	[PFM_REASON_NO_SET] = "the event set does not exist",
	[PFM_REASON_SET_ZERO] = "event set 0 cannot be deleted",
	[PFM_REASON_LOADED] = "the context is loaded already",
	[PFM_REASON_UNLOADED] = "the context is not loaded",
	[PFM_REASON_NO_THREAD] = "there is no such thread",
	[PFM_REASON_THREAD_ENDED] = "the thread has ended or is ending",
	[PFM_REASON_KERNEL_THREAD] = "kernel threads cannot be monitored",
	[PFM_REASON_PERMISSION] = "the caller may not monitor that thread",
	[PFM_REASON_THREAD_TAKEN] = "the thread has a context already",
	[PFM_REASON_NOTHING_TO_RESTART] = "no notification is waiting for a restart",
	[PFM_REASON_TIMEOUT] = "the event set needs a timeout",
	[PFM_REASON_NO_FORMAT] = "there is no such sampling format",
	[PFM_REASON_FORMAT_SIZE] =
		"the argument of the sampling format has the wrong size",
	[PFM_REASON_FORMAT_ARGUMENT] = "the sampling format does not accept its argument",
	[PFM_REASON_BUFFER_LIMIT] =
		"sampling buffers have reached the limit /sys/kernel/perfmon/smpl_buffer_mem_max, which root can raise",
	[PFM_REASON_BUFFER_MEMLOCK] =
		"the user's sampling buffers have reached the limit of locked memory, 'ulimit -l'",
	[PFM_REASON_BLOCK_SELF] = "a thread cannot block itself",
	[PFM_REASON_SMPL_PMDS] =
		"a PMD in reg_smpl_pmds does not exist or cannot be used in this context",
	[PFM_REASON_RESET_PMDS] =
		"a PMD in reg_reset_pmds does not exist, is read-only or cannot be used in this context",
	[PFM_REASON_SET_LIMIT] =
		"the context has as many event sets as /sys/kernel/perfmon/max_sets allows; root can raise it",
	[PFM_REASON_SET_MEMORY] =
		"event sets have reached the limit /sys/kernel/perfmon/set_mem_max, which root can raise",
	[PFM_REASON_SWITCH_COUNT] = "reg_ovfl_switch_cnt is only for a counter",
	[PFM_REASON_FORMAT] = "the sampling format cannot be set up",
	[PFM_REASON_SIZE] = "a structure is shorter than its first version",
	[PFM_REASON_TAIL] =
		"a structure has fields that this version of perfmon does not have",
	[PFM_REASON_FORMAT_NAME] = "a sampling format has an argument, but no name",
	[PFM_REASON_ONLY_SAMPLED] = "the PMD can only be recorded in samples",
	[PFM_REASON_PMU_REFUSES] = "the PMU does not accept this context",
	[PFM_REASON_PARANOID] =
		"kernel.perf_event_paranoid is above 2: run 'sysctl "
		"kernel.perf_event_paranoid=2' or 'echo user >/sys/kernel/perfmon/policy' "
		"as root, or join the group of /sys/kernel/perfmon/task_group",
	[PFM_REASON_MAY_NOT_BLOCK] =
		"the caller may not block that thread: this needs the permission to "
		"attach with ptrace, and is never allowed for process 1",
	[PFM_REASON_SET_SHARE] =
		"the user's event sets have reached the limit /sys/kernel/perfmon/set_user_max, which root can raise",
	[PFM_REASON_SYS_GROUP] = "monitoring CPUs needs CAP_PERFMON, or the group of "
				 "/sys/kernel/perfmon/sys_group",
	[PFM_REASON_NO_CPU] = "there is no CPU with that number",
	[PFM_REASON_FOREIGN_CPU] = "that CPU does not have the context's PMU",
	[PFM_REASON_CPU_OFFLINE] = "that CPU is offline",
	[PFM_REASON_CPU_TAKEN] = "that CPU has a system-wide context already",
	[PFM_REASON_OF_THREAD] =
		"the register counts events of threads, not events of CPUs",
	[PFM_REASON_COPIES] =
		"other threads have copies of the context: unload the context first",
	[PFM_REASON_COPIED_SETS] =
		"a context that threads and children inherit may have at most 64 event sets",
	[PFM_REASON_SHARED_PMU] =
		"CPUs share this PMU: only system-wide contexts can use it",
	[PFM_REASON_NO_LEVELS] =
		"the PMU counts at all levels, and the caller may count at user level only",
	[PFM_REASON_NO_BUFFER] = "the context has no sampling buffer for that CPU",
	[PFM_REASON_KEEPS_NO_COUNTS] =
		"the context does not keep the counts of threads: it is system-wide, or was "
		"made without PFM_FL_KEEP_COUNTS",
	[PFM_REASON_NO_COUNTS] = "there are no unread counts of ended threads",
};

PFMDEV_EXPORT const char *pfm_strreason(unsigned int reason)
{
	return reason < COUNT(sentences) ? sentences[reason] : NULL;
}
