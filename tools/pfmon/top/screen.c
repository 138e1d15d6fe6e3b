// SPDX-License-Identifier: GPL-2.0-only
/* The terminal of a live view. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../common/errors.h"
#include "screen.h"

#define DEFAULT_COLUMNS 80
#define DEFAULT_ROWS	24

/* Move the cursor to the first line and column, and clear everything after it. */
#define CLEAR		"\033[H\033[J"

/*
 * Size of stdout's buffer in bytes. The buffer has room for a whole screen, so one write(2) shows
 * the screen, without flicker.
 */
#define BUFFER		65536

static void measure(struct screen *screen)
{
	struct winsize size = { 0 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	screen->columns = size.ws_col ? size.ws_col : DEFAULT_COLUMNS;
	screen->rows = size.ws_row ? size.ws_row : DEFAULT_ROWS;
}

/*
 * Change the terminal's settings, so that keys can be read one by one and are not echoed.  Ctrl-C
 * and Ctrl-Z still send their signals.
 */
static void take_keys(const struct screen *screen)
{
	struct termios settings = screen->saved;

	settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	settings.c_cc[VMIN] = 1;
	settings.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
}

static void restore(const struct screen *screen)
{
	if (screen->has_keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &screen->saved);
}

static int poll_for(const struct screen *screen, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(screen->poll, EPOLL_CTL_ADD, fd, &event);
}

static int begin_polling(struct screen *screen)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	screen->poll = epoll_create1(EPOLL_CLOEXEC);
	screen->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return screen->poll == -1 || screen->signals == -1 ||
	       poll_for(screen, screen->signals) ||
	       (screen->has_keys && poll_for(screen, STDIN_FILENO));
}

int screen_begin(struct screen *screen)
{
	*screen = (struct screen){ .signals = -1 };
	screen->has_keys = isatty(STDIN_FILENO) &&
			   !tcgetattr(STDIN_FILENO, &screen->saved);
	if (begin_polling(screen)) {
		screen->has_keys = false;
		return fail("cannot use the terminal: %s", strerror(errno));
	}
	if (screen->has_keys)
		take_keys(screen);
	measure(screen);
	setvbuf(stdout, NULL, _IOFBF, BUFFER);
	return 0;
}

/* Restore the terminal and stop, because the user typed Ctrl-Z. */
static void stop(struct screen *screen)
{
	restore(screen);
	kill(getpid(), SIGSTOP);
	if (screen->has_keys)
		take_keys(screen);
}

char screen_key(struct screen *screen)
{
	struct signalfd_siginfo info;
	struct epoll_event event;
	char key;

	if (epoll_wait(screen->poll, &event, 1, 0) != 1)
		return 0;
	if (event.data.fd == STDIN_FILENO)
		return read(STDIN_FILENO, &key, 1) == 1 ? key : SCREEN_QUIT;
	while (read(screen->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo == SIGTSTP)
			stop(screen);
	measure(screen);
	return SCREEN_REDRAW;
}

/*
 * In UTF-8, a byte of the form 10xxxxxx continues a character.  Each character is counted as one
 * column of the terminal.
 */
static bool begins_character(char byte)
{
	return (byte & 0xc0) != 0x80;
}

void screen_write(FILE *file, const char *text, unsigned int rows, unsigned int columns)
{
	for (; *text && rows; rows--) {
		size_t length = strcspn(text, "\n"), shown = 0;
		unsigned int column = 0;

		for (; shown < length; shown++)
			if (begins_character(text[shown]) && column++ == columns)
				break;
		fwrite(text, 1, shown, file);
		text += length + (text[length] == '\n');
		if (*text && rows > 1)
			putc('\n', file);
	}
}

void screen_show(const struct screen *screen, const char *text)
{
	fputs(CLEAR, stdout);
	screen_write(stdout, text, screen->rows, screen->columns);
	fflush(stdout);
}

void screen_end(struct screen *screen)
{
	if (!screen->poll)
		return;
	restore(screen);
	putchar('\n');
	fflush(stdout);
	if (screen->signals != -1)
		close(screen->signals);
	if (screen->poll != -1)
		close(screen->poll);
	*screen = (struct screen){ 0 };
}
