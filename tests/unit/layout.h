/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists the sizes, offsets and values that existing programs use: those of perfmon2 v2.8 and those
 * of this project's own structures. They are written as numbers here, and are not computed from the
 * headers under test.
 */
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#define SIZES(X)                                                                         \
	X(pfarg_ctx_t, 64)                                                               \
	X(pfarg_pmc_t, 48)                                                               \
	X(pfarg_pmd_t, 176)                                                              \
	X(pfarg_pmr_t, 16)                                                               \
	X(pfarg_start_t, 32)                                                             \
	X(pfarg_load_t, 32)                                                              \
	X(pfarg_setdesc_t, 64)                                                           \
	X(pfarg_setinfo_t, 200)                                                          \
	X(pfarg_ovfl_msg_t, 64)                                                          \
	X(pfarg_msg_t, 64)                                                               \
	X(os_err_t, 4)                                                                   \
	X(struct pfm_create, 96)                                                         \
	X(struct pfm_vector, 16)                                                         \
	X(struct pfm_info, 392)                                                          \
	X(struct pfm_status, 64)                                                         \
	X(struct pfm_statistics, 192)                                                    \
	X(struct pfm_restart_cpu, 32)                                                    \
	X(struct pfm_thread_counts, 64)                                                  \
	X(struct pfm_error, 64)                                                          \
	X(struct pfm_msg_header, 8)                                                      \
	X(struct pfm_dfl_smpl_arg, 64)                                                   \
	X(struct pfm_dfl_smpl_hdr, 128)                                                  \
	X(struct pfm_dfl_smpl_entry, 40)                                                 \
	X(struct pfm_nway_arg, 64)                                                       \
	X(struct pfm_nway_hdr, 128)                                                      \
	X(struct pfm_nway_region, 32)                                                    \
	X(struct pfm_callchain_arg, 64)                                                  \
	X(struct pfm_callchain_entry, 48)                                                \
	X(struct pfm_hist_arg, 64)                                                       \
	X(struct pfm_hist_hdr, 128)                                                      \
	X(struct pfm_hist_entry, 32)

#define OFFSETS(X)                                                                       \
	X(pfarg_ctx_t, ctx_flags, 0)                                                     \
	X(pfarg_ctx_t, ctx_reserved1, 4)                                                 \
	X(pfarg_ctx_t, ctx_reserved3, 8)                                                 \
	X(pfarg_pmc_t, reg_num, 0)                                                       \
	X(pfarg_pmc_t, reg_set, 2)                                                       \
	X(pfarg_pmc_t, reg_flags, 4)                                                     \
	X(pfarg_pmc_t, reg_value, 8)                                                     \
	X(pfarg_pmc_t, reg_reserved2, 16)                                                \
	X(pfarg_pmr_t, reg_num, 0)                                                       \
	X(pfarg_pmr_t, reg_set, 2)                                                       \
	X(pfarg_pmr_t, reg_flags, 4)                                                     \
	X(pfarg_pmr_t, reg_value, 8)                                                     \
	X(pfarg_pmd_t, reg_num, 0)                                                       \
	X(pfarg_pmd_t, reg_set, 2)                                                       \
	X(pfarg_pmd_t, reg_flags, 4)                                                     \
	X(pfarg_pmd_t, reg_value, 8)                                                     \
	X(pfarg_pmd_t, reg_long_reset, 16)                                               \
	X(pfarg_pmd_t, reg_short_reset, 24)                                              \
	X(pfarg_pmd_t, reg_last_reset_val, 32)                                           \
	X(pfarg_pmd_t, reg_ovfl_switch_cnt, 40)                                          \
	X(pfarg_pmd_t, reg_reset_pmds, 48)                                               \
	X(pfarg_pmd_t, reg_smpl_pmds, 88)                                                \
	X(pfarg_pmd_t, reg_smpl_eventid, 128)                                            \
	X(pfarg_pmd_t, reg_random_mask, 136)                                             \
	X(pfarg_pmd_t, reg_random_seed, 144)                                             \
	X(pfarg_pmd_t, reg_reserved2, 148)                                               \
	X(pfarg_start_t, start_set, 0)                                                   \
	X(pfarg_start_t, start_reserved1, 2)                                             \
	X(pfarg_start_t, start_reserved2, 4)                                             \
	X(pfarg_start_t, reserved3, 8)                                                   \
	X(pfarg_load_t, load_pid, 0)                                                     \
	X(pfarg_load_t, load_set, 4)                                                     \
	X(pfarg_load_t, load_reserved1, 6)                                               \
	X(pfarg_load_t, load_reserved2, 8)                                               \
	X(pfarg_setdesc_t, set_id, 0)                                                    \
	X(pfarg_setdesc_t, set_reserved1, 2)                                             \
	X(pfarg_setdesc_t, set_flags, 4)                                                 \
	X(pfarg_setdesc_t, set_timeout, 8)                                               \
	X(pfarg_setdesc_t, reserved, 16)                                                 \
	X(pfarg_setinfo_t, set_id, 0)                                                    \
	X(pfarg_setinfo_t, set_reserved1, 2)                                             \
	X(pfarg_setinfo_t, set_flags, 4)                                                 \
	X(pfarg_setinfo_t, set_ovfl_pmds, 8)                                             \
	X(pfarg_setinfo_t, set_runs, 48)                                                 \
	X(pfarg_setinfo_t, set_timeout, 56)                                              \
	X(pfarg_setinfo_t, set_act_duration, 64)                                         \
	X(pfarg_setinfo_t, set_avail_pmcs, 72)                                           \
	X(pfarg_setinfo_t, set_avail_pmds, 112)                                          \
	X(pfarg_setinfo_t, set_reserved3, 152)                                           \
	X(pfarg_ovfl_msg_t, msg_type, 0)                                                 \
	X(pfarg_ovfl_msg_t, msg_ovfl_pid, 4)                                             \
	X(pfarg_ovfl_msg_t, msg_active_set, 8)                                           \
	X(pfarg_ovfl_msg_t, msg_ovfl_cpu, 10)                                            \
	X(pfarg_ovfl_msg_t, msg_ovfl_tid, 12)                                            \
	X(pfarg_ovfl_msg_t, msg_ovfl_ip, 16)                                             \
	X(pfarg_ovfl_msg_t, msg_ovfl_pmds, 24)                                           \
	X(pfarg_msg_t, type, 0)                                                          \
	X(pfarg_msg_t, pfm_ovfl_msg, 0)                                                  \
	X(struct pfm_create, format_name, 64)                                            \
	X(struct pfm_create, format_argument, 72)                                        \
	X(struct pfm_create, format_size, 80)                                            \
	X(struct pfm_create, pmu_name, 88)                                               \
	X(struct pfm_vector, count, 8)                                                   \
	X(struct pfm_vector, element_size, 12)                                           \
	X(struct pfm_info, pmu_name, 8)                                                  \
	X(struct pfm_info, pmu_model, 40)                                                \
	X(struct pfm_info, pmu_id, 104)                                                  \
	X(struct pfm_info, implemented_pmcs, 128)                                        \
	X(struct pfm_info, counter_pmds, 288)                                            \
	X(struct pfm_info, features, 328)                                                \
	X(struct pfm_info, interface_version, 336)                                       \
	X(struct pfm_info, context_flags, 340)                                           \
	X(struct pfm_info, pmc_flags, 344)                                               \
	X(struct pfm_info, pmd_flags, 348)                                               \
	X(struct pfm_info, pmr_flags, 352)                                               \
	X(struct pfm_info, set_flags, 356)                                               \
	X(struct pfm_info, statistics_flags, 360)                                        \
	X(struct pfm_info, reserved, 368)                                                \
	X(struct pfm_msg_header, size, 4)                                                \
	X(struct pfm_status, foreign_runs, 16)                                           \
	X(struct pfm_status, copies, 24)                                                 \
	X(struct pfm_status, not_followed, 32)                                           \
	X(struct pfm_status, closed_copies, 40)                                          \
	X(struct pfm_statistics, cpu, 4)                                                 \
	X(struct pfm_statistics, interrupts, 8)                                          \
	X(struct pfm_statistics, lost, 56)                                               \
	X(struct pfm_statistics, throttled, 64)                                          \
	X(struct pfm_statistics, foreign_runs, 104)                                      \
	X(struct pfm_statistics, reserved, 112)                                          \
	X(struct pfm_status, buffer_size, 48)                                            \
	X(struct pfm_status, buffer_cpus, 56)                                            \
	X(struct pfm_status, lost_samples, 60)                                           \
	X(struct pfm_status, dropped_counts, 28)                                         \
	X(struct pfm_restart_cpu, cpu, 0)                                                \
	X(struct pfm_restart_cpu, reserved1, 4)                                          \
	X(struct pfm_restart_cpu, reserved2, 8)                                          \
	X(struct pfm_thread_counts, count, 8)                                            \
	X(struct pfm_thread_counts, element_size, 12)                                    \
	X(struct pfm_thread_counts, which, 16)                                           \
	X(struct pfm_thread_counts, tid, 20)                                             \
	X(struct pfm_thread_counts, tgid, 24)                                            \
	X(struct pfm_thread_counts, name, 32)                                            \
	X(struct pfm_thread_counts, reserved2, 48)                                       \
	X(struct pfm_error, value, 16)                                                   \
	X(struct pfm_error, holder, 24)                                                  \
	X(struct pfm_dfl_smpl_arg, buf_flags, 8)                                         \
	X(struct pfm_dfl_smpl_arg, reserved, 16)                                         \
	X(struct pfm_dfl_smpl_hdr, hdr_cur_offs, 8)                                      \
	X(struct pfm_dfl_smpl_hdr, hdr_overflows, 16)                                    \
	X(struct pfm_dfl_smpl_hdr, hdr_buf_size, 24)                                     \
	X(struct pfm_dfl_smpl_hdr, hdr_min_buf_space, 32)                                \
	X(struct pfm_dfl_smpl_hdr, hdr_version, 40)                                      \
	X(struct pfm_dfl_smpl_hdr, hdr_buf_flags, 44)                                    \
	X(struct pfm_dfl_smpl_hdr, hdr_lost, 48)                                         \
	X(struct pfm_dfl_smpl_hdr, hdr_throttled, 56)                                    \
	X(struct pfm_dfl_smpl_hdr, hdr_reserved, 64)                                     \
	X(struct pfm_dfl_smpl_entry, ovfl_pmd, 4)                                        \
	X(struct pfm_dfl_smpl_entry, values, 6)                                          \
	X(struct pfm_dfl_smpl_entry, last_reset_val, 8)                                  \
	X(struct pfm_dfl_smpl_entry, ip, 16)                                             \
	X(struct pfm_dfl_smpl_entry, tstamp, 24)                                         \
	X(struct pfm_dfl_smpl_entry, cpu, 32)                                            \
	X(struct pfm_dfl_smpl_entry, set, 34)                                            \
	X(struct pfm_dfl_smpl_entry, tgid, 36)                                           \
	X(struct pfm_nway_arg, regions, 8)                                               \
	X(struct pfm_nway_arg, flags, 12)                                                \
	X(struct pfm_nway_arg, reserved, 16)                                             \
	X(struct pfm_nway_hdr, regions, 4)                                               \
	X(struct pfm_nway_hdr, region_size, 8)                                           \
	X(struct pfm_nway_hdr, region_offset, 16)                                        \
	X(struct pfm_nway_hdr, filled, 24)                                               \
	X(struct pfm_nway_hdr, released, 32)                                             \
	X(struct pfm_nway_hdr, produced, 40)                                             \
	X(struct pfm_nway_hdr, written, 48)                                              \
	X(struct pfm_nway_hdr, lost, 56)                                                 \
	X(struct pfm_nway_hdr, throttled, 64)                                            \
	X(struct pfm_nway_hdr, largest_entry, 72)                                        \
	X(struct pfm_nway_hdr, lost_told, 80)                                            \
	X(struct pfm_nway_hdr, reserved, 88)                                             \
	X(struct pfm_nway_region, size, 8)                                               \
	X(struct pfm_nway_region, lost, 16)                                              \
	X(struct pfm_nway_region, reserved, 24)                                          \
	X(struct pfm_callchain_arg, flags, 8)                                            \
	X(struct pfm_callchain_arg, max_kernel, 12)                                      \
	X(struct pfm_callchain_arg, max_user, 14)                                        \
	X(struct pfm_callchain_arg, reserved, 16)                                        \
	X(struct pfm_callchain_entry, value_count, 40)                                   \
	X(struct pfm_callchain_entry, kernel_count, 42)                                  \
	X(struct pfm_callchain_entry, user_count, 44)                                    \
	X(struct pfm_callchain_entry, flags, 46)                                         \
	X(struct pfm_hist_arg, flags, 4)                                                 \
	X(struct pfm_hist_arg, reserved, 8)                                              \
	X(struct pfm_hist_hdr, entries, 4)                                               \
	X(struct pfm_hist_hdr, used, 8)                                                  \
	X(struct pfm_hist_hdr, produced, 16)                                             \
	X(struct pfm_hist_hdr, lost, 24)                                                 \
	X(struct pfm_hist_hdr, lost_sum, 32)                                             \
	X(struct pfm_hist_hdr, throttled, 40)                                            \
	X(struct pfm_hist_hdr, reserved, 48)                                             \
	X(struct pfm_hist_entry, set, 4)                                                 \
	X(struct pfm_hist_entry, pmd, 6)                                                 \
	X(struct pfm_hist_entry, ip, 8)                                                  \
	X(struct pfm_hist_entry, count, 16)                                              \
	X(struct pfm_hist_entry, sum, 24)

#define VALUES(X)                                                                        \
	X(PFM_MAX_PMCS, 320)                                                             \
	X(PFM_MAX_PMDS, 320)                                                             \
	X(PFM_PMC_BV, 5)                                                                 \
	X(PFM_PMD_BV, 5)                                                                 \
	X(PFM_BPL, 64)                                                                   \
	X(PFM_BVSIZE(320), 5)                                                            \
	X(PFM_BVSIZE(321), 6)                                                            \
	X(PFM_FL_NOTIFY_BLOCK, 0x01)                                                     \
	X(PFM_FL_SYSTEM_WIDE, 0x02)                                                      \
	X(PFM_FL_MAP_SETS, 0x10)                                                         \
	X(PFM_FL_OVFL_NO_MSG, 0x80)                                                      \
	X(PFM_FL_INHERIT_THREADS, 0x100)                                                 \
	X(PFM_FL_INHERIT_ALL, 0x200)                                                     \
	X(PFM_REGFL_OVFL_NOTIFY, 0x1)                                                    \
	X(PFM_REGFL_RANDOM, 0x2)                                                         \
	X(PFM_REGFL_NO_EMUL64, 0x4)                                                      \
	X(PFM_SETFL_OVFL_SWITCH, 0x1)                                                    \
	X(PFM_SETFL_TIME_SWITCH, 0x2)                                                    \
	X(PFM_MSG_OVFL, 1)                                                               \
	X(PFM_MSG_END, 2)                                                                \
	X(PFM_GROUP_PERM_ANY, -1)                                                        \
	X(PFM_VERSION, 0x20008)                                                          \
	X(PFM_VERSION_MAJ, 2)                                                            \
	X(PFM_VERSION_MIN, 8)                                                            \
	X(PFM_VERSION_MAJOR(0x20051), 2)                                                 \
	X(PFM_VERSION_MINOR(0x20051), 0x51)                                              \
	X(PFM_STATE_UNLOADED, 1)                                                         \
	X(PFM_STATE_LOADED, 2)                                                           \
	X(PFM_STATE_MASKED, 3)                                                           \
	X(PFM_REASON_NONE, 0)                                                            \
	X(_IOC_NR(PFM_IOC_CREATE_CONTEXT), 0)                                            \
	X(_IOC_NR(PFM_IOC_WRITE_PMCS), 1)                                                \
	X(_IOC_NR(PFM_IOC_WRITE_PMDS), 2)                                                \
	X(_IOC_NR(PFM_IOC_READ_PMDS), 3)                                                 \
	X(_IOC_NR(PFM_IOC_LOAD), 4)                                                      \
	X(_IOC_NR(PFM_IOC_START), 5)                                                     \
	X(_IOC_NR(PFM_IOC_STOP), 6)                                                      \
	X(_IOC_NR(PFM_IOC_RESTART), 7)                                                   \
	X(_IOC_NR(PFM_IOC_CREATE_EVTSETS), 8)                                            \
	X(_IOC_NR(PFM_IOC_GETINFO_EVTSETS), 9)                                           \
	X(_IOC_NR(PFM_IOC_DELETE_EVTSETS), 10)                                           \
	X(_IOC_NR(PFM_IOC_UNLOAD), 11)
