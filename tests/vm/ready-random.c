// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the kernel's random generator ready immediately. A guest has no source of random numbers,
 * so the generator would become ready at some time during the tests. Until it is ready, the C
 * library's malloc() reads the clock, so each program executes a few more instructions. The
 * generator gets zeros, because the random numbers of a guest need not be secret.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/random.h>
#include <sys/ioctl.h>

#define BYTES 32 /* number of bytes that the generator needs to become ready */

int main(void)
{
	struct {
		int bits;
		int bytes;
		unsigned char data[BYTES];
	} pool = { .bits = 8 * BYTES, .bytes = BYTES }; /* struct rand_pool_info */
	int fd = open("/dev/random", O_RDWR);

	if (fd == -1 || ioctl(fd, RNDADDENTROPY, &pool))
		err(1, "/dev/random");
}
