//go:build linux

package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"syscall"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/pipeline/detect"
)

// Name is the argument that makes the executable run Serve.
const Name = "engine"

// repliesFD is the descriptor for the replies of a child. The descriptors of files follow.
const repliesFD = 3

// Calls that a child answers.
const (
	callProbe      = "probe"
	callIngest     = "ingest"
	callTiles      = "tiles"
	callRender     = "render"
	callCount      = "count"
	callStill      = "still"
	callFaces      = "faces"
	callPrerender  = "prerender"
	callAsset      = "asset"
	callTrim       = "trim"
	callRoomTone   = "room_tone"
	callTranscribe = "transcribe"
	callHear       = "hear"
	callEncoder    = "encoder"
	callGraphics   = "graphics"
)

// request is the first value that the parent sends. Hints follow as answers to questions. The end
// of the input cancels the call.
type request struct {
	Call   string          `json:"call"`
	Limits Limits          `json:"limits"`
	Chunks ChunkCache      `json:"chunks"`
	Body   json.RawMessage `json:"body"`
	// Encoder is the video encoder of proxies and exports. The child tests no encoder again.
	Encoder media.EncoderChoice `json:"encoder"`
}

// ChunkCache is the cache of encoded chunks: see libav.ChunkCache.
type ChunkCache struct {
	Dir         string `json:"dir"` // empty for no cache
	BudgetBytes int64  `json:"budget_bytes"`
}

// reply is one value that a child sends: a progress, a question, or the end of the call.
type reply struct {
	Progress *float64        `json:"progress,omitempty"`
	HintsFor *string         `json:"hints_for,omitempty"` // a language whose hints the child needs
	Result   json.RawMessage `json:"result,omitempty"`
	Error    *wireError      `json:"error,omitempty"`
}

// Bodies of requests. Other calls use types of package media.
type (
	ingestCall struct {
		Request media.IngestRequest `json:"request"`
		Hear    bool                `json:"hear"`
	}
	probeCall struct {
		Path string `json:"path"`
	}
	renderCall struct {
		Plan media.RenderPlan `json:"plan"`
		Path string           `json:"path"`
	}
	stillCall struct {
		Plan  media.RenderPlan `json:"plan"`
		Frame int64            `json:"frame"`
		Kind  media.StillKind  `json:"kind"`
	}
	encoderCall struct {
		Wanted string `json:"wanted"`
	}
	hearCall struct {
		Path       string `json:"path"`
		DurationMS int64  `json:"duration_ms"`
	}
	transcribeCall struct {
		Model    string              `json:"model"`
		Path     string              `json:"path"`
		Language string              `json:"language"`
		Voice    audio.VoiceActivity `json:"voice"`
		Hints    bool                `json:"hints"` // the child may ask for hints
		Threads  int                 `json:"threads"`
		Graphics bool                `json:"graphics"` // a graphics processor may compute
	}
)

// ingestReply is the result of an ingest, with the fields that its JSON leaves out.
type ingestReply struct {
	Result    media.IngestResult `json:"result"`
	Energies  []byte             `json:"energies"` // pairs of little-endian float64
	Peaks     []byte             `json:"peaks"`
	Keyframes []int64            `json:"keyframes"`
	Motion    []byte             `json:"motion"`
	Evidence  *detect.Evidence   `json:"evidence,omitempty"`
}

// energyBytes is the size of an energy in an ingestReply. JSON cannot hold the NaN that damaged
// audio can contain.
const energyBytes = 16

func packIngest(r media.IngestResult, heard *detect.Evidence) ingestReply {
	var energies []byte
	for _, e := range r.Energies {
		energies = binary.LittleEndian.AppendUint64(energies, math.Float64bits(e.Power))
		energies = binary.LittleEndian.AppendUint64(energies, math.Float64bits(e.Peak))
	}

	return ingestReply{r, energies, r.Peaks, r.Keyframes, r.Motion, heard}
}

func (r ingestReply) unpack() media.IngestResult {
	out := r.Result
	out.Peaks, out.Keyframes, out.Motion = r.Peaks, r.Keyframes, r.Motion
	for at := 0; at+energyBytes <= len(r.Energies); at += energyBytes {
		out.Energies = append(out.Energies, media.Energy{
			Power: math.Float64frombits(binary.LittleEndian.Uint64(r.Energies[at:])),
			Peak:  math.Float64frombits(binary.LittleEndian.Uint64(r.Energies[at+energyBytes/2:])),
		})
	}

	return out
}

// wireError is the error of a call.
type wireError struct {
	Text  string `json:"text"`
	Fault string `json:"fault,omitempty"` // of a FileFault
	Cause string `json:"cause,omitempty"` // key of causes
}

// causes lists the errors that callers look for in the error of an engine.
func causes() map[string]error {
	return map[string]error{
		"nothing_left": media.ErrNothingLeft,
		"needs_proxy":  media.ErrNeedsProxy,
		"disk_full":    syscall.ENOSPC,
		"disk_error":   syscall.EIO,
		"file_size":    syscall.EFBIG,
		"memory":       syscall.ENOMEM,
		"open_files":   syscall.EMFILE,
	}
}

// fileFault is pipeline.FileFault.
type fileFault interface {
	error
	FileFault() string
}

// packError returns the error of an engine for the wire.
func packError(err error) *wireError {
	out := &wireError{Text: err.Error()}
	var fault fileFault
	if errors.As(err, &fault) {
		out.Fault = fault.FileFault()
	}
	for name, cause := range causes() {
		if errors.Is(err, cause) {
			out.Cause = name
		}
	}

	return out
}

// unpack returns the error as the engine returned it.
func (w wireError) unpack() error {
	var err error = engineError{w.Text, causes()[w.Cause]}
	if w.Fault != "" {
		err = Fault{w.Fault, err}
	}
	return err
}

// engineError is the error of an engine in a child.
type engineError struct {
	text  string
	cause error // nil if unknown
}

func (e engineError) Error() string { return e.text }
func (e engineError) Unwrap() error { return e.cause }

// Fault is an error of a call that the file or the request caused: a fault that the engine found, a
// limit that the call exceeded, or a crash of the engine.
type Fault struct {
	message string
	cause   error
}

// Error returns the details for the log.
func (f Fault) Error() string { return f.cause.Error() }

// Unwrap returns the cause.
func (f Fault) Unwrap() error { return f.cause }

// FileFault returns the message for the user.
func (f Fault) FileFault() string { return f.message }

func faultf(cause error, format string, args ...any) error {
	return Fault{fmt.Sprintf(format, args...), cause}
}
