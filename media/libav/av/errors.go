package av

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"github.com/asticode/go-astiav"
)

// MediaError describes a fault of a recording, in words that its owner can act on. A retry with the
// same file gives the same error.
type MediaError struct {
	Message string
}

// Error returns the message.
func (e *MediaError) Error() string { return e.Message }

// FileFault returns the message. It marks the error as a fault of the file, whose owner may read
// it.
func (e *MediaError) FileFault() string { return e.Message }

// Errorf returns a *MediaError.
func Errorf(format string, args ...any) error {
	return &MediaError{Message: fmt.Sprintf(format, args...)}
}

// errNoMedia is the error for a file that is not a recording: text, a playlist, an empty file.
func errNoMedia() error {
	return Errorf(
		"this file has no readable video or audio; use an MP4, MOV, MKV, WebM, AVI, MP3, WAV, FLAC or Ogg recording",
	)
}

// ErrStill is the error for an image in place of a recording.
func ErrStill() error {
	return Errorf("this file is an image, not a recording; add it to the library to show it in a video")
}

// ErrNoAudio is the error when a call needs audio and the recording has none.
func ErrNoAudio() error { return Errorf("this recording has no audio") }

// ErrChanged is the error for a file that changed since it was ingested.
func ErrChanged() error {
	return Errorf("this recording changed after it was read; upload it again")
}

// stallError says that nothing was decoded or written for a long time.
type stallError struct{ after time.Duration }

func (e stallError) Error() string {
	return fmt.Sprintf(
		"no progress for %v: the recording cannot be read to its end, or the machine is overloaded",
		e.after,
	)
}

// Because returns the error that a failed call reports: the cause of a cancelled context if there
// is one, otherwise err.
func Because(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// systemError returns the error of the system that an error of libav stands for, such as
// syscall.EMFILE, and any other error unchanged. libav negates the numbers of the system, which are
// below 4096; its own errors are tags of four letters. See libavutil/error.h.
func systemError(err error) error {
	var code astiav.Error
	if runtime.GOOS != "windows" && errors.As(err, &code) && code < 0 && code > -4096 {
		return syscall.Errno(-code)
	}
	return err
}

// IsEOF reports the regular end of a libav stream.
func IsEOF(err error) bool { return errors.Is(err, astiav.ErrEof) }

// IsAgain reports that libav needs more input, or that its output must be read first.
func IsAgain(err error) bool { return errors.Is(err, astiav.ErrEagain) }
