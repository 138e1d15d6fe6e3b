/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal of a live view. */
#ifndef PFMON_SCREEN_H
#define PFMON_SCREEN_H

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

/**
 * struct screen - the terminal
 * @poll: descriptor that is readable when screen_key() can return something; 0: the terminal is
 *	not used
 * @signals: signalfd(2) of SIGWINCH and SIGTSTP
 * @has_keys: keys are read one by one, and are not echoed
 * @saved: the terminal's settings before screen_begin()
 * @columns: width in characters
 * @rows: height in lines
 */
struct screen {
	int poll;
	int signals;
	bool has_keys;
	struct termios saved;
	unsigned int columns;
	unsigned int rows;
};

/* Returns 0, or -1 after reporting an error. The caller calls screen_end() in either case. */
int screen_begin(struct screen *screen);

#define SCREEN_QUIT   'q'
#define SCREEN_REDRAW '\f'

/*
 * Returns the key that was pressed, or 0 if there is none. Returns SCREEN_REDRAW if the size of the
 * terminal has changed, or if pfmon was stopped and now continues. Returns SCREEN_QUIT if reading a
 * key fails, for example because the terminal no longer exists.
 */
char screen_key(struct screen *screen);

/* Show as much of @text as fits on the screen. */
void screen_show(const struct screen *screen, const char *text);

/* Write the first @rows lines of @text to @file. Cut each line after @columns characters. */
void screen_write(FILE *file, const char *text, unsigned int rows, unsigned int columns);

/* Restore the terminal. */
void screen_end(struct screen *screen);

#endif
