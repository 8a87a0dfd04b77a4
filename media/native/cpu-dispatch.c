// Chooses the variant of ggml's CPU backend for this processor, and how long its threads spin. See merge_variants in build.sh.

typedef struct ggml_backend_reg *ggml_backend_reg_t;

#if defined(__x86_64__)

ggml_backend_reg_t roughcut_cpu_reg_sse42(void);
ggml_backend_reg_t roughcut_cpu_reg_avx2(void);
ggml_backend_reg_t roughcut_cpu_reg_avx512(void);

// Replaces ggml's function of this name. The compiler's test also asks whether the system saves the registers.
ggml_backend_reg_t ggml_backend_cpu_reg(void) {
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c") ||
		!__builtin_cpu_supports("bmi2"))
		return roughcut_cpu_reg_sse42();
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni"))
		return roughcut_cpu_reg_avx512();
	return roughcut_cpu_reg_avx2();
}

#elif defined(__aarch64__)

#include <sys/auxv.h>

ggml_backend_reg_t roughcut_cpu_reg_armv8(void);
ggml_backend_reg_t roughcut_cpu_reg_dotprod(void);

// Replaces ggml's function of this name. The kernel tells which instructions it allows.
ggml_backend_reg_t ggml_backend_cpu_reg(void) {
	const unsigned long needed = HWCAP_ASIMDDP | HWCAP_FPHP | HWCAP_ASIMDHP | HWCAP_ATOMICS | HWCAP_ASIMDRDM;
	if ((getauxval(AT_HWCAP) & needed) == needed) return roughcut_cpu_reg_dotprod();
	return roughcut_cpu_reg_armv8();
}

#endif

#if defined(__linux__)

#include <stdlib.h>

// A thread of libgomp that waits for the others of a product spins 300,000 times before it sleeps. If another process holds the
// processor of the thread that it waits for, it only burns time: beside two busy processes on two processors, a transcription took 11
// to 32 s, and takes 10 to 13 s with 3,000. An idle machine loses nothing. libgomp reads its settings when the program starts, and is
// linked statically so that this constructor comes first.
__attribute__((constructor(101))) static void limit_spinning(void) {
	if (!getenv("OMP_WAIT_POLICY")) setenv("GOMP_SPINCOUNT", "3000", 0);
}

#endif
