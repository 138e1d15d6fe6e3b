/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: code whose taken branches are known, and the registers of Intel's last branch records (Intel
 * SDM, volume 3B, chapter "Last Branch Records").
 */
#ifndef X86_BRANCHES_H
#define X86_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

/* LBR_INFO, LBR_FROM and LBR_TO are the MSRs of entry 0, the youngest entry. */
#define LBR_INFO	     0x1200
#define LBR_CONTROL	     0x14ce
#define LBR_DEPTH	     0x14cf
#define LBR_FROM	     0x1500
#define LBR_TO		     0x1600

/* Bits of LBR_CONTROL */
#define LBR_ENABLE	     0x1
#define LBR_KERNEL	     0x2
#define LBR_USER	     0x4
#define LBR_CALL_STACK	     0x8
#define LBR_CONDITIONAL	     0x10000
#define LBR_JUMP	     0x20000
#define LBR_INDIRECT_JUMP    0x40000
#define LBR_CALL	     0x80000
#define LBR_INDIRECT_CALL    0x100000
#define LBR_RETURN	     0x200000
#define LBR_OTHER	     0x400000
#define LBR_ALL		     0x7f0000
#define LBR_CALLS	     (LBR_CALL | LBR_INDIRECT_CALL | LBR_RETURN)

/* Types of branches in the info of an entry, bits 59 to 56 */
#define LBR_TYPE(info)	     ((info) >> 56 & 0xf)

/* If a branch came from a level that is not recorded, its entry has this address as its source. */
#define LBR_FROM_OTHER_LEVEL UINT64_MAX

#define LBR_MOST	     32

/**
 * struct branch - a branch that was taken
 * @from: address of its instruction
 * @to: address that it went to
 * @kind: bit of LBR_CONTROL that enables its recording
 * @type: LBR_TYPE()
 */
struct branch {
	uint64_t from;
	uint64_t to;
	uint32_t kind;
	unsigned int type;
};

#define KNOWN_BRANCHES 7

/* Returns whether the processor has architectural LBR with at least 32 entries. */
bool has_lbr(void);

/*
 * Takes each of the known branches once, in order. The function also contains a conditional branch
 * that it does not take.
 */
void take_known_branches(void);
/* Returns the known branches, the oldest first. */
const struct branch *known_branches(void);

/* Calls itself until @depth calls are nested, and then calls @at_bottom. */
void call_deep(uint64_t depth, void (*at_bottom)(void));
/* Addresses of two instructions of call_deep(): one calls call_deep(), the other at_bottom(). */
extern const char call_deep_itself[], call_deep_bottom[];

#endif
