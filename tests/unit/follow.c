// SPDX-License-Identifier: GPL-2.0-only
/* Tests that pfmon runs a command, traced or not, and waits for its end. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/pfmon/run/child.h"
#include "../../tools/pfmon/common/errors.h"
#include "../../tools/pfmon/run/wait.h"
#include "suites.h"

SUITE(follow, 120);

/**
 * struct record - what the tracer reported about a command, and what note_tick() found out
 * @pid: the process of the command
 * @execs: number of execs that the tracer reported
 * @exits: number of reports of the tracer that the command was exiting
 * @program: path of the program that the process executed last
 * @had_memory: the command still had its memory maps when the tracer reported its exit
 * @ticks: number of calls of note_tick()
 * @was_stopped: note_tick() found the command stopped
 */
struct record {
	pid_t pid;
	int execs;
	int exits;
	char program[256];
	bool had_memory;
	int ticks;
	bool was_stopped;
};

static void note_exec(void *data)
{
	struct record *record = data;
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)record->pid);
	length = readlink(link, record->program, sizeof(record->program) - 1);
	record->program[length > 0 ? length : 0] = '\0';
	record->execs++;
}

static void note_exit(void *data)
{
	struct record *record = data;
	char path[64], line[512];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)record->pid);
	file = fopen(path, "r");
	record->had_memory = file && fgets(line, sizeof(line), file);
	if (file)
		fclose(file);
	record->exits++;
}

static char state_of(pid_t pid)
{
	char path[64], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%*d %*s %c", &state) != 1)
		state = '?';
	if (file)
		fclose(file);
	return state;
}

/*
 * Count a tick. The process may have stopped itself (SIGSTOP). But a traced process also stops for
 * a moment whenever it reports something to the tracer. So continue the process only at the second
 * tick that finds the process stopped.
 */
static int note_tick(void *data)
{
	struct record *record = data;
	char state = state_of(record->pid);

	record->ticks++;
	if (state == 'T' || state == 't') {
		if (record->was_stopped)
			kill(record->pid, SIGCONT);
		record->was_stopped = true;
	}
	return 0;
}

/*
 * Run a command. Returns the command's status in the form of waitpid(), or -N if the command cannot
 * run and child_release() returns the exit status N.
 */
static int run(char **arguments, bool is_traced, struct record *record)
{
	const struct tracer tracer = { note_exec, note_exit, record };
	struct signals signals;
	struct outcome outcome;
	struct child child;
	struct watch watch = {
		.signals = &signals,
		.tracer = is_traced ? &tracer : NULL,
		.tick = note_tick,
		.interval = 50,
		.data = record,
	};
	char *path;
	int result;

	memset(record, 0, sizeof(*record));
	ck_assert_int_eq(child_find(arguments[0], &path), 0);
	ck_assert_int_eq(signals_take(&signals), 0);
	ck_assert_int_eq(child_prepare(&child, path, arguments, &signals), 0);
	record->pid = watch.pid = child.pid;
	if (is_traced)
		ck_assert_int_eq(trace_begin(child.pid), 0);
	result = child_release(&child, arguments[0], watch.tracer);
	free(path);
	if (!result)
		ck_assert_int_eq(wait_for_end(&watch, &outcome), 0);
	signals_close(&signals);
	signals_restore(&signals);
	return result ? -result : outcome.status;
}

static int run_script(const char *script, bool is_traced, struct record *record)
{
	char *arguments[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };

	return run(arguments, is_traced, record);
}

TEST(the_exit_status_is_that_of_the_command_traced_or_not)
{
	static const struct {
		const char *script;
		int status;
	} cases[] = {
		{ "exit 0", 0 },
		{ "exit 42", 42 },
		{ "kill -9 $$", 128 + SIGKILL },
		{ "kill $$", 128 + SIGTERM },
		{ "trap 'exit 7' USR1; kill -USR1 $$; exit 1", 7 },
		{ "trap '' USR1; kill -USR1 $$; exit 8", 8 },
		{ "(exit 9); exit $?", 9 },
	};
	struct record record;

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		int status = run_script(cases[i / 2].script, i % 2, &record);

		ck_assert_msg(child_exit_status(status) == cases[i / 2].status,
			      "'%s', %straced, has exit status %d", cases[i / 2].script,
			      i % 2 ? "" : "not ", child_exit_status(status));
	}
}

TEST(the_tracer_sees_exec_and_exit_once_each)
{
	char *arguments[] = { (char *)"true", NULL };
	struct record record;

	ck_assert_int_eq(run(arguments, true, &record), 0);
	ck_assert_int_eq(record.execs, 1);
	ck_assert_int_eq(record.exits, 1);
	ck_assert(record.had_memory);
	ck_assert_msg(strstr(record.program, "true"), "%s", record.program);
}

TEST(the_tracer_sees_every_exec)
{
	struct record record;

	ck_assert_int_eq(
		run_script("exec env -i /bin/sh -c 'exec /bin/true'", true, &record), 0);
	ck_assert_int_eq(record.execs, 4);
	ck_assert_msg(strstr(record.program, "true"), "%s", record.program);
}

TEST(children_of_the_command_are_not_followed)
{
	struct record record;

	ck_assert_int_eq(run_script("true; /bin/true; /bin/true; exit 3", true, &record),
			 3 << 8);
	ck_assert_int_eq(record.execs, 1);
	ck_assert_int_eq(record.exits, 1);
}

TEST(a_stopped_command_stays_stopped_until_it_is_continued)
{
	struct record record;

	for (int is_traced = 0; is_traced < 2; is_traced++) {
		ck_assert_int_eq(run_script("kill -STOP $$; exit 5", is_traced, &record),
				 5 << 8);
		ck_assert(record.was_stopped);
		ck_assert_int_ge(record.ticks, 2);
	}
}

TEST(a_command_that_cannot_run_is_reaped)
{
	char name[] = "/tmp/follow-XXXXXX";
	char *arguments[] = { name, NULL };
	static const char text[] = "#!/no/such/interpreter\n";
	struct record record;
	int fd = mkstemp(name);

	ck_assert_int_eq(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	fchmod(fd, 0700);
	close(fd);
	for (int is_traced = 0; is_traced < 2; is_traced++) {
		ck_assert_int_eq(run(arguments, is_traced, &record),
				 -EXIT_NOT_EXECUTABLE);
		ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	}
	unlink(name);
}

TEST(programs_that_change_their_rights_are_not_traced)
{
	char name[] = "/tmp/follow-XXXXXX";
	int fd = mkstemp(name);

	fchmod(fd, 0755);
	ck_assert(trace_is_harmless(name));
	fchmod(fd, 04755);
	ck_assert(!trace_is_harmless(name));
	fchmod(fd, 02755);
	ck_assert(!trace_is_harmless(name));
	close(fd);
	unlink(name);
	ck_assert(!trace_is_harmless(name));
}

static int take_key(void *data)
{
	struct watch *watch = data;
	char key;

	ck_assert_int_eq(read(watch->more[0].fd, &key, 1), 1);
	watch->is_done = key == 'q';
	return 0;
}

TEST(a_wait_without_a_child_ends_when_a_function_says_so)
{
	struct watch watch = { .more_count = 1, .data = &watch };
	struct signals signals;
	struct outcome outcome;
	int pipe_ends[2];

	ck_assert_int_eq(pipe(pipe_ends), 0);
	ck_assert_int_eq(write(pipe_ends[1], "aq ", 3), 3);
	ck_assert_int_eq(signals_take(&signals), 0);
	watch.signals = &signals;
	watch.more[0] = (struct watched){ pipe_ends[0], take_key };
	ck_assert_int_eq(wait_for_end(&watch, &outcome), 0);
	ck_assert(!outcome.failed && !outcome.signal && !outcome.timed_out);
	close(pipe_ends[1]);
	ck_assert_int_eq(read(pipe_ends[0], pipe_ends, 8), 1);
	close(pipe_ends[0]);
	signals_close(&signals);
}

/* Two pipes that stand for the descriptors of two contexts. */
struct late_context {
	struct watch watch;
	int ends[2][2];
	int contexts[2];
	unsigned int messages[2];
};

static void send(int fd, uint32_t type)
{
	const union pfarg_msg message = { .type = type };

	ck_assert_int_eq(write(fd, &message, sizeof(message)), sizeof(message));
}

/*
 * After the END message of context 0, makes wait_for_end() wait for messages of context 1, too.
 * After a message of context 1, writes an overflow message into the pipe of context 0.
 */
static int take_late_message(void *data, unsigned int index,
			     const union pfarg_msg *message)
{
	struct late_context *late = data;

	late->messages[index]++;
	late->watch.is_done = index == 0 && message->type == PFM_MSG_OVFL;
	if (index == 1)
		send(late->ends[0][1], PFM_MSG_OVFL);
	else if (message->type == PFM_MSG_END)
		ck_assert_int_eq(wait_for_one_more(&late->watch, late->contexts), 0);
	return 0;
}

TEST(contexts_come_and_return_while_others_are_waited_for)
{
	struct late_context late = {
		.watch = { .context_count = 1, .may_return = true },
	};
	struct signals signals;
	struct outcome outcome;

	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(pipe(late.ends[i]), 0);
		late.contexts[i] = late.ends[i][0];
	}
	ck_assert_int_eq(signals_take(&signals), 0);
	late.watch.signals = &signals;
	late.watch.contexts = late.contexts;
	late.watch.message = take_late_message;
	late.watch.data = &late;
	send(late.ends[0][1], PFM_MSG_END);
	send(late.ends[1][1], PFM_MSG_OVFL);
	ck_assert_int_eq(wait_for_end(&late.watch, &outcome), 0);
	ck_assert(!outcome.failed && !outcome.ended);
	ck_assert_uint_eq(late.messages[0], 2);
	ck_assert_uint_eq(late.messages[1], 1);
	for (int i = 0; i < 2; i++) {
		close(late.ends[i][0]);
		close(late.ends[i][1]);
	}
	signals_close(&signals);
}

static int fail_at_once(void *data)
{
	(void)data;
	return -1;
}

TEST(after_a_failed_tick_only_the_child_is_waited_for)
{
	struct watch watch = { .tick = fail_at_once, .interval = 10 };
	struct signals signals;
	struct outcome outcome;

	ck_assert_int_eq(signals_take(&signals), 0);
	watch.signals = &signals;
	ck_assert_int_eq(wait_for_end(&watch, &outcome), 0);
	ck_assert(outcome.failed);

	watch.interval = 10;
	watch.pid = fork();
	if (!watch.pid) {
		usleep(200000);
		_exit(6);
	}
	ck_assert_int_eq(wait_for_end(&watch, &outcome), 0);
	ck_assert(outcome.failed);
	ck_assert_int_eq(WEXITSTATUS(outcome.status), 6);
	signals_close(&signals);
}
