// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does work that causes a known number of events. Tests measure this work with other programs.
 *
 * The program is linked statically and executes little besides the work. It uses stdio only for
 * messages, so that its start and its exit add few instructions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TWO_INSTRUCTIONS 20000000000ULL

static const char help[] =
	"Usage: pfm-workload WORK NUMBER...\n"
	"Do work of a known size, to test programs that measure it.\n"
	"\n"
	"  loop N       N instructions from pfm_loop_begin to pfm_loop_end\n"
	"  faults N     touch N fresh pages: N minor faults\n"
	"  switch N     give up the CPU N times (voluntary context switches)\n"
	"  spin MS      use MS milliseconds of CPU time; 0: spin for ever\n"
	"  threads T N  loop N in each of T threads at once\n"
	"  later T N    T threads; each waits for a byte from standard input, then makes\n"
	"               one more thread, and both loop N\n"
	"  chain T N    T threads; each loops N, makes the next one, and waits for a byte\n"
	"               from standard input\n"
	"  forks F N    loop N in each of F children, one after the other\n"
	"  two A B      about 20,000,000,000 instructions: A parts in pfm_first and B\n"
	"               parts in pfm_second; the two functions alternate\n"
	"  calls N      N turns of a loop in pfm_leaf, which calls nothing, and N turns\n"
	"               in pfm_inner, which calls pfm_leaf; pfm_outer calls pfm_inner\n"
	"  named N      N turns of a loop in the C++ function pfm::named(unsigned long)\n"
	"\n"
	"loop, threads, later, chain and forks take multiples of 10 as N. Exit status: 0, or 2 after an\n"
	"error message.\n";

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
	va_list values;

	fputs("pfm-workload: ", stderr);
	va_start(values, format);
	vfprintf(stderr, format, values);
	va_end(values);
	fputc('\n', stderr);
	exit(2);
}

/*
 * COUNTED_LOOP() makes a function with one argument, tens, which must be greater than 0. The loop
 * in this function executes exactly 10 * tens instructions. The only branch in the loop is direct,
 * because QEMU's count for POWER is too low after an indirect branch. The loop of pfm_loop() is
 * between pfm_loop_begin and pfm_loop_end. pfm_first() and pfm_second() make a stack frame before
 * the loop and remove the frame after the loop. Tools find the caller through this frame.
 */
/* clang-format off */
#if defined(__x86_64__) || defined(__i386__)
#ifdef __x86_64__
#define LOOP_START  "mov %rdi, %rcx\n"
#define LOOP_BACK   "dec %rcx; jnz 1b\n"
#define FRAME_BEGIN "push %rbp; mov %rsp, %rbp\n"
#define FRAME_END   "pop %rbp\n"
#else
#define LOOP_START  "mov 4(%esp), %ecx\n"
#define LOOP_BACK   "dec %ecx; jnz 1b\n"
#define FRAME_BEGIN "push %ebp; mov %esp, %ebp\n"
#define FRAME_END   "pop %ebp\n"
#endif
#define LOOP_TEN    "1: nop; nop; nop; nop; nop; nop; nop; nop;" LOOP_BACK
#define LOOP_RETURN "ret\n"
#elif defined(__aarch64__)
#define LOOP_START  ""
#define LOOP_TEN    "1: nop; nop; nop; nop; nop; nop; nop; nop; subs x0, x0, #1; b.ne 1b\n"
#define LOOP_RETURN "ret\n"
#define FRAME_BEGIN "stp x29, x30, [sp, #-16]!; mov x29, sp\n"
#define FRAME_END   "ldp x29, x30, [sp], #16\n"
#elif defined(__powerpc64__)
#define LOOP_START  "mtctr 3\n"
#define LOOP_TEN    "1: nop; nop; nop; nop; nop; nop; nop; nop; nop; bdnz 1b\n"
#define LOOP_RETURN "blr\n"
#define FRAME_BEGIN "mflr 0; std 0, 16(1); stdu 1, -32(1)\n"
#define FRAME_END   "addi 1, 1, 32; ld 0, 16(1); mtlr 0\n"
#else
#error "no counted loop for this architecture"
#endif

#define MARKER(name) ".globl " #name "\n" #name ":\n"

#define COUNTED_LOOP(name, begin, end)		\
	void name(unsigned long tens);		\
	__asm__(".text\n"			\
		".balign 64\n"			\
		".type " #name ", STT_FUNC\n"	\
		MARKER(name)			\
		LOOP_START			\
		begin				\
		LOOP_TEN			\
		end				\
		LOOP_RETURN			\
		".size " #name ", . - " #name "\n")
/* clang-format on */

COUNTED_LOOP(pfm_loop, MARKER(pfm_loop_begin), MARKER(pfm_loop_end));
COUNTED_LOOP(pfm_first, FRAME_BEGIN, FRAME_END);
COUNTED_LOOP(pfm_second, FRAME_BEGIN, FRAME_END);

/* One function for each kind of work. @n: the numbers from the command line, in order. */

static void loop(const uint64_t *n)
{
	if (n[0])
		pfm_loop(n[0] / 10);
}

static void faults(const uint64_t *n)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	const uint64_t pages = n[0];
	volatile char *memory;

	if (!pages)
		return;
	if (pages > SIZE_MAX / page)
		fail("too many pages: %" PRIu64, pages);
	memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		fail("cannot map %" PRIu64 " pages: %s", pages, strerror(errno));

	/* A huge page would cause only one fault. EINVAL: this kernel has no huge pages. */
	if (madvise((void *)memory, pages * page, MADV_NOHUGEPAGE) && errno != EINVAL)
		fail("madvise: %s", strerror(errno));
	for (uint64_t i = 0; i < pages; i++)
		memory[i * page] = 1;
}

static uint64_t voluntary_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/*
 * A sleep is one voluntary switch, unless its timer fires before the thread has left the CPU. So
 * the loop ends when the kernel has counted n[0] voluntary switches of this thread. This number
 * does not include preemptions, nor the last switch when the thread exits.
 */
static void switches(const uint64_t *n)
{
	const struct timespec shortest = { .tv_nsec = 1 };
	const uint64_t end = voluntary_switches() + n[0];
	uint64_t now;

	while ((now = voluntary_switches()) < end)
		nanosleep(&shortest, NULL);
	if (now > end)
		fail("switched %" PRIu64 " times too often", now - end);
}

static void spin(const uint64_t *n)
{
	struct timespec used;

	do {
		pfm_loop(1000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	} while (!n[0] || used.tv_sec * 1000ULL + used.tv_nsec / 1000000 < n[0]);
}

static void *thread_loop(void *n)
{
	loop(n);
	return NULL;
}

/*
 * The workload "threads" creates all its threads before any of them loops, and joins the threads
 * only after all of them have ended. So the C library executes the same instructions in each run,
 * no matter in which order the threads run.
 */
static struct {
	uint64_t instructions;
	int begin[2], end[2]; /* pipes */
} at_once;

static void pass_byte(ssize_t (*pass)(int, void *, size_t), int fd)
{
	char byte = 0;

	if (pass(fd, &byte, 1) != 1)
		fail("cannot use a pipe: %s", strerror(errno));
}

static ssize_t put(int fd, void *bytes, size_t size)
{
	return write(fd, bytes, size);
}

/*
 * The thread has its own file descriptors. The kernel closes them when the thread ends. So in
 * threads(), the last read() of at_once.end returns 0 (end of file) when all threads have ended.
 */
static void *loop_at_once(void *unused)
{
	if (unshare(CLONE_FILES))
		fail("unshare: %s", strerror(errno));
	pass_byte(put, at_once.end[1]);
	pass_byte(read, at_once.begin[0]);
	loop(&at_once.instructions);
	return unused;
}

static void threads(const uint64_t *n)
{
	enum {
		MOST = 10000
	};
	const uint64_t count = n[0];
	static pthread_t thread[MOST];
	char byte;
	int error;

	if (count > MOST)
		fail("more than %d threads", MOST);
	if (pipe(at_once.begin) || pipe(at_once.end))
		fail("pipe: %s", strerror(errno));
	at_once.instructions = n[1];
	for (uint64_t i = 0; i < count; i++) {
		error = pthread_create(&thread[i], NULL, loop_at_once, NULL);
		if (error)
			fail("cannot create thread %" PRIu64 ": %s", i, strerror(error));
	}
	for (uint64_t i = 0; i < count; i++)
		pass_byte(read, at_once.end[0]);
	close(at_once.end[1]);
	for (uint64_t i = 0; i < count; i++)
		pass_byte(put, at_once.begin[1]);
	if (read(at_once.end[0], &byte, 1))
		fail("the pipe has one byte more than there are threads");
	for (uint64_t i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
}

static void start(pthread_t *thread, void *(*run)(void *), uint64_t *n)
{
	pthread_attr_t attributes;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	error = pthread_create(thread, &attributes, run, n);
	if (error)
		fail("pthread_create: %s", strerror(error));
}

static void *loop_in_two(void *n)
{
	pthread_t other;
	char byte;

	if (read(STDIN_FILENO, &byte, 1) != 1)
		return NULL;
	start(&other, thread_loop, n);
	loop(n);
	pthread_join(other, NULL);
	return NULL;
}

static void later(const uint64_t *n)
{
	pthread_t *threads = calloc(n[0], sizeof(*threads));
	uint64_t instructions = n[1];

	if (!threads)
		fail("no memory");
	for (uint64_t i = 0; i < n[0]; i++)
		start(&threads[i], loop_in_two, &instructions);
	for (uint64_t i = 0; i < n[0]; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

/*
 * @numbers: two numbers. The first is the number of threads that have not looped yet, including
 * this one. The second is the number of instructions that each thread executes.
 */
static void *link_of_chain(void *numbers)
{
	uint64_t *left = numbers;
	bool is_last;
	pthread_t next;
	char byte;

	loop(left + 1);
	is_last = !--*left;
	if (!is_last)
		start(&next, link_of_chain, numbers);
	if (read(STDIN_FILENO, &byte, 1) != 1)
		fail("cannot read: %s", strerror(errno));
	if (!is_last)
		pthread_join(next, NULL);
	return NULL;
}

static void chain(const uint64_t *n)
{
	uint64_t numbers[] = { n[0], n[1] };
	pthread_t first;

	if (!n[0])
		return;
	start(&first, link_of_chain, numbers);
	pthread_join(first, NULL);
}

static void forks(const uint64_t *n)
{
	const uint64_t children = n[0];
	int status;
	pid_t child;

	for (uint64_t i = 0; i < children; i++) {
		child = fork();
		if (child < 0)
			fail("fork: %s", strerror(errno));
		if (!child) {
			loop(&n[1]);
			_exit(0);
		}
		if (waitpid(child, &status, 0) < 0 || status)
			fail("child %" PRIu64 " failed", i);
	}
}

/* The two functions alternate, so that their proportion is the same in every part of the run. */
static void two(const uint64_t *n)
{
	enum {
		TURNS = 1000,
		MOST_PARTS = 10000
	};
	const uint64_t tens_per_turn = TWO_INSTRUCTIONS / TURNS / 10;
	uint64_t part;

	if (!n[0] || !n[1] || n[0] > MOST_PARTS || n[1] > MOST_PARTS)
		fail("the number of parts must be from 1 to %d", MOST_PARTS);
	part = tens_per_turn / (n[0] + n[1]);
	for (int turn = 0; turn < TURNS; turn++) {
		pfm_first(part * n[0]);
		pfm_second(part * n[1]);
	}
}

/* The compiler must not optimize an OPAQUE function together with its callers. */
#define OPAQUE __attribute__((noipa))

/*
 * Each iteration executes about four instructions. They are the same in every function that uses
 * this loop.
 */
#define TURNS_OF_LOOP(n)                                                                 \
	for (unsigned long turn = (n); turn; turn--)                                     \
	__asm__ volatile("nop; nop" : "+r"(turn))

OPAQUE static unsigned long pfm_leaf(unsigned long turns)
{
	TURNS_OF_LOOP(turns);
	return turns;
}

OPAQUE static unsigned long pfm_inner(unsigned long turns)
{
	unsigned long result = pfm_leaf(turns);

	TURNS_OF_LOOP(turns);
	return result + 1;
}

OPAQUE static unsigned long pfm_outer(unsigned long turns)
{
	return pfm_inner(turns) + 1;
}

static void calls(const uint64_t *n)
{
	enum {
		TURNS = 1000
	};

	for (uint64_t left = n[0]; left; left -= left < TURNS ? left : TURNS)
		pfm_outer(left < TURNS ? left : TURNS);
}

/*
 * Programs for guests are built without a C++ compiler. So this is a C function with the symbol
 * name of a C++ function.
 */
static unsigned long pfm_named(unsigned long turns) __asm__("_ZN3pfm5namedEm");

OPAQUE static unsigned long pfm_named(unsigned long turns)
{
	TURNS_OF_LOOP(turns);
	return turns;
}

static void named(const uint64_t *n)
{
	pfm_named(n[0]);
}

enum {
	MOST_NUMBERS = 2
};

static const struct work {
	const char *name;
	int numbers;
	bool loops; /* the last number says how many instructions each loop executes */
	void (*run)(const uint64_t *n);
} works[] = {
	{ "loop", 1, true, loop },	  { "faults", 1, false, faults },
	{ "switch", 1, false, switches }, { "spin", 1, false, spin },
	{ "threads", 2, true, threads },  { "forks", 2, true, forks },
	{ "two", 2, false, two },	  { "calls", 1, false, calls },
	{ "named", 1, false, named },	  { "later", 2, true, later },
	{ "chain", 2, true, chain },
};

static const struct work *find_work(const char *name)
{
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (!strcmp(works[i].name, name))
			return &works[i];
	fail("unknown work '%s': see --help", name);
}

static uint64_t parse_number(const char *text)
{
	uint64_t number = 0;
	const char *c = text;

	do {
		if (*c < '0' || *c > '9' || __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *c - '0', &number))
			fail("not a number, or too large: '%s'", text);
	} while (*++c);
	return number;
}

static void check_instructions(uint64_t instructions)
{
	if (instructions % 10)
		fail("not a multiple of 10: %" PRIu64, instructions);
	if (instructions / 10 > ULONG_MAX)
		fail("the loop is too long: %" PRIu64 " instructions", instructions);
}

int main(int argc, char **argv)
{
	const struct work *work;
	uint64_t n[MOST_NUMBERS];

	if (argc < 2)
		fail("the name of the work is missing: see --help");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return fputs(help, stdout) < 0 ? 2 : 0;

	work = find_work(argv[1]);
	if (argc - 2 != work->numbers)
		fail("%s wants %d number%s", work->name, work->numbers,
		     work->numbers == 1 ? "" : "s");
	for (int i = 0; i < work->numbers; i++)
		n[i] = parse_number(argv[2 + i]);
	if (work->loops)
		check_instructions(n[work->numbers - 1]);
	work->run(n);
	return 0;
}
