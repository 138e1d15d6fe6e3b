// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what format "callchain" records if it cannot follow a user stack to its end. The reason can
 * be a bad frame pointer, too many frames, a 32-bit program, or memory that is being unmapped.
 */
#include <sys/mman.h>

#include "callchain.h"

SUITE(frames, 120);

/* ---- bad frame pointers ------------------------------------------------------------------------------ */

/*
 * Spins and increments page->turns until page->stop is set. While it spins, the frame pointer (r1
 * on POWER) is @pointer.
 */
static void spin_with_frame(struct child_page *page, uint64_t pointer)
{
	/* clang-format off */
#if defined(__x86_64__)
	__asm__ volatile("mov %%rbp, %%r8; mov %0, %%rbp\n"
			 "1: incq %c2(%1); cmpq $0, %c3(%1); je 1b\n"
			 "mov %%r8, %%rbp"
			 :
			 : "a"(pointer), "D"(page),
			   "i"(offsetof(struct child_page, turns)),
			   "i"(offsetof(struct child_page, stop))
			 : "r8", "cc", "memory");
#elif defined(__aarch64__)
	register uint64_t to __asm__("x0") = pointer;
	register struct child_page *there __asm__("x1") = page;

	__asm__ volatile("mov x8, x29; mov x29, %0\n"
			 "1: ldr x9, [%1, %2]; add x9, x9, 1; str x9, [%1, %2]\n"
			 "ldr x9, [%1, %3]; cbz x9, 1b\n"
			 "mov x29, x8"
			 :
			 : "r"(to), "r"(there), "i"(offsetof(struct child_page, turns)),
			   "i"(offsetof(struct child_page, stop))
			 : "x8", "x9", "memory");
#elif defined(__powerpc64__)
	register uint64_t to __asm__("r3") = pointer;
	register struct child_page *there __asm__("r4") = page;

	__asm__ volatile("mr 8, 1; mr 1, %0\n"
			 "1: ld 9, %2(%1); addi 9, 9, 1; std 9, %2(%1)\n"
			 "ld 9, %3(%1); cmpdi 0, 9, 0; beq 0, 1b\n"
			 "mr 1, 8"
			 :
			 : "r"(to), "b"(there), "i"(offsetof(struct child_page, turns)),
			   "i"(offsetof(struct child_page, stop))
			 : "r8", "r9", "cr0", "memory");
#endif
	/* clang-format on */
}

enum wrong_frame {
	FRAME_NULL,
	FRAME_LOW,
	FRAME_ODD,
	FRAME_UNMAPPED,
	FRAME_AT_THE_END, /* the frame begins in the last word that can be read */
	FRAME_OF_THE_KERNEL,
	FRAME_ON_TOP, /* at the end of the address space */
	FRAME_NOWHERE, /* above all user addresses, below all kernel addresses */
	FRAME_TO_ITSELF,
	FRAME_DOWNWARDS,
	FRAME_KINDS
};

#define ADDRESS_IN_FRAME 0x123456789abcull

#define FRAMES_SIZE	 65536

/* Maps memory for frames, followed by memory that cannot be read. */
static uint64_t *map_frames(void)
{
	char *frames = mmap(NULL, 2 * FRAMES_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (frames == MAP_FAILED ||
	    mprotect(frames + FRAMES_SIZE, FRAMES_SIZE, PROT_NONE))
		abort();
	return (uint64_t *)frames;
}

static uint64_t make_frame(enum wrong_frame kind)
{
	const size_t words = FRAMES_SIZE / 8;
	uint64_t *frames = map_frames(), address = (uintptr_t)(frames + 100);

	frames[101] = frames[102] = ADDRESS_IN_FRAME;
	frames[words - 1] = address;
	switch (kind) {
	case FRAME_LOW:
		return 8;
	case FRAME_ODD:
		frames[100] = address + 64;
		return address + 4;
	case FRAME_UNMAPPED:
		return (uintptr_t)(frames + words + 16);
	case FRAME_AT_THE_END:
		return (uintptr_t)(frames + words - 1);
	case FRAME_OF_THE_KERNEL:
		return 0xc000000000001000ull;
	case FRAME_ON_TOP:
		return -8ull;
	case FRAME_NOWHERE:
		return 0x0100000000001000ull;
	case FRAME_TO_ITSELF:
		frames[100] = address;
		return address;
	case FRAME_DOWNWARDS:
		frames[100] = address - 64;
		return address;
	default:
		return 0;
	}
}

static uint64_t spin_with_wrong_frame(uint64_t kind)
{
	spin_with_frame(child_own_page(), make_frame(kind));
	return 0;
}

/*
 * Returns the number of return addresses that format "callchain" must find in a frame of this kind.
 * On POWER, it finds no return address in a wrong frame.
 */
static unsigned int addresses_in(enum wrong_frame kind)
{
#if defined(__powerpc64__)
	(void)kind;
	return 0;
#else
	return kind == FRAME_TO_ITSELF || kind == FRAME_DOWNWARDS;
#endif
}

static void check_wrong_frame(enum wrong_frame kind)
{
	struct child child = child_new();
	struct callchain chain = callchain_new(0);
	entry_t entry;

	child_begin(&child, spin_with_wrong_frame, kind);
	wait_until(child.page->turns);
	callchain_start(&chain, child.pid);
	wait_for_samples(&chain, 20);
	must(chain.fd, pfm_stop(chain.fd));
	child_rest(&child);
	must_be_whole_chains(&chain, true);
	for_each_entry(entry, &chain) {
		if (is_in_switch(entry))
			continue;
		ck_assert_msg(entry->user_count == 1 + addresses_in(kind),
			      "wrong frame %d: %u user addresses, %u kernel addresses",
			      kind, entry->user_count, entry->kernel_count);
		if (entry->user_count > 1)
			ck_assert_uint_eq(user_of(entry)[1], ADDRESS_IN_FRAME);
	}
	callchain_free(&chain);
	child_exit(&child);
}

static void check_wrong_frames(void)
{
	int kind;

	need_overflow_interrupts();
	for (kind = 0; kind < FRAME_KINDS; kind++)
		check_wrong_frame(kind);
}

TEST(a_wrong_frame_pointer_does_no_harm)
{
	with_formats(check_wrong_frames);
}

/* ---- too many frames ------------------------------------------------------------------- */

#define MANY 200 /* number of frames, more than DEEPEST; each has 64 bytes */

/* The return address in frame i is ADDRESS_IN_FRAME + i. */
static uint64_t spin_with_many_frames(uint64_t unused)
{
	uint64_t *frames = map_frames(), i;

	(void)unused;
	for (i = 0; i < MANY; i++) {
		frames[8 * i] = (uintptr_t)(frames + 8 * (i + 1));
		frames[8 * i + 1] = frames[8 * i + 2] = ADDRESS_IN_FRAME + i;
	}
	spin_with_frame(child_own_page(), (uintptr_t)frames);
	return 0;
}

/*
 * The first address is that of the interrupted instruction. On POWER, r1 points to frame 0, the
 * function's own frame, but a function's return address is in the frame of its caller. So the
 * return address in frame 0 is not recorded. The second address is the value of the link register;
 * the return addresses in frames 1, 2 and so on follow.
 */
static void must_be_many(entry_t entry)
{
	const uint64_t *user = user_of(entry);
	unsigned int i, first = 1, number = 0;

#if defined(__powerpc64__)
	first = 2;
	number = 1;
#endif
	ck_assert_uint_eq(entry->user_count, DEEPEST);
	for (i = first; i < DEEPEST; i++)
		ck_assert_uint_eq(user[i], ADDRESS_IN_FRAME + number++);
}

static void check_depth(void)
{
	struct child child = child_new();
	struct callchain chain;
	entry_t entry;

	need_overflow_interrupts();
	chain = callchain_new(0);
	child_begin(&child, spin_with_many_frames, 0);
	wait_until(child.page->turns);
	callchain_start(&chain, child.pid);
	wait_for_samples(&chain, 20);
	must(chain.fd, pfm_stop(chain.fd));
	child_rest(&child);
	must_be_whole_chains(&chain, true);
	for_each_entry(entry, &chain) {
		if (!is_in_switch(entry))
			must_be_many(entry);
	}
	child_exit(&child);
}

TEST(a_stack_deeper_than_the_limit_is_cut)
{
	with_formats(check_depth);
}

/* ---- 32 bits ------------------------------------------------------------------------------- */

#if defined(__x86_64__)
/*
 * A page below 4 GiB begins with a 32-bit loop that counts ecx down. After the loop, the 32-bit
 * code jumps to 64-bit code on the same page. The 64-bit code jumps to the address that is stored
 * at WORD.
 */
#define CODE_64 16
#define WORD	32

static unsigned char *make_32_bit_code(void)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	/* dec %ecx; jnz; ljmp $0x33, code */
	static const unsigned char code_32[] = { 0x49, 0x75, 0xfd, 0xea, 0,
						 0,    0,    0,	   0x33, 0 };
	/* jmp *word */
	static const unsigned char code_64[] = { 0xff, 0x24, 0x25 };
	uint32_t address;

	if (page == MAP_FAILED)
		abort();
	memcpy(page, code_32, sizeof(code_32));
	address = (uintptr_t)page + CODE_64;
	memcpy(page + 4, &address, sizeof(address));
	memcpy(page + CODE_64, code_64, sizeof(code_64));
	address = (uintptr_t)page + WORD;
	memcpy(page + CODE_64 + 3, &address, sizeof(address));
	return page;
}

/*
 * Runs @turns iterations of the 32-bit loop. 32-bit code destroys the upper halves of the stack
 * pointer and of some other registers. So this function saves the frame pointer and the stack
 * pointer on the page.
 */
static void run_32_bit_code(unsigned char *page, uint64_t turns)
{
	__asm__ volatile("lea 1f(%%rip), %%rax; mov %%rax, %c2(%0)\n"
			 "mov %%rsp, %%rax; lea 4096(%0), %%rsp; push %%rax; push %%rbp\n"
			 "pushq $0x23; push %0; lretq\n"
			 "1: pop %%rbp; pop %%rsp"
			 : "+D"(page), "+c"(turns)
			 : "i"(WORD)
			 : "rax", "rbx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12",
			   "r13", "r14", "r15", "cc", "memory");
}

static uint64_t spin_in_32_bits(uint64_t unused)
{
	struct child_page *own = child_own_page();
	unsigned char *page = make_32_bit_code();

	(void)unused;
	own->number = (uintptr_t)page;
	while (!own->stop) {
		run_32_bit_code(page, 1000000);
		own->turns++;
	}
	return own->turns;
}

static void check_32_bits(void)
{
	struct child child = child_new();
	struct callchain chain = callchain_new(0);
	uint64_t samples = 0;
	entry_t entry;

	child_begin(&child, spin_in_32_bits, 0);
	wait_until(child.page->turns);
	callchain_start(&chain, child.pid);
	wait_for_samples(&chain, 50);
	must(chain.fd, pfm_stop(chain.fd));
	child_rest(&child);
	must_be_whole_chains(&chain, true);
	for_each_entry(entry, &chain) {
		if (user_of(entry)[0] - child.page->number >= CODE_64)
			continue;
		ck_assert_uint_eq(entry->user_count, 1);
		samples++;
	}
	ck_assert_uint_ge(samples, 25);
	child_exit(&child);
}
#endif

TEST(code_of_32_bits_has_only_the_instruction)
{
#if defined(__x86_64__)
	with_formats(check_32_bits);
#else
	skip("no 32-bit code on this machine");
#endif
}

/* ---- memory that is unmapped ------------------------------------------------------------------ */

/* Allocates so much memory that freeing it takes a long time. */
static uint64_t take_memory(uint64_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return memory != MAP_FAILED;
}

/*
 * Samples a child that has much memory and exits. Returns the number of samples that came while the
 * kernel freed this memory. The first sample of the child comes after @first ns.
 */
static uint64_t sample_end(const struct function *exit_mmap, uint64_t first)
{
	struct child child = child_new();
	struct callchain chain = callchain_new(0);
	struct pfarg_pmd pmd = callchain_pmd(chain.fd);
	uint64_t samples = 0;
	entry_t entry;

	pmd.reg_value = -first;
	must(chain.fd, pfm_write_pmds(chain.fd, &pmd, 1));
	ck_assert(child_call(&child, take_memory, 64 * MIB));
	callchain_start(&chain, child.pid);
	child_exit(&child);
	must_end(chain.fd);
	must_be_whole_chains(&chain, true);
	for_each_entry(entry, &chain) {
		if (!passes(entry, exit_mmap))
			continue;
		ck_assert_uint_eq(entry->user_count, 1);
		samples++;
	}
	callchain_free(&chain);
	return samples;
}

/*
 * Returns whether this kernel calls the tracepoint sched_process_exit before it frees the memory of
 * an exiting process. In such a kernel, the thread is no longer monitored while its memory is
 * freed. The kernel commit that moved the tracepoint also added the argument group_dead, so this
 * function looks for this argument.
 */
static bool is_freed_unmonitored(void)
{
	const char *format = "/sys/kernel/tracing/events/sched/sched_process_exit/format";

	return strstr(read_text(format), "group_dead");
}

/*
 * Samples one exiting child after the other. With large pages, the kernel frees the memory in less
 * than a period. In some guests, the memory is always freed at the same time after the start of
 * sampling. If all children had the same first period, it could happen that no child is sampled
 * while its memory is freed. So the first period changes from child to child.
 */
static void check_end(void)
{
	bool is_unmonitored = is_freed_unmonitored();
	int turn, turns = is_unmonitored ? 20 : 100;
	struct function exit_mmap;
	uint64_t samples = 0;

	need_overflow_interrupts();
	exit_mmap = find_function("exit_mmap");
	for (turn = 0; turn < turns && samples < 3; turn++)
		samples += sample_end(&exit_mmap, format_period() * (turn % 20 + 1) / 20);
	if (is_unmonitored)
		ck_assert_uint_eq(samples, 0);
	else
		ck_assert_uint_ge(samples, 3);
}

TEST(an_exiting_thread_has_no_user_stack)
{
	with_formats(check_end);
}
