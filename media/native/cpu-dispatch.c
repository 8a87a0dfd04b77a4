// Chooses the variant of ggml's CPU backend for this processor. See add_variants in build.sh.

typedef struct ggml_backend_reg *ggml_backend_reg_t;

ggml_backend_reg_t roughcut_cpu_reg_sse42(void);
ggml_backend_reg_t roughcut_cpu_reg_avx2(void);

// Replaces ggml's function of this name. The compiler's test also asks whether the system saves the registers.
ggml_backend_reg_t ggml_backend_cpu_reg(void) {
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
		__builtin_cpu_supports("bmi2"))
		return roughcut_cpu_reg_avx2();
	return roughcut_cpu_reg_sse42();
}
