package libav

// #include <stdlib.h>
// #if defined(__GLIBC__)
// #include <malloc.h>
// static void roughcut_spare_memory(void) {
// 	mallopt(M_ARENA_MAX, 2);
// 	mallopt(M_MMAP_THRESHOLD, 4 << 20);
// }
// #else
// static void roughcut_spare_memory(void) {}
// #endif
import "C"

// Libav allocates on the threads of all its codecs. The C library of GNU gives each thread a heap
// of its own, which keeps what was freed in it; and once a large block was freed, it takes those of
// that size from the heaps too, where the indexes of long recordings leave holes as they grow. Two
// heaps, and blocks of four MB from the system, take a sixth less memory for an export of an hour,
// and no more time.
func init() { C.roughcut_spare_memory() }
