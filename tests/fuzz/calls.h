/* SPDX-License-Identifier: GPL-2.0-only */
/* What execute() is made of. */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include "execute.h"

/* actor.c */
int descriptor(struct actor *actor, const struct operation *operation);
enum kind kind_of_descriptor(struct actor *actor, const struct operation *operation);
void put_in_slot(struct actor *actor, unsigned int slot, int fd);
size_t page_size(void);
void *map(size_t size, int protection);
void *address_in(const struct area *area, enum place place, size_t size);
void *put_argument(const struct area *area, enum place place, const void *argument,
		   size_t size, size_t whole);
pid_t thread_id(void);
pid_t somebody(struct actor *actor, const struct operation *operation);
void fail_begin(struct actor *actor, const struct operation *operation);
void fail_end(struct actor *actor, const struct operation *operation);
/* fork(), but not while a thread of this process lacks all memory. */
pid_t fork_when_possible(void);
timer_t patience_new(void);
void patience_begin(struct actor *actor);
void patience_end(struct actor *actor);

/* ioctls.c */
int do_ioctl(struct actor *actor, const struct operation *operation);
int do_other_ioctl(struct actor *actor, const struct operation *operation);

/* files.c */
int do_open(struct actor *actor, const struct operation *operation);
int do_reopen(struct actor *actor, const struct operation *operation);
int do_read(struct actor *actor, const struct operation *operation);
int do_readv(struct actor *actor, const struct operation *operation);
int do_write(struct actor *actor, const struct operation *operation);
int do_lseek(struct actor *actor, const struct operation *operation);
int do_mmap(struct actor *actor, const struct operation *operation);
void do_unmap(struct actor *actor);
void do_remap(struct actor *actor, const struct operation *operation);
void do_scan(struct actor *actor);
int do_poll(struct actor *actor, const struct operation *operation);
int do_select(struct actor *actor, const struct operation *operation);
int do_setting(const struct operation *operation);

/* surroundings.c */
void do_open_other(struct actor *actor, const struct operation *operation);
void do_dup(struct actor *actor, const struct operation *operation);
void do_owner(struct actor *actor, const struct operation *operation);
void pin(unsigned int cpu);
void do_spawn(struct actor *actor, const struct operation *operation);
void crash_is_wrong(int status);
void do_reap(void);
void do_kill(struct actor *actor, const struct operation *operation);
void do_work(const struct operation *operation);
void do_look(const struct operation *operation);
void do_file_table(void);
void do_module(const struct operation *operation);
unsigned int do_fork(struct actor *actor, const struct operation *operation,
		     unsigned int left);

#endif
