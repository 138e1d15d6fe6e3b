// SPDX-License-Identifier: GPL-2.0-only
#if defined(__x86_64__)

#include <cpuid.h>

#include "guest.h"
#include "x86_branches.h"

#define ARCH_LBR  (1u << 19) /* CPUID leaf 7, EDX */
#define LEAF_LBR  0x1c
#define DEPTHS_32 (1u << 3) /* leaf 1CH, EAX: 32 entries are possible */

bool has_lbr(void)
{
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !(edx & ARCH_LBR))
		return false;
	return __get_cpuid_count(LEAF_LBR, 0, &eax, &ebx, &ecx, &edx) && eax & DEPTHS_32;
}

__asm__(".text\n"
	".p2align 4\n"
	".globl take_known_branches\n"
	".type take_known_branches, @function\n"
	"take_known_branches:\n"
	"known_jump: jmp known_jumped\n"
	"	ud2\n"
	"known_jumped: xor %eax, %eax\n"
	"	jnz known_bad\n"
	"known_conditional: jz known_call\n"
	"known_bad: ud2\n"
	"known_call: call known_leaf\n"
	"known_after_call: lea known_target(%rip), %rax\n"
	"known_indirect_jump: jmp *%rax\n"
	"	ud2\n"
	"known_target: lea known_leaf(%rip), %rax\n"
	"known_indirect_call: call *%rax\n"
	"known_after_indirect_call: ret\n"
	".p2align 4\n"
	"known_leaf: ret\n"
	".size take_known_branches, . - take_known_branches\n"
	".p2align 4\n"
	".globl call_deep, call_deep_itself, call_deep_bottom\n"
	".type call_deep, @function\n"
	"call_deep:\n"
	"	sub $8, %rsp\n"
	"	dec %rdi\n"
	"	jz 2f\n"
	"call_deep_itself: call call_deep\n"
	"	jmp 3f\n"
	"2:\n"
	"call_deep_bottom: call *%rsi\n"
	"3:	add $8, %rsp\n"
	"	ret\n"
	".size call_deep, . - call_deep\n");

extern const char known_jump[], known_jumped[], known_conditional[], known_call[],
	known_after_call[], known_indirect_jump[], known_target[], known_indirect_call[],
	known_after_indirect_call[], known_leaf[];

#define AT(label) (uint64_t)(label)

const struct branch *known_branches(void)
{
	static struct branch branches[KNOWN_BRANCHES];

	branches[0] = (struct branch){ AT(known_jump), AT(known_jumped), LBR_JUMP, 2 };
	branches[1] = (struct branch){ AT(known_conditional), AT(known_call),
				       LBR_CONDITIONAL, 0 };
	branches[2] = (struct branch){ AT(known_call), AT(known_leaf), LBR_CALL, 4 };
	branches[3] =
		(struct branch){ AT(known_leaf), AT(known_after_call), LBR_RETURN, 5 };
	branches[4] = (struct branch){ AT(known_indirect_jump), AT(known_target),
				       LBR_INDIRECT_JUMP, 1 };
	branches[5] = (struct branch){ AT(known_indirect_call), AT(known_leaf),
				       LBR_INDIRECT_CALL, 3 };
	branches[6] = (struct branch){ AT(known_leaf), AT(known_after_indirect_call),
				       LBR_RETURN, 5 };
	return branches;
}

#endif
