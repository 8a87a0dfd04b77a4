package whisper

/*
#include <stdlib.h>
#include <time.h>
#include <ggml.h>
#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <whisper.h>

static double rc_seconds(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void rc_set_threads(ggml_backend_t backend, int threads) {
	ggml_backend_reg_t reg = ggml_backend_dev_backend_reg(ggml_backend_get_device(backend));
	ggml_backend_set_n_threads_t set =
		(ggml_backend_set_n_threads_t)ggml_backend_reg_get_proc_address(reg, "ggml_backend_set_n_threads");
	if (set) set(backend, threads);
}

// Multiplies n matrices of 16-bit weights, each width x width, with columns for about the given
// time, and at least twice, because the driver of a graphics processor compiles programs in the
// first round. Returns the floating-point operations a second of the fastest round, by the clock
// or by the CPU time of this thread. Returns 0 if the memory is not available.
static double rc_products(ggml_backend_t backend, int width, int n, int columns, double seconds, bool cpu) {
	clockid_t clock = cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
	struct ggml_init_params p = {
		.mem_size = ggml_tensor_overhead() * (2 * n + 1) + ggml_graph_overhead(), .no_alloc = true,
	};
	struct ggml_context *ctx = ggml_init(p);
	if (!ctx) return 0;
	struct ggml_cgraph *graph = ggml_new_graph(ctx);
	struct ggml_tensor *x = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, width, columns);
	for (int i = 0; i < n; i++)
		ggml_build_forward_expand(graph, ggml_mul_mat(ctx, ggml_new_tensor_2d(ctx, GGML_TYPE_F16, width, width), x));
	double fastest = 0;
	ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors(ctx, backend);
	if (buffer) {
		ggml_backend_buffer_clear(buffer, 0);
		double start = rc_seconds(CLOCK_MONOTONIC);
		for (int round = 0; round < 2 || rc_seconds(CLOCK_MONOTONIC) - start < seconds; round++) {
			double before = rc_seconds(clock);
			if (ggml_backend_graph_compute(backend, graph) != GGML_STATUS_SUCCESS) break;
			double taken = rc_seconds(clock) - before;
			if (fastest == 0 || taken < fastest) fastest = taken;
		}
		ggml_backend_buffer_free(buffer);
	}
	ggml_free(ctx);
	return fastest > 0 ? 2.0 * n * width * width * columns / fastest : 0;
}

static ggml_backend_t rc_cpu(void) { return ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, NULL); }
// Reports whether whisper.cpp was compiled with Vulkan, with or without a graphics processor here.
#ifdef __linux__
extern ggml_backend_reg_t ggml_backend_vk_reg(void) __attribute__((weak));
static bool rc_vulkan(void) { return ggml_backend_vk_reg != NULL; }
#else
static bool rc_vulkan(void) { return false; }
#endif

static const char *rc_device(ggml_backend_t b) { return ggml_backend_dev_description(ggml_backend_get_device(b)); }

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
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Speed is how fast a machine transcribes.
type Speed struct {
	Device   string  `json:"device"`   // the graphics processor that computes; empty for the CPU
	Threads  int     `json:"threads"`  // number of threads that is the fastest
	Encoding float64 `json:"encoding"` // operations a second of products with many columns, as in the encoder
	Decoding float64 `json:"decoding"` // operations a second of products with few columns, as in the decoder
}

// The benchmark measures products of the size of the model medium. Its steps take two seconds
// together. The weights of the decoder are larger than the caches of most processors.
const (
	speedWidth     = 1024
	decoderWeights = 16
	encoderColumns = 1500
	decoderColumns = 5 // the hypotheses of a beam search
	speedTime      = 2 * time.Second
)

// HasVulkan reports whether whisper.cpp was compiled for graphics processors with Vulkan. This
// machine may have none: see Graphics. HasVulkan loads no driver.
func HasVulkan() bool { return bool(C.rc_vulkan()) }

// DisableVulkan keeps this process from loading drivers of Vulkan, so that the CPU transcribes. It
// has an effect only before the first call of Graphics, MeasureSpeed, SpeedKey or Open, which load
// them: whisper.cpp looks for all processors when it looks for one.
func DisableVulkan() {
	_ = os.Setenv("GGML_DISABLE_VULKAN", "1") // it accepts all values without NUL
}

// Graphics returns the name of the graphics processor that transcribes, "" for none. The first call
// loads its driver into this process, which ends if the driver crashes.
func Graphics() string {
	disableLogging()
	device := C.rc_gpu()
	if device == nil {
		return ""
	}
	return C.GoString(C.ggml_backend_dev_description(device))
}

// MeasureSpeed measures the speed of this machine for two seconds: of a graphics processor if
// whisper.cpp uses one, or else of several numbers of threads. On a machine that is too busy to run
// several threads at once, it returns the speed of one thread, which is a lower bound.
func MeasureSpeed() (Speed, error) {
	disableLogging()
	if device := C.rc_gpu(); device != nil {
		gpu := C.ggml_backend_dev_init(device, nil)
		if gpu == nil {
			return Speed{}, errors.New("measuring the speed of whisper.cpp: the graphics processor does not start")
		}
		defer C.ggml_backend_free(gpu)
		speed, err := measure(gpu, []int{runtime.NumCPU()}, speedTime)
		speed.Device = Graphics()
		return speed, err
	}
	cpu := C.rc_cpu()
	if cpu == nil {
		return Speed{}, errors.New("measuring the speed of whisper.cpp: it finds no processor")
	}
	defer C.ggml_backend_free(cpu)
	best, err := measure(cpu, threadChoices(runtime.NumCPU()), speedTime*3/4)
	if err != nil {
		return Speed{}, err
	}
	// Other work does not change the CPU time of a thread.
	part := C.double(speedTime.Seconds() / 8)
	C.rc_set_threads(cpu, 1)
	one := Speed{
		Threads:  runtime.NumCPU(),
		Encoding: float64(C.rc_products(cpu, speedWidth, 1, encoderColumns, part, true)),
		Decoding: float64(C.rc_products(cpu, speedWidth, decoderWeights, decoderColumns, part, true)),
	}
	if best.Encoding < one.Encoding {
		best = one
	}
	best.Decoding = max(best.Decoding, one.Decoding)
	return best, nil
}

// threadChoices returns the numbers of threads worth trying on a machine with n CPUs. Two CPUs can
// share one core, and then half as many threads can be faster.
func threadChoices(n int) []int {
	choices := []int{n, n * 3 / 4, n / 2}
	choices = slices.DeleteFunc(choices, func(threads int) bool { return threads < 1 })
	return slices.Compact(choices)
}

// measure returns the speed with the fastest of several numbers of threads.
func measure(backend C.ggml_backend_t, threads []int, limit time.Duration) (best Speed, err error) {
	part := C.double(limit.Seconds() / float64(len(threads)+1))
	for _, n := range threads {
		C.rc_set_threads(backend, C.int(n))
		if speed := float64(C.rc_products(backend, speedWidth, 1, encoderColumns, part, false)); speed > best.Encoding {
			best = Speed{Threads: n, Encoding: speed}
		}
	}
	if best.Threads > 0 {
		C.rc_set_threads(backend, C.int(best.Threads))
		best.Decoding = float64(C.rc_products(backend, speedWidth, decoderWeights, decoderColumns, part, false))
	}
	if best.Encoding == 0 || best.Decoding == 0 {
		device := C.GoString(C.rc_device(backend))
		return Speed{}, fmt.Errorf("measuring the speed of whisper.cpp: %s did not compute", device)
	}
	return best, nil
}

// SpeedKey identifies what a measured speed depends on: the version of whisper.cpp, the number of
// CPUs, the instructions that they have, and the graphics processor, "" for none.
func SpeedKey(graphics string) string {
	disableLogging()
	instructions := C.GoString(C.whisper_print_system_info())
	key := fmt.Sprintf("whisper.cpp %s, %d CPUs, %s", Version(), runtime.NumCPU(), instructions)
	if graphics != "" {
		key += ", " + graphics
	}
	return key
}

// dimensions are the sizes of a Whisper model. slowdown is how much longer the encoder's products
// take on the CPU with its weights than with those of 16 bits.
type dimensions struct{ width, audioLayers, textLayers, slowdown float64 }

// slowdownQ51 is the slowdown of weights of the format q5_1. The CPU has fast products of many
// columns for all other formats of the catalog.
const slowdownQ51 = 2.4

// dimensionsOf returns the dimensions of a model by its name, such as base.en or small-q5_1.
func dimensionsOf(name string) (dimensions, bool) {
	size, quantization, _ := strings.Cut(name, "-q")
	d, ok := map[string]dimensions{
		"tiny":           {384, 4, 4, 1},
		"base":           {512, 6, 6, 1},
		"small":          {768, 12, 12, 1},
		"medium":         {1024, 24, 24, 1},
		"large-v3-turbo": {1280, 32, 4, 1},
		"large-v3":       {1280, 32, 32, 1},
	}[strings.TrimSuffix(size, ".en")]
	if quantization == "5_1" {
		d.slowdown = slowdownQ51
	}
	return d, ok
}

// Transcribe runs a model on windows of up to 29 s. The last one of a recording holds less, and
// missed speech is transcribed again, so a window counts as 24 s of speech. A run computes 1,500
// columns in the encoder, and then one step of the decoder for each token: about 96 of them.
const (
	windowsPerHour = 150
	tokens         = 96
	vocabulary     = 51_865
)

// How long other work takes in comparison with products. This was measured with models of the sizes
// of tiny, base and small on two CPUs with AVX-512. Attention computes the scores of all pairs of
// columns. Windows start with a spectrum. A step of the decoder starts the threads many times, and
// then looks for the best tokens of the vocabulary.
const (
	encoderAttention = 2.6  // times as long as products with as many operations
	decoderAttention = 6.0  // the same
	windowOperations = 13e9 // of products that take as long as the work around a run of the encoder
	stepOperations   = 65e7 // the same, for a step of the decoder
	overhead         = 1.1  // everything else
)

// encoder returns the floating-point operations of products that take as long as one run of the
// encoder: attention with four products, a perceptron with eight, both for each column, and the
// scores. The keys and values for the decoder belong to it.
func (d dimensions) encoder() float64 {
	square := d.width * d.width
	products := encoderColumns * (d.audioLayers*24*square + d.textLayers*4*square)
	scores := encoderColumns * d.audioLayers * 4 * encoderColumns * d.width
	return d.slowdown*products + encoderAttention*scores + windowOperations
}

// decoder returns the floating-point operations of products that take as long as the decoder for a
// window.
func (d dimensions) decoder() float64 {
	products := d.textLayers*28*d.width*d.width + 2*vocabulary*d.width
	scores := d.textLayers * 4 * encoderColumns * d.width
	return tokens * (decoderColumns*(products+decoderAttention*scores) + stepOperations)
}

// PerHour returns about how long the transcription of an hour of speech takes with a model of the
// given name, such as base.en. It is 0 for a model of unknown size.
func (s Speed) PerHour(model string) time.Duration {
	d, ok := dimensionsOf(model)
	if !ok || s.Encoding <= 0 || s.Decoding <= 0 {
		return 0
	}
	if s.Device != "" {
		d.slowdown = 1
	}
	seconds := overhead * windowsPerHour * (d.encoder()/s.Encoding + d.decoder()/s.Decoding)
	return time.Duration(seconds * float64(time.Second))
}
