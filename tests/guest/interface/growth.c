// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests how the interface may grow. perfmon_ioctl.h makes promises about sizes, reserved fields and
 * flags. The tests check these promises for every structure that the kernel reads or writes.
 */
#include <stdio.h>
#include <sys/ioctl.h>

#include "arguments.h"
#include "first_calls.h"
#include "samples.h"

SUITE(growth, 120);

#define LONGER 32 /* extra bytes, as in structures of a later version */
#define ROOM   1024

/* ---- sizes --------------------------------------------------------------------------- */

TEST(longer_structures_are_accepted_if_the_rest_is_zero)
{
	const struct call *call;
	char structure[ROOM];
	int fd;

	for_each_call(call) {
		fd = prepare_call(call);
		memset(structure, 0, sizeof(structure));
		fill_argument(call, structure);
		memset(structure + call->size + LONGER, 0xff, 8);
		must(fd, do_call(fd, call, call->size + LONGER, structure));
		close(fd);
	}
}

TEST(longer_structures_are_e2big_if_the_rest_is_not_zero)
{
	static const unsigned int places[] = { 0, 1, 7, 8, 15, 30, 31 };
	const struct call *call;
	char structure[ROOM];
	struct pfm_error error;
	size_t i;
	int fd;

	for_each_call(call) {
		if (call->kind == OUT)
			continue;
		fd = prepare_call(call);
		for (i = 0; i < COUNT(places); i++) {
			memset(structure, 0, sizeof(structure));
			fill_argument(call, structure);
			structure[call->size + places[i]] = 1;
			must_fail(fd, do_call(fd, call, call->size + LONGER, structure),
				  E2BIG, PFM_REASON_TAIL,
				  call->kind == VECTOR ? 0 : NO_INDEX);
			must(fd, pfm_get_error(fd, &error));
			ck_assert_uint_eq(error.value, call->size);
		}
		/* The call that was refused has changed nothing, so it can be repeated. */
		memset(structure, 0, sizeof(structure));
		fill_argument(call, structure);
		must(fd, do_call(fd, call, call->size, structure));
		close(fd);
	}
}

TEST(structures_shorter_than_their_first_version_are_einval)
{
	const struct call *call;
	char structure[ROOM] = {};
	int fd;

	for_each_call(call) {
		const size_t sizes[] = { call->size - 1, call->size - 8, 1 };
		size_t i;

		fd = prepare_call(call);
		for (i = 0; i < COUNT(sizes) && call->size; i++) {
			if (call->number == _IOC_NR(PFM_IOC_LAST_ERROR))
				/* PFM_IOC_LAST_ERROR does not report its own errors. */
				must_fail_errno(do_call(fd, call, sizes[i], structure),
						EINVAL);
			else
				must_fail(fd, do_call(fd, call, sizes[i], structure),
					  EINVAL, PFM_REASON_SIZE, NO_INDEX);
		}
		close(fd);
	}
}

TEST(the_direction_of_a_command_is_ignored)
{
	static const unsigned int directions[] = { _IOC_NONE, _IOC_READ, _IOC_WRITE,
						   _IOC_READ | _IOC_WRITE };
	const struct call *call;
	char structure[ROOM];
	size_t i;
	int fd;

	for_each_call(call)
		for (i = 0; i < COUNT(directions); i++) {
			struct pfm_vector vector = { (uintptr_t)structure, 1, 0 };
			bool is_vector = call->kind == VECTOR;

			fd = prepare_call(call);
			memset(structure, 0, sizeof(structure));
			fill_argument(call, structure);
			must(fd, do_ioctl(fd, call, directions[i],
					  is_vector ? sizeof(vector) : call->size,
					  is_vector ? (void *)&vector : structure));
			close(fd);
		}
}

/* The structure that describes a vector may become longer, like all other structures. */
TEST(the_structure_of_a_vector_may_be_longer)
{
	struct {
		struct pfm_vector vector;
		char rest[LONGER];
	} argument;
	const struct call *call;
	char structure[ROOM];
	int fd;

	for_each_call(call) {
		if (call->kind != VECTOR)
			continue;
		fd = prepare_call(call);
		memset(structure, 0, sizeof(structure));
		fill_argument(call, structure);
		memset(&argument, 0, sizeof(argument));
		argument.vector.address = (uintptr_t)structure;
		argument.vector.count = 1;
		argument.rest[LONGER - 1] = 1;
		must_fail(fd, do_ioctl(fd, call, _IOC_WRITE, sizeof(argument), &argument),
			  E2BIG, PFM_REASON_TAIL, NO_INDEX);
		argument.rest[LONGER - 1] = 0;
		must_fail(fd, do_ioctl(fd, call, _IOC_WRITE, 15, &argument), EINVAL,
			  PFM_REASON_SIZE, NO_INDEX);
		must(fd, do_ioctl(fd, call, _IOC_WRITE, sizeof(argument), &argument));
		close(fd);
	}
}

/*
 * The elements of the vector are longer than the module's structure. The module must find the
 * beginning of each element.
 */
TEST(longer_elements_are_found_at_their_places)
{
	struct {
		pfarg_pmd_t pmd;
		uint64_t rest[4];
	} pmds[3] = {};
	struct {
		pfarg_pmr_t pmr;
		uint64_t rest[1];
	} pmrs[3] = {};
	struct pfm_vector vector = { (uintptr_t)pmds, 3, sizeof(pmds[0]) };
	int fd = make_context();
	unsigned int i;

	for (i = 0; i < 3; i++) {
		pmds[i].pmd.reg_num = pmrs[i].pmr.reg_num = pmu()->pmds[i];
		pmds[i].pmd.reg_value = 1000 + i;
	}
	must(fd, ioctl(fd, PFM_IOC_WRITE_PMDS, &vector));
	for (i = 0; i < 3; i++)
		pmds[i].pmd.reg_value = 0;
	must(fd, ioctl(fd, PFM_IOC_READ_PMDS, &vector));
	vector.address = (uintptr_t)pmrs;
	vector.element_size = sizeof(pmrs[0]);
	must(fd, ioctl(fd, PFM_IOC_READ, &vector));
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(pmds[i].pmd.reg_value, 1000 + i);
		ck_assert_uint_eq(pmds[i].pmd.reg_last_reset_val, 1000 + i);
		ck_assert_uint_eq(pmrs[i].pmr.reg_value, 1000 + i);
		ck_assert_uint_eq(pmds[i].rest[0] | pmrs[i].rest[0], 0);
	}
	/*
	 * One element has data that the module does not know. The error must report the index of
	 * this element. The call must not return any value.
	 */
	pmrs[2].rest[0] = 1ull << 63;
	pmrs[0].pmr.reg_value = 7;
	must_fail(fd, ioctl(fd, PFM_IOC_READ, &vector), E2BIG, PFM_REASON_TAIL, 2);
	ck_assert_uint_eq(pmrs[0].pmr.reg_value, 7);
	/*
	 * The size limit of a vector applies to whole elements, including the bytes that the module
	 * does not know.
	 */
	vector.element_size = read_number(SYSFS "arg_mem_max") / 3 + 1;
	must_fail(fd, ioctl(fd, PFM_IOC_READ, &vector), E2BIG, PFM_REASON_TOO_LONG,
		  NO_INDEX);
	vector.element_size = ~0u;
	must_fail(fd, ioctl(fd, PFM_IOC_READ, &vector), E2BIG, PFM_REASON_TOO_LONG,
		  NO_INDEX);
	count_must_be_right(fd);
}

TEST(longer_elements_at_unmapped_memory_are_efault)
{
	char *end = memory_end();
	const struct call *call;
	int fd;

	for_each_call(call) {
		if (call->kind == NONE)
			continue;
		fd = prepare_call(call);
		memset(end - ROOM, 0, ROOM);
		fill_argument(call, end - call->size);
		if (call->number == _IOC_NR(PFM_IOC_LAST_ERROR))
			must_fail_errno(do_call(fd, call, call->size + LONGER,
						end - call->size),
					EFAULT);
		else
			must_fail(fd,
				  do_call(fd, call, call->size + LONGER,
					  end - call->size),
				  EFAULT, PFM_REASON_FAULT, NO_INDEX);
		close(fd);
	}
}

/*
 * If the caller's structure is longer than the module's, the module fills the part that it knows
 * and writes zeros to the rest.
 */
TEST(unknown_parts_of_a_result_are_zeroed)
{
	static const char zeros[LONGER];
	const struct call *call;
	char known[ROOM], structure[ROOM];
	int fd;

	for_each_call(call) {
		if (call->kind != OUT)
			continue;
		fd = prepare_call(call);
		memset(known, 0xee, sizeof(known));
		memset(structure, 0xee, sizeof(structure));
		must(fd, do_call(fd, call, call->size, known));
		must(fd, do_call(fd, call, call->size + LONGER, structure));
		ck_assert_msg(!memcmp(known, structure, call->size), "%s", call->name);
		ck_assert_msg(!memcmp(structure + call->size, zeros, LONGER), "%s",
			      call->name);
		ck_assert_uint_eq((unsigned char)structure[call->size + LONGER], 0xee);
		ck_assert_uint_eq((unsigned char)known[call->size], 0xee);
		close(fd);
	}
}

/* ---- reserved fields -------------------------------------------------------------------- */

static void try_field(const struct call *call, const struct field *field)
{
	char structure[ROOM];
	unsigned int i;
	int fd = prepare_call(call);

	for (i = field->offset; i < field->offset + field->size; i++) {
		memset(structure, 0, sizeof(structure));
		fill_argument(call, structure);
		structure[i] = 0x10;
		if (call->is_strict) {
			must_fail(fd, do_call(fd, call, call->size, structure), EINVAL,
				  PFM_REASON_RESERVED, NO_INDEX);
			continue;
		}
		must(fd, do_call(fd, call, call->size, structure));
		close(fd);
		fd = prepare_call(call);
	}
	close(fd);
}

/* Tests each byte of each reserved field. */
TEST(reserved_fields_are_checked_or_ignored_as_promised)
{
	const struct call *call;
	size_t i;

	for_each_call(call)
		for (i = 0; i < COUNT(call->reserved); i++) {
			if (call->kind != OUT)
				try_field(call, &call->reserved[i]);
		}
}

TEST(reserved_fields_of_the_restart_of_a_cpu_must_be_zero)
{
	struct pfm_restart_cpu restart;
	int fd = make_context();
	size_t i;

	for (i = offsetof(struct pfm_restart_cpu, reserved1); i < sizeof(restart); i++) {
		memset(&restart, 0, sizeof(restart));
		((char *)&restart)[i] = 0x10;
		must_fail(fd, ioctl(fd, PFM_IOC_RESTART_CPU, &restart), EINVAL,
			  PFM_REASON_RESERVED, NO_INDEX);
	}
	close(fd);
}

static bool all_zero(const char *structure, const struct field *field)
{
	unsigned int i;

	for (i = field->offset; i < field->offset + field->size; i++)
		if (structure[i])
			return false;
	return true;
}

TEST(reserved_fields_of_results_are_zero)
{
	const struct call *call;
	char structure[ROOM];
	size_t i;
	int fd;

	for_each_call(call) {
		if (call->kind != OUT && call->number != _IOC_NR(PFM_IOC_GETINFO_EVTSETS))
			continue;
		fd = prepare_call(call);
		memset(structure, 0xee, sizeof(structure));
		fill_argument(call, structure);
		must(fd, do_call(fd, call, call->size, structure));
		for (i = 0; i < COUNT(call->reserved); i++)
			ck_assert_msg(all_zero(structure, &call->reserved[i]),
				      "%sthe reserved field at offset %u is not zero",
				      call->name, call->reserved[i].offset);
		close(fd);
	}
}

TEST(reserved_fields_of_the_default_formats_argument_must_be_zero)
{
	struct pfm_create create = { .format_name = (uintptr_t) "default",
				     .format_size = 64 };
	unsigned int i;
	char argument[64];
	int fd = pfm_open_device();

	create.format_argument = (uintptr_t)argument;
	for (i = 8; i < 64; i++) {
		memset(argument, 0, sizeof(argument));
		*(uint64_t *)argument = MIB;
		argument[i] = 0x10;
		must_fail(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create), EINVAL,
			  PFM_REASON_FORMAT_ARGUMENT, NO_INDEX);
	}
	memset(argument, 0, sizeof(argument));
	*(uint64_t *)argument = MIB;
	must(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	close(fd);
}

TEST(a_formats_argument_without_its_name_is_einval)
{
	char argument[64] = {};
	const struct pfm_create wrong[] = {
		{ .format_argument = (uintptr_t)argument, .format_size = 64 },
		{ .format_argument = (uintptr_t)argument },
		{ .format_argument = 8 },
		{ .format_size = 64 },
	};
	struct pfm_create create = {};
	int fd = pfm_open_device();
	size_t i;

	for (i = 0; i < COUNT(wrong); i++)
		must_fail(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &wrong[i]), EINVAL,
			  PFM_REASON_FORMAT_NAME, NO_INDEX);
	must(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	count_must_be_right(fd);
}

/* ---- flags ------------------------------------------------------------------------------- */

TEST(every_unknown_flag_is_einval)
{
	const struct call *call;
	char structure[ROOM];
	struct pfm_error error;
	unsigned int bit;
	int fd;

	for_each_call(call) {
		if (call->flags == NO_FLAGS)
			continue;
		fd = prepare_call(call);
		for (bit = 0; bit < 32; bit++) {
			if (call->known >> bit & 1)
				continue;
			memset(structure, 0, sizeof(structure));
			fill_argument(call, structure);
			*(uint32_t *)(structure + call->flags) = 1u << bit;
			must_fail(fd, do_call(fd, call, call->size, structure), EINVAL,
				  PFM_REASON_FLAGS, call->kind == VECTOR ? 0 : NO_INDEX);
			must(fd, pfm_get_error(fd, &error));
			ck_assert_uint_eq(error.value, 1u << bit);
		}
		close(fd);
	}
}

TEST(info_reports_the_offered_flags)
{
	struct pfm_info info;
	int fd = pfm_open_device();

	must(fd, pfm_get_info(fd, &info));
	ck_assert_uint_eq(info.context_flags,
			  PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE | PFM_FL_OVFL_NO_MSG |
				  PFM_FL_INHERIT_THREADS | PFM_FL_INHERIT_ALL |
				  PFM_FL_KEEP_COUNTS);
	ck_assert_uint_eq(info.pmc_flags, PFM_REGFL_NO_EMUL64);
	ck_assert_uint_eq(info.pmd_flags, PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM);
	ck_assert_uint_eq(info.pmr_flags, 0);
	ck_assert_uint_eq(info.set_flags, PFM_SETFL_OVFL_SWITCH | PFM_SETFL_TIME_SWITCH);
	ck_assert_uint_eq(info.statistics_flags, PFM_STATISTICS_CPU);
	ck_assert_uint_eq(info.features_low, (uint32_t)info.features);
	ck_assert_uint_eq(info.features & 0x1f, 0x1f);
	close(fd);
}

/* ---- versions ------------------------------------------------------------------------- */

/*
 * PFM_IOC_INFO and sysfs must report the same versions. Programs written for perfmon2 read the file
 * "version".
 */
TEST(versions_are_those_of_sysfs)
{
	struct pfm_info info;
	char text[32];
	int fd = pfm_open_device();

	must(fd, pfm_get_info(fd, &info));
	ck_assert_uint_eq(info.version, 0x20008);
	ck_assert_str_eq(read_text(SYSFS "version"), "2.8\n");
	snprintf(text, sizeof(text), "%u.%u\n", info.interface_version >> 16,
		 info.interface_version & 0xffff);
	ck_assert_str_eq(read_text(SYSFS "interface_version"), text);
	close(fd);
}

/*
 * libpfm 3 makes twelve system calls, which have consecutive numbers. The file "syscall" contains
 * the first number. The arguments of these calls do not matter here.
 */
TEST(the_system_calls_of_perfmon2_are_enosys)
{
	const long first = (long)read_number(SYSFS "syscall");
	unsigned int i;

	for (i = 0; i < 12; i++)
		must_fail_errno(syscall(first + i, 3, &i, 1, 0), ENOSYS);
}
