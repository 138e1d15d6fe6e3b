// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters that several CPUs of an AMD processor share: PMUs "amd_l3" and "amd_df" of
 * perfmon_amd_uncore.h. An event code is the value of a PMC. libpfm4 has no events for these PMUs,
 * except three for the L3 of family 19h.
 *
 * The Processor Programming Reference of family 17h model 31h (document 55803) describes the events
 * in the sections "L3 Cache Performance Monitor Counters", "Data Fabric Performance Monitor
 * Counters" and "Performance Measurement". Models 00h to 0Fh of family 19h have the same codes. The
 * aliases are perf's names. Nobody has compared the codes below with this manual yet. The codes of
 * the remote links were compared with the codes in perf; the other codes were not.
 */
#include <perfmon/perfmon_amd_uncore.h>

#include "pmu.h"

#define EVENT PFM_AMD_UNCORE_EVENT
#define UMASK PFM_AMD_UNCORE_UMASK

/*
 * The bits that are valid in event codes on at least one processor family. The kernel refuses the
 * bits that are not valid on this machine's processor.
 */
#define L3_CODE                                                                          \
	(EVENT | UMASK | PFM_AMD_L3_SLICES | PFM_AMD_L3_THREADS | PFM_AMD_L3_19H_CORE |  \
	 PFM_AMD_L3_19H_ALL_SLICES | PFM_AMD_L3_19H_ALL_CORES | PFM_AMD_L3_19H_SLICE |   \
	 PFM_AMD_L3_19H_THREADS)
#define DF_CODE                                                                          \
	(EVENT | UMASK | PFM_AMD_DF_EVENT | PFM_AMD_DF_EVENT_V2 | PFM_AMD_DF_UMASK_V2)

static const struct common_event l3_events[] = {
	{
		.name = "l3-lookups",
		.alias = "l3_lookup_state.all_l3_req_typs",
		.description = "requests that were looked up in the L3",
		.role = ROLE_CACHE_REFERENCES,
		.codes = { 0xff04 },
		.code_count = 1,
	},
	{
		.name = "l3-misses",
		.alias = "l3_lookup_state.l3_miss",
		.description = "L3 requests that missed, or had to change a line's state",
		.role = ROLE_CACHE_MISSES,
		.codes = { 0x0104 },
		.code_count = 1,
	},
	{
		.name = "l3-hits",
		.alias = "l3_lookup_state.l3_hit",
		.description = "L3 requests that hit",
		.codes = { 0xfe04 },
		.code_count = 1,
	},
	{
		.name = "l3-fills",
		.alias = "xi_ccx_sdp_req1",
		.description =
			"L3 requests to the data fabric, from all threads and slices",
		.codes = { 0x3f9a },
		.code_count = 1,
	},
	{
		.name = "l3-fill-latency",
		.alias = "xi_sys_fill_latency",
		.description =
			"cycles during which L3 reads wait for data, divided by 16",
		.codes = { 0x0090 },
		.code_count = 1,
	},
};

/*
 * Unit mask 38H selects requests with data. Bits 6 and up of the event number contain the number of
 * the channel.
 */
#define CHANNEL(n, code)                                                                 \
	{                                                                                \
		.name = "dram-channel-" #n, .alias = "dram_channel_data_controller_" #n, \
		.description = "64-byte transfers from and to memory, on channel " #n,   \
		.codes = { code }, .code_count = 1,                                      \
	}

#define LINK(n, code)                                                                    \
	{                                                                                \
		.name = "remote-link-" #n,                                               \
		.alias = "remote_outbound_data_controller_" #n,                          \
		.description = "32-byte transfers to other packages, on link " #n,       \
		.codes = { code }, .code_count = 1,                                      \
	}

static const struct common_event df_events[] = {
	CHANNEL(0, 0x3807),	 CHANNEL(1, 0x3847),	  CHANNEL(2, 0x3887),
	CHANNEL(3, 0x38c7),	 CHANNEL(4, 0x100003807), CHANNEL(5, 0x100003847),
	CHANNEL(6, 0x100003887), CHANNEL(7, 0x1000038c7), LINK(0, 0x7000002c7),
	LINK(1, 0x800000207),	 LINK(2, 0x800000247),	  LINK(3, 0x800000287),
};

/* Each counter can count each event. */
static const struct counter_rule rules[] = { { .first = 0, .last = 15 } };

#define UNCORE(events)                                                                   \
	.has_scope = true, .common = (events),                                           \
	.common_count = sizeof(events) / sizeof((events)[0]), .rules = rules,            \
	.rule_count = sizeof(rules) / sizeof(rules[0]), .encode = pmu_encode_code

const struct pmu pmu_amd_l3 = {
	.name = "amd_l3",
	.code_mask = L3_CODE,
	UNCORE(l3_events),
};

const struct pmu pmu_amd_df = {
	.name = "amd_df",
	.code_mask = DF_CODE,
	UNCORE(df_events),
};
