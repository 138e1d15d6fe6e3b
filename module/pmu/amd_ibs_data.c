// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU description "amd_ibs": what a unit records about the instruction that it samples.
 *
 * The manual is the AMD64 Architecture Programmer's Manual, volume 2, section "Instruction-Based
 * Sampling".
 */
#include "amd_ibs.h"
#include "amd_ibs_control.h"

static const struct {
	u32 msr;
	u8 unit;
	u32 needs; /* the bit of amd_ibs_caps for this register; 0: the register always exists */
	const char *name;
} data_registers[PFM_AMD_IBS_REGISTERS] = {
	[PFM_AMD_IBS_FETCH_LINEAR] = { MSR_AMD64_IBSFETCHLINAD, FETCH, 0,
				       "IBS_FETCH_LINADDR" },
	[PFM_AMD_IBS_FETCH_PHYSICAL] = { MSR_AMD64_IBSFETCHPHYSAD, FETCH, 0,
					 "IBS_FETCH_PHYSADDR" },
	[PFM_AMD_IBS_OP_RIP] = { MSR_AMD64_IBSOPRIP, OP, 0, "IBS_OP_RIP" },
	[PFM_AMD_IBS_OP_DATA] = { MSR_AMD64_IBSOPDATA, OP, 0, "IBS_OP_DATA" },
	[PFM_AMD_IBS_OP_DATA2] = { MSR_AMD64_IBSOPDATA2, OP, 0, "IBS_OP_DATA2" },
	[PFM_AMD_IBS_OP_DATA3] = { MSR_AMD64_IBSOPDATA3, OP, 0, "IBS_OP_DATA3" },
	[PFM_AMD_IBS_DC_LINEAR] = { MSR_AMD64_IBSDCLINAD, OP, 0, "IBS_DC_LINADDR" },
	[PFM_AMD_IBS_DC_PHYSICAL] = { MSR_AMD64_IBSDCPHYSAD, OP, 0, "IBS_DC_PHYSADDR" },
	[PFM_AMD_IBS_BR_TARGET] = { MSR_AMD64_IBSBRTARGET, OP, IBS_CAPS_BRNTRGT,
				    "IBS_BR_TARGET" },
	[PFM_AMD_IBS_FETCH_DATA] = { MSR_AMD64_IBSFETCHCTL, FETCH, 0, "IBS_FETCH_CTL" },
};

static bool has_register(unsigned int n)
{
	return data_registers[n].msr &&
	       (!data_registers[n].needs || amd_ibs_caps & data_registers[n].needs);
}

/*
 * Read the sample of a unit.  If an NMI has halted the unit, its control register no longer has the
 * data of the sample, so read_control() returns the contents that this register had before the
 * halt.
 */
void amd_ibs_collect(struct ibs_cpu *cpu, enum unit unit)
{
	unsigned int n;

	for (n = 0; n < PFM_AMD_IBS_REGISTERS; n++)
		if (has_register(n) && data_registers[n].unit == unit)
			cpu->data[n] = data_registers[n].msr == control_of(unit)
					       ? read_control(cpu, unit)
					       : x86_read_msr(data_registers[n].msr);
}

/* Forget the sample of a unit. */
void amd_ibs_drop(struct ibs_cpu *cpu, enum unit unit)
{
	unsigned int n;

	for (n = 0; n < PFM_AMD_IBS_REGISTERS; n++)
		if (data_registers[n].unit == unit)
			cpu->data[n] = 0;
}

bool amd_ibs_is_of_kernel(u64 address)
{
	return (s64)address < 0;
}

/* Return: the address of the sampled instruction; 0 if the hardware could not record it. */
u64 amd_ibs_instruction(const struct ibs_cpu *cpu, enum unit unit)
{
	if (unit == FETCH)
		return cpu->data[PFM_AMD_IBS_FETCH_LINEAR];
	if (amd_ibs_caps & IBS_CAPS_RIPINVALIDCHK &&
	    cpu->data[PFM_AMD_IBS_OP_DATA] & IBS_RIP_INVALID)
		return 0;
	return cpu->data[PFM_AMD_IBS_OP_RIP];
}

static bool is_address(unsigned int n)
{
	return n == PFM_AMD_IBS_FETCH_LINEAR || n == PFM_AMD_IBS_OP_RIP ||
	       n == PFM_AMD_IBS_DC_LINEAR || n == PFM_AMD_IBS_BR_TARGET;
}

/*
 * Users who may not see the kernel get no kernel addresses, such as the target of a SYSCALL, and no
 * physical addresses.
 */
static bool is_hidden(unsigned int n, u64 value)
{
	return n == PFM_AMD_IBS_FETCH_PHYSICAL || n == PFM_AMD_IBS_DC_PHYSICAL ||
	       (is_address(n) && amd_ibs_is_of_kernel(value));
}

void amd_ibs_sample(const struct pfm_registers *registers, const u64 *pmds, u64 *values)
{
	const struct ibs_cpu *cpu = this_cpu_ptr(&ibs_cpus);
	unsigned int n;
	u64 rest, value;

	pfm_for_each_bit(n, rest, pmds[0] & ~IBS_COUNTERS) {
		value = cpu->data[n];
		values[n] = registers->sees_kernel || !is_hidden(n, value) ? value : 0;
	}
}

void __init amd_ibs_describe_data(struct pfm_register *pmds)
{
	unsigned int n;

	for (n = 0; n < PFM_AMD_IBS_REGISTERS; n++)
		if (has_register(n))
			pmds[n] = (struct pfm_register){
				.name = data_registers[n].name,
				.type = PFM_REG_SAMPLED,
				.width = 64,
				.address = data_registers[n].msr,
			};
}
