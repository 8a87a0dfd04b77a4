package whisper

/*
#include <ggml-backend.h>
#include <stdlib.h>
#include <whisper.h>

#ifdef __linux__
// ggml sets this variable when it looks for processors. glibc then moves the environment, and a
// thread that reads it crashes. Before the program starts, there is no other thread.
static void __attribute__((constructor)) rc_environment(void) { setenv("KMP_BLOCKTIME", "200", 0); }
#endif

// Reports whether whisper.cpp was compiled with Vulkan, with or without a graphics processor here.
#ifdef __linux__
extern ggml_backend_reg_t ggml_backend_vk_reg(void) __attribute__((weak));
static bool rc_vulkan(void) { return ggml_backend_vk_reg != NULL; }
#else
static bool rc_vulkan(void) { return false; }
#endif

// The graphics processor that whisper.cpp uses, or NULL.
static ggml_backend_dev_t rc_gpu(void) {
	for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
		ggml_backend_dev_t dev = ggml_backend_dev_get(i);
		enum ggml_backend_dev_type type = ggml_backend_dev_type(dev);
		if (type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU) return dev;
	}
	return NULL;
}
*/
import "C"

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// HasVulkan reports whether whisper.cpp was compiled for graphics processors with Vulkan. This
// machine may have none: see Graphics. HasVulkan loads no driver.
func HasVulkan() bool { return bool(C.rc_vulkan()) }

// DisableVulkan keeps this process from loading drivers of Vulkan, so that the CPU transcribes. It
// has an effect only before the first call of Graphics or Open, which load them: whisper.cpp looks
// for all processors when it looks for one.
func DisableVulkan() {
	_ = os.Setenv("GGML_DISABLE_VULKAN", "1") // it accepts all values without NUL
}

// Graphics returns the name of the graphics processor that transcribes, or "" if the CPU
// transcribes. The first call loads the driver into this process, which ends if the driver crashes.
func Graphics() string {
	disableLogging()
	device := C.rc_gpu()
	if device == nil {
		return ""
	}
	return C.GoString(C.ggml_backend_dev_description(device))
}

// buildOptions are options of the build that whisper.cpp lists as if they were instructions.
var buildOptions = []string{"LLAMAFILE", "OPENMP", "REPACK", "ACCELERATE", "KLEIDIAI"}

// Instructions returns the instructions of the processor that whisper.cpp uses: "AVX2, FMA".
func Instructions() string {
	disableLogging()
	info := C.GoString(C.whisper_print_system_info())
	_, info, _ = strings.Cut(info, "CPU : ")
	var names []string
	for _, found := range regexp.MustCompile(`(\w+) = 1`).FindAllStringSubmatch(info, -1) {
		if name := found[1]; !slices.Contains(buildOptions, name) {
			names = append(names, name)
		}
	}

	return strings.Join(names, ", ")
}
