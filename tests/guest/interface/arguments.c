// SPDX-License-Identifier: GPL-2.0-only
/* Implements arguments.h: arguments that calls have to refuse. */
#include <sys/mman.h>

#include "arguments.h"

void *const bad_addresses[5] = {
	NULL, (void *)8, (void *)-4096, (void *)(1ul << 63), (void *)-1,
};

char *memory_end(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(mprotect(memory + page, page, PROT_NONE), 0);
	return memory + page;
}

int write_one_pmd(int fd, pfarg_pmd_t pmd)
{
	return pfm_write_pmds(fd, &pmd, 1);
}
