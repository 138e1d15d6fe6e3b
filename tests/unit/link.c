// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests how pfmon decides whether the link register contains the return address of the interrupted
 * function, or an old address that an earlier call left there. The fixture's unwinding tables
 * describe how the fixture's functions use the register.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "../../tools/pfmon/data/data_write.h"
#include "../../tools/pfmon/data/build_id.h"
#include "lookup.h"

SUITE(link, 120);

#define LIBRARY FIXTURE "/liblink.so"
#define TGID	1

/* Returns the address 8 bytes after the beginning of a function of the fixture. */
static uint64_t in_function(const char *name)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW);
	void *function;

	ck_assert_msg(handle != NULL, "%s", dlerror());
	function = dlsym(handle, name);
	ck_assert_msg(function != NULL, "%s", name);
	return (uintptr_t)function + 8;
}

/* Write a mapping record, which tells where this process has mapped the fixture's code. */
static void write_library(struct data_writer *writer)
{
	const uint64_t inside = in_function("link_caller");
	FILE *maps = fopen("/proc/self/maps", "r");
	struct data_mapping mapping = { .tgid = TGID };
	char line[1024], build_id[BUILD_ID_SIZE];

	ck_assert(build_id_of_file(LIBRARY, build_id));
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", (unsigned long *)&mapping.start,
			   (unsigned long *)&mapping.end,
			   (unsigned long *)&mapping.offset) == 3 &&
		    inside >= mapping.start && inside < mapping.end)
			break;
	fclose(maps);
	ck_assert_uint_lt(inside, mapping.end);
	ck_assert_int_eq(data_write_mapping(writer, &mapping, LIBRARY, build_id), 0);
}

/*
 * Write a sample with the user-level call chain @user. If @flags has PFM_CALLCHAIN_USER_LINK, the
 * second address is from the link register.
 */
static void write_chain(struct data_writer *writer, const uint64_t *user,
			unsigned int count, unsigned int flags)
{
	struct {
		struct pfm_callchain_entry entry;
		uint64_t frames[4];
	} chain = {
		.entry.sample = synthetic_entry(TGID, TGID, CYCLES_PMD, user[0], 1, 1),
		.entry.user_count = (uint16_t)count,
		.entry.flags = (uint16_t)flags,
	};

	memcpy(chain.frames, user, count * sizeof(*user));
	synthetic_samples(writer, DATA_FORMAT_CALLCHAIN, 0, 1, &chain,
			  sizeof(chain.entry) + count * sizeof(*user));
}

struct seen {
	struct symbols symbols;
	bool is_frame[4];
	char functions[4][64];
	unsigned int count;
};

static int find_frames(const struct sample *sample, void *argument)
{
	struct seen *seen = argument;

	seen->count = sample->frame_count;
	for (unsigned int i = 0; i < sample->frame_count; i++) {
		const struct symbol *symbol =
			symbols_find(&seen->symbols, sample, i).symbol;

		seen->is_frame[i] = symbols_is_frame(&seen->symbols, sample, i);
		snprintf(seen->functions[i], sizeof(seen->functions[i]), "%s",
			 symbol ? symbol->name : "");
	}
	return 0;
}

/* Records the call chain @user. Returns which addresses in the chain pfmon accepts as frames. */
static struct seen look_at(const uint64_t *user, unsigned int count, unsigned int flags)
{
	const char *path = synthetic_path();
	struct recording recording;
	struct data_writer writer;
	struct seen seen;
	size_t bad;

	synthetic_begin(&writer, path);
	synthetic_event(&writer, "cycles", CYCLES_PMD, 1, 0);
	write_library(&writer);
	write_chain(&writer, user, count, flags);
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_int_eq(recording_open(&recording, path), 0);
	ck_assert_int_eq(symbols_make(&seen.symbols, &recording), 0);
	ck_assert_int_eq(samples_each(&recording, find_frames, &seen, &bad), 0);
	ck_assert_uint_eq(bad, 0);
	ck_assert_uint_eq(seen.count, count);
	symbols_free(&seen.symbols);
	recording_free(&recording);
	/*
	 * Only the second address can come from the link register, so pfmon must accept all other
	 * addresses as frames.
	 */
	ck_assert(seen.is_frame[0]);
	for (unsigned int i = 2; i < count; i++)
		ck_assert(seen.is_frame[i]);
	return seen;
}

/*
 * Records a sample in @function, with @link in the link register and @next on the stack. Returns
 * whether pfmon accepts @link as the caller.
 */
static bool is_caller(const char *function, uint64_t link, uint64_t next)
{
	const uint64_t user[] = { in_function(function), link, next };

	return look_at(user, 3, PFM_CALLCHAIN_USER_LINK).is_frame[1];
}

#define ELSEWHERE 0x123456

TEST(an_unsaved_link_register_has_the_caller)
{
	const uint64_t user[] = { in_function("link_in_register"), ELSEWHERE };

	ck_assert(is_caller("link_in_register", in_function("link_caller"), ELSEWHERE));
	/*
	 * pfmon accepts the address in the link register even if it knows no function at this
	 * address, and even if the address is the last one of the chain.
	 */
	ck_assert(is_caller("link_in_register", ELSEWHERE + 8, ELSEWHERE));
	ck_assert(look_at(user, 2, PFM_CALLCHAIN_USER_LINK).is_frame[1]);
}

TEST(a_saved_link_register_is_no_caller)
{
	ck_assert(!is_caller("link_saved", in_function("link_caller"), ELSEWHERE));
	ck_assert(!is_caller("link_saved", in_function("link_saved"), ELSEWHERE));
}

TEST(a_caller_that_is_also_on_the_stack_appears_once)
{
	const uint64_t caller = in_function("link_caller");

	ck_assert(!is_caller("link_in_register", caller, caller));
	ck_assert(!is_caller("link_unknown", caller, caller));
}

TEST(without_tables_a_return_into_the_function_itself_is_no_caller)
{
	ck_assert(is_caller("link_unknown", in_function("link_caller"), ELSEWHERE));
	ck_assert(!is_caller("link_unknown", in_function("link_unknown"), ELSEWHERE));
	ck_assert(!is_caller("link_unknown", ELSEWHERE + 8, ELSEWHERE));
}

TEST(without_the_flag_the_second_address_is_a_caller)
{
	const uint64_t user[] = { in_function("link_saved"), in_function("link_caller") };

	ck_assert(look_at(user, 2, 0).is_frame[1]);
}

/*
 * With PFM_CALLCHAIN_USER_CALLS, user[1] is the address of a call, which may be the first
 * instruction of its function. Without this flag, user[1] is a return address, so pfmon looks up
 * the byte before user[1]. This byte is not in link_caller, because link_caller begins at user[1].
 */
TEST(a_recorded_call_is_in_its_function)
{
	const uint64_t begin = in_function("link_caller") - 8;
	const uint64_t user[] = { in_function("link_caller"), begin };

	ck_assert_str_eq(look_at(user, 2, PFM_CALLCHAIN_USER_CALLS).functions[1],
			 "link_caller");
	ck_assert_str_ne(look_at(user, 2, 0).functions[1], "link_caller");
}
