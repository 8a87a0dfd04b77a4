package whisper

/*
#include <stdlib.h>
#include <string.h>
#include "bias.h"

// rc_run is one run of a model. Another thread raises stop, which whisper's threads read between
// the steps of a computation. steps counts the chunks that whisper.cpp has begun; it begins at most
// most_steps. heard is the last time stamp that the decoder wrote in the first chunk, or 1 once the
// encoder is done; its unit is 20 ms.
typedef struct {
	int stop, steps, most_steps, heard;
	const rc_bias *bias; // NULL for none
} rc_run;

static bool rc_stopped(void *run) { return __atomic_load_n(&((rc_run *)run)->stop, __ATOMIC_RELAXED) != 0; }
static void rc_stop(rc_run *run) { __atomic_store_n(&run->stop, 1, __ATOMIC_RELAXED); }
static int rc_heard(rc_run *run) { return __atomic_load_n(&run->heard, __ATOMIC_RELAXED); }

static bool rc_begin_step(struct whisper_context *ctx, struct whisper_state *state, void *run) {
	return ++((rc_run *)run)->steps <= ((rc_run *)run)->most_steps;
}

// whisper.cpp calls this after each step of the decoder, for several sequences at the same time.
static void rc_filter_logits(struct whisper_context *ctx, struct whisper_state *state,
		const whisper_token_data *tokens, int n, float *logits, void *user) {
	rc_run *run = user;
	int heard = 1, begin = whisper_token_beg(ctx);
	for (int i = n - 1; i >= 0 && heard == 1; i--)
		if (tokens[i].id > begin)
			heard = tokens[i].id - begin;
	int before = rc_heard(run);
	while (before < heard && !__atomic_compare_exchange_n(
			&run->heard, &before, heard, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	if (run->bias)
		rc_raise_logits(run->bias, tokens, n, logits);
}

static void rc_log_nothing(enum ggml_log_level level, const char *text, void *user) {}
static void rc_silence(void) { whisper_log_set(rc_log_nothing, NULL); }

static int rc_full(struct whisper_context *ctx, const float *samples, int n, int threads,
		const char *language, rc_run *run) {
	struct whisper_full_params p = whisper_full_default_params(WHISPER_SAMPLING_BEAM_SEARCH);
	p.n_threads = threads;
	p.language = language;
	p.n_max_text_ctx = 0;
	p.no_context = true;
	p.token_timestamps = true;
	p.suppress_nst = true;
	p.print_special = p.print_progress = p.print_realtime = p.print_timestamps = false;
	p.abort_callback = rc_stopped;
	p.encoder_begin_callback = rc_begin_step;
	p.logits_filter_callback = rc_filter_logits;
	p.abort_callback_user_data = p.encoder_begin_callback_user_data = p.logits_filter_callback_user_data = run;
	return whisper_full(ctx, p, samples, n);
}
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"roughcut/media"

	binding "github.com/ggerganov/whisper.cpp/bindings/go"
)

// token is a text token or a special token. Times are in milliseconds from the start of the
// samples.
type token struct {
	text        string // raw bytes; a character may span several tokens
	special     bool
	probability float64
	startMS     int64
	endMS       int64
}

// segment holds the tokens between two timestamps of the model.
type segment struct{ tokens []token }

// disableLogging stops whisper.cpp from writing to standard error. It applies to the whole process.
func disableLogging() { C.rc_silence() }

// native returns the context as the C type of this file. Only Model.Close frees it.
func (m *Model) native() *C.struct_whisper_context {
	return (*C.struct_whisper_context)(unsafe.Pointer(m.ctx))
}

// run transcribes samples, which last from one second to a few minutes, in a language of Whisper. b
// and progress may be nil. When ctx ends, run stops within one step of the computation and returns
// the error of ctx. C reads the samples only during the call. run calls progress from another
// goroutine, with increasing shares of its work, and never after it has returned. The caller must
// hold m.mu.
func (m *Model) run(
	ctx context.Context,
	samples []float32,
	language string,
	b *bias,
	progress func(float64),
) ([]segment, error) {
	// The state of the run is in C memory because whisper's threads use it while Go runs. The
	// deferred call frees it.
	state := (*C.rc_run)(C.calloc(1, C.sizeof_rc_run))
	state.most_steps = C.int(float64(len(samples))*m.stepsPerSecond/media.SpeechSampleRate) + minSteps
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		C.rc_stop(state)
		close(stopped)
	})
	defer func() {
		if !stop() {
			<-stopped
		}
		C.free(unsafe.Pointer(state))
	}()
	cLanguage := C.CString(language)
	defer C.free(unsafe.Pointer(cLanguage))
	var pinner runtime.Pinner
	defer pinner.Unpin()
	state.bias = b.pinned(&pinner)
	ended := watchProgress(state, len(samples), progress)
	code := C.rc_full(m.native(), (*C.float)(&samples[0]), C.int(len(samples)), C.int(m.threads), cLanguage, state)
	ended()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if state.steps > state.most_steps {
		return nil, fmt.Errorf(
			"speech model %s: the transcription makes no progress; the model may be damaged, delete and add it again",
			m.info.Name,
		)
	}

	if code != 0 {
		return nil, fmt.Errorf(
			"speech model %s: whisper.cpp failed with code %d; the model may be damaged, download it again",
			m.info.Name,
			int(code),
		)
	}

	return m.segments(), nil
}

// watchEvery is how often a run reports its progress.
const watchEvery = 50 * time.Millisecond

// encoderShare is the share of the encoder in the progress of a run.
const encoderShare = 0.5

// watchProgress reports the progress of a run until the returned function is called.
func watchProgress(state *C.rc_run, samples int, progress func(float64)) (end func()) {
	if progress == nil {
		return func() {}
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		last := 0.0
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}

			const unit = 0.02 * media.SpeechSampleRate // samples
			if heard := float64(C.rc_heard(state)) * unit; heard > 0 {
				done := encoderShare + (1-encoderShare)*min(heard/float64(samples), 1)
				if done > last {
					last = done
					progress(done)
				}
			}
		}
	}()
	return func() {
		close(stop)
		<-ended
	}
}

// tokenIDs returns the IDs of the text tokens of the model. The caller must hold m.mu.
func (m *Model) tokenIDs() map[string]int32 {
	if m.ids == nil {
		ctx := m.native()
		n := min(C.whisper_token_eot(ctx), C.whisper_n_vocab(ctx))
		m.ids = make(map[string]int32, n)
		for id := range n {
			text := C.GoString(C.whisper_token_to_str(ctx, id))
			if _, known := m.ids[text]; !known {
				m.ids[text] = int32(id)
			}
		}
	}

	return m.ids
}

// segments copies the result of the last run from the context.
func (m *Model) segments() []segment {
	ctx := m.native()
	begin, eot := C.whisper_token_beg(ctx), C.whisper_token_eot(ctx)
	out := make([]segment, C.whisper_full_n_segments(ctx))
	chunkStart := int64(0) // start of the current 30 s chunk of whisper.cpp, in hundredths of a second
	for s := range out {
		segStart := int64(C.whisper_full_get_segment_t0(ctx, C.int(s)))
		segEnd := int64(C.whisper_full_get_segment_t1(ctx, C.int(s)))
		n := int(C.whisper_full_n_tokens(ctx, C.int(s)))
		first := true // no text yet in this segment
		for t := range n {
			data := C.whisper_full_get_token_data(ctx, C.int(s), C.int(t))
			if data.id == begin && t == 0 {
				chunkStart = segStart
			}
			start, special := int64(data.t0), data.id >= eot
			// The timestamp with the highest probability at this token is more accurate than the
			// one that whisper.cpp estimates.
			own := chunkStart + 2*int64(data.tid-begin)
			if data.pt > 0.01 && data.ptsum > 0.01 && own >= segStart && own < segEnd {
				start = own
			}
			if first && !special && segStart > chunkStart {
				start = segStart // the timestamp before the text; in a chunk's first segment it is always zero
			}
			first = first && special
			out[s].tokens = append(out[s].tokens, token{
				text:    C.GoString(C.whisper_token_to_str(ctx, data.id)),
				special: special, probability: float64(data.p),
				startMS: 10 * start, endMS: 10 * max(int64(data.t1), start),
			})
		}
	}

	return out
}

// loadContext opens a model file that CheckModel has accepted. With graphics, a graphics processor
// computes if whisper.cpp finds one and it has enough memory.
func loadContext(path string, graphics bool) (*binding.Context, error) {
	disableLogging()
	cPath := C.CString(path)
	defer C.free(unsafe.Pointer(cPath))
	params := C.whisper_context_default_params()
	params.use_gpu = C.bool(graphics)
	ctx := C.whisper_init_from_file_with_params(cPath, params)
	if ctx == nil && graphics {
		params.use_gpu = false
		ctx = C.whisper_init_from_file_with_params(cPath, params)
	}

	if ctx == nil {
		return nil, errors.New(
			"whisper.cpp cannot load it; free memory or choose a smaller model",
		)
	}

	return (*binding.Context)(unsafe.Pointer(ctx)), nil
}

// Version returns the version of the linked whisper.cpp.
func Version() string { return C.GoString(C.whisper_version()) }
