/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks what sysfs reports about the registers of a PMU. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Consecutive registers as their manual describes them.
 * @kind: "pmc" or "pmd"
 * @first, @count: number of the first register, and how many there are
 * @stride: difference between the numbers of consecutive registers; 0 means 1
 * @name: the name; a %u in it stands for the position of the register in the row: 0, 1, 2 and so on
 * @address: address of the first register
 * @step: difference between the addresses of consecutive registers
 * @reserved: bits that a program must not set
 * @initial: the default value
 * @width: number of bits that hold the count
 * If several rows contain the same register, the register must be as in one of them.
 */
struct register_row {
	const char *kind;
	unsigned int first, count, stride;
	const char *name;
	uint64_t address, step;
	uint64_t reserved, initial;
	unsigned int width;
};

bool pmu_is_registered(const char *pmu);

/*
 * Checks the registers of PMU @pmu with numbers below 256. Each of them must be as in one of the
 * @count rows.
 */
void registers_must_be(const char *pmu, const struct register_row *rows, size_t count);

#endif
