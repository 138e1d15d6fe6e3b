/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints a plan as a C program that needs no other file. The program has three parts: the sources
 * that execute plans, the plan as a table, and a main(). The Makefile joins the sources of the
 * first part into one file. runner[] contains the text of the joined file.
 */
#include <inttypes.h>
#include <stdio.h>

#include "pairs.h"
#include "print.h"

__asm__(".section .rodata\n"
	"runner: .incbin \"" RUNNER "\"\n"
	".byte 0\n"
	".previous\n");
extern const char runner[];

static const char *const places[] = {
#define PLACE_NAME(name) #name,
	PLACES(PLACE_NAME)
};

static const char *const who_names[] = {
#define WHO_NAME(name) #name,
	WHO_NAMES(WHO_NAME)
};

/* Prints a field, unless it is 0. */
static void print_number(const char *field, uint64_t value)
{
	if (value)
		printf(value < 10 ? ", .%s = %" PRIu64 : ", .%s = 0x%" PRIx64, field,
		       value);
}

static void print_element(const struct element *e)
{
	printf("{ .number = %u", e->number);
	print_number("set", e->set);
	print_number("flags", e->flags);
	print_number("value", e->value);
	print_number("reset", e->reset);
	print_number("map", e->map);
	printf(" }, ");
}

static void print_operation(const struct operation *operation)
{
	unsigned int n;

	printf("\t{ .call = %s, .slot = %u", call_name(operation->call), operation->slot);
	if (operation->place)
		printf(", .place = %s", places[operation->place]);
	if (operation->outer)
		printf(", .outer = %s", places[operation->outer]);
	if (operation->who)
		printf(", .who = %s", who_names[operation->who]);
	print_number("fail", operation->fail);
	print_number("dirty", operation->dirty);
	print_number("few", operation->few);
	print_number("more", operation->more);
	print_number("tail", operation->tail);
	if (operation->count)
		printf(", .count = %" PRId32, operation->count);
	print_number("flags", operation->flags);
	print_number("value", operation->value);
	print_number("size", operation->size);
	if (operation->elements) {
		printf(",\n\t  .elements = %u, .element = { ", operation->elements);
		for (n = 0; n < operation->elements; n++)
			print_element(&operation->element[n]);
		printf("}");
	}
	puts(" },");
}

static void print_worker(const struct worker *worker, unsigned int number)
{
	unsigned int n;

	printf("static const struct operation worker_%u[] = {\n", number);
	for (n = 0; n < worker->count; n++)
		print_operation(&worker->operations[n]);
	if (!worker->count)
		puts("\t{ .call = YIELD },");
	puts("};\n");
}

static const char program_end[] =
	"#include <stdarg.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <sys/mman.h>\n"
	"\n"
	"/* Shared by all processes. */\n"
	"static struct {\n"
	"\tstruct seen seen;\n"
	"\tunsigned int findings;\n"
	"} *found;\n"
	"\n"
	"void outcome(const struct executor *executor, const struct operation *operation, int error,\n"
	"\t     enum kind kind)\n"
	"{\n"
	"\tpair_count(&found->seen, operation->call, error, kind);\n"
	"\tif (getenv(\"VERBOSE\"))\n"
	"\t\tprintf(\"worker %u: %s: %s\\n\", executor->number, call_name(operation->call),\n"
	"\t\t       error ? strerrorname_np(error) : \"0\");\n"
	"\tif (!pair_is_allowed(operation, error, kind))\n"
	"\t\twrong(\"unexpected pair: %s %s (worker %u)\", call_name(operation->call),\n"
	"\t\t      strerrorname_np(error), executor->number);\n"
	"}\n"
	"\n"
	"void wrong(const char *what, ...)\n"
	"{\n"
	"\tva_list arguments;\n"
	"\n"
	"\t__atomic_fetch_add(&found->findings, 1, __ATOMIC_SEQ_CST);\n"
	"\tva_start(arguments, what);\n"
	"\tvprintf(what, arguments);\n"
	"\tva_end(arguments);\n"
	"\tputchar('\\n');\n"
	"}\n"
	"\n"
	"void workers_hang(pid_t group)\n"
	"{\n"
	"\twrong(\"process group %d hangs\", group);\n"
	"}\n"
	"\n"
	"uint64_t workers_go_on(void)\n"
	"{\n"
	"\treturn found->seen.operations;\n"
	"}\n"
	"\n"
	"/* Argument: how often to run the plan (default: 1).  Returns 1 if there are findings. */\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"\tint times = argc > 1 ? atoi(argv[1]) : 1;\n"
	"\n"
	"\tsetvbuf(stdout, NULL, _IONBF, 0);\n"
	"\tfound = mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE,\n"
	"\t\t     MAP_SHARED | MAP_ANONYMOUS, -1, 0);\n"
	"\tif (found == MAP_FAILED)\n"
	"\t\treturn 1;\n"
	"\tsystem_begin();\n"
	"\twhile (times-- > 0) {\n"
	"\t\tif (!workers_run(&plan, 120))\n"
	"\t\t\tbreak;\n"
	"\t\tsystem_check();\n"
	"\t}\n"
	"\tsystem_restore();\n"
	"\tprintf(\"%u findings\\n\", found->findings);\n"
	"\treturn found->findings != 0;\n"
	"}\n";

void print_plan(const struct plan *plan, const char *title)
{
	unsigned int n;

	printf("/*\n * %s\n *\n"
	       " * cc -D_GNU_SOURCE -static -pthread -I uapi FILE; run it as root in a guest.\n"
	       " */\n",
	       title);
	fputs(runner, stdout);
	puts("\n/* ---- the plan ----------------------------------------------------- */\n");
	for (n = 0; n < plan->count; n++)
		print_worker(&plan->workers[n], n);
	printf("static const struct plan plan = {\n\t.count = %u,\n\t.workers = {\n",
	       plan->count);
	for (n = 0; n < plan->count; n++)
		printf("\t\t{ .process = %u, .user = %u, .count = %u, .operations = worker_%u },\n",
		       plan->workers[n].process, plan->workers[n].user,
		       plan->workers[n].count, n);
	puts("\t},\n};\n");
	fputs(program_end, stdout);
}
