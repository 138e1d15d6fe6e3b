/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that are called by execute(). */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include "execute.h"

/* executor.c */
struct slot slot_now(struct executor *executor, unsigned int number);
bool slots_equal(struct slot a, struct slot b);
int descriptor(struct executor *executor, const struct operation *operation);
enum kind kind_of_descriptor(int fd);
void put_in_slot(struct executor *executor, unsigned int slot, int fd, enum kind kind);
void areas_separate(struct executor *executor);
size_t page_size(void);
void *map(size_t size, int protection);
void *address_in(const struct area *area, enum place place, size_t size);
void *put_argument(const struct area *area, enum place place, const void *argument,
		   size_t size, size_t whole);
pid_t thread_id(void);
pid_t pid_of(struct executor *executor, const struct operation *operation);
void fail_begin(struct executor *executor, const struct operation *operation);
void fail_end(struct executor *executor, const struct operation *operation);
/* Waits until no thread of this process is in a call with FAIL_ALL, then calls fork(). */
pid_t fork_when_possible(void);
timer_t timeout_new(void);
void timeout_begin(struct executor *executor);
void timeout_end(struct executor *executor);

/* ioctls.c */
int do_ioctl(struct executor *executor, const struct operation *operation);
int do_other_ioctl(struct executor *executor, const struct operation *operation);

size_t argument_size(enum call call);
/*
 * Returns whether this program has written all elements of the call's vector. If it has not, the
 * kernel also reads the memory after the written elements, which contains data of earlier calls.
 */
bool is_written_whole(const struct operation *operation);
/* Writes the reset values, the switch count and the maps that @e describes. */
void put_sampling(struct pfarg_pmd *pmd, const struct element *e);
/* Adds to @map the PMDs that may be in use after this WRITE_PMDS. */
void add_pmds(__u64 *map, const struct operation *operation);
/* Returns whether the context may block its thread for ever. A worker must not be that thread. */
bool is_marked(struct executor *executor, const struct operation *operation);
bool is_bound(struct executor *executor, const struct operation *operation);
/*
 * Returns which PMU the context gets. In shared slots, each context has the default PMU: other
 * workers know which registers this PMU has.
 */
enum pmu_name pmu_name_of(const struct executor *executor,
			  const struct operation *operation);
/* Returns the flags that CREATE_CONTEXT passes to the kernel. */
uint32_t flags_to_create(const struct executor *executor,
			 const struct operation *operation);

/* formats.c */
/* Writes the name and the argument of the format to memory, and their addresses to @create. */
void put_format(struct executor *executor, const struct operation *operation,
		struct pfm_create *create);
/* Returns whether CREATE_CONTEXT requests a format. */
bool wants_format(const struct operation *operation);
/*
 * If the kernel must refuse the format that CREATE_CONTEXT requests, returns the reason as a text.
 * Returns NULL if the kernel may accept the format.
 */
const char *bad_format(const struct operation *operation);
/* Returns whether a restart of the format that CREATE_CONTEXT requests needs no notification. */
bool is_continuous(const struct operation *operation);
/* Returns the greatest possible size of the buffer that CREATE_CONTEXT requests, in bytes. */
uint64_t most_buffer_bytes(const struct operation *operation);

/* expectations.c */
/* Returns what is known about the file, or NULL if other threads or processes may use it. */
struct file_state *file_of(struct executor *executor, const struct operation *operation);
const char *must_fail(struct executor *executor, const struct operation *operation,
		      enum kind kind);
void remember(struct executor *executor, const struct operation *operation, int error);
void forget_files(struct executor *executor);

/* files.c */
int do_open(struct executor *executor, const struct operation *operation);
int do_reopen(struct executor *executor, const struct operation *operation);
int do_read(struct executor *executor, const struct operation *operation);
/* Number of bytes that READV requests with its buffers, of which there are 0, 1 or 2. */
uint64_t bytes_to_read(const struct operation *operation);
int do_readv(struct executor *executor, const struct operation *operation);
int do_write(struct executor *executor, const struct operation *operation);
int do_lseek(struct executor *executor, const struct operation *operation);
int do_mmap(struct executor *executor, const struct operation *operation);
void do_unmap(struct executor *executor);
void do_remap(struct executor *executor, const struct operation *operation);
void do_scan(struct executor *executor);
int do_poll(struct executor *executor, const struct operation *operation);
int do_select(struct executor *executor, const struct operation *operation);
int do_setting(const struct operation *operation);
/* Returns why the setting must refuse the value, or NULL if it may accept it. */
const char *bad_setting(const struct operation *operation);

/* environment.c */
void do_open_other(struct executor *executor, const struct operation *operation);
void do_dup(struct executor *executor, const struct operation *operation);
void do_owner(struct executor *executor, const struct operation *operation);
void pin(unsigned int cpu);
void spin(unsigned int turns);
void touch_pages(unsigned int pages);
void crash_is_wrong(int status);
void do_reap(void);
void do_kill(struct executor *executor, const struct operation *operation);
void do_work(const struct operation *operation);
void do_look(const struct operation *operation);
void do_file_table(void);
void do_module(struct executor *executor, const struct operation *operation);
unsigned int do_fork(struct executor *executor, const struct operation *operation,
		     unsigned int left);

/* targets.c */
void become_program(const char *path);
void do_spawn(struct executor *executor, const struct operation *operation);

#endif
