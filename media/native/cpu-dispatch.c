// Chooses the variant of ggml's CPU backend for this processor. See merge_variants in build.sh.

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
