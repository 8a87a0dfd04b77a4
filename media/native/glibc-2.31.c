// Defines what Debian 12's compiler, headers and static libraries use, and glibc 2.31 does not have.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

// Is not zero while a program has one thread, which may then do without atomic operations.
HIDDEN char __libc_single_threaded = 0;

// Fills a buffer with random bytes. glibc, too, ends a program that cannot have any.
HIDDEN void arc4random_buf(void *buffer, size_t size) {
	for (char *next = buffer; size > 0;) {
		ssize_t n = getrandom(next, size, 0);
		if (n < 0 && errno != EINTR) abort();
		if (n > 0) next += n, size -= n;
	}
}

// Returns a random number.
HIDDEN uint32_t arc4random(void) {
	uint32_t n;
	arc4random_buf(&n, sizeof n);
	return n;
}
