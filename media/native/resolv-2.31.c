// Defines what package net of Go uses with Debian 12's headers, and glibc 2.31 has under another name.

int __res_search(const char *name, int class, int type, unsigned char *answer, int size);

// Returns the answer of name servers for a name in the domains of this machine.
__attribute__((visibility("hidden"))) int res_search(const char *name, int class, int type, unsigned char *answer, int size) {
	return __res_search(name, class, type, answer, size);
}
