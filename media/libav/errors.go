package libav

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asticode/go-astiav"
)

// MediaError says what is wrong with a recording, in words that its owner can act on. Trying again
// with the same file gives the same error.
type MediaError struct {
	Message string
}

// Error returns the message.
func (e *MediaError) Error() string { return e.Message }

// FileFault returns the message: the fault is the file's, and its owner may read why.
func (e *MediaError) FileFault() string { return e.Message }

func mediaErrorf(format string, args ...any) error {
	return &MediaError{Message: fmt.Sprintf(format, args...)}
}

// errNoMedia is what a file gets that is no recording at all: text, a playlist, an empty file.
func errNoMedia() error {
	return mediaErrorf(
		"this file holds no video or sound that can be read; use an MP4, MOV, MKV, WebM, AVI, MP3, WAV, FLAC or Ogg recording",
	)
}

// errNoSound is for sound that is asked of what has none.
func errNoAudio() error { return mediaErrorf("this recording has no sound") }

// errChanged is for a file that is not what it was when it was ingested.
func errChanged() error {
	return mediaErrorf("this recording was changed after it was read; upload it again")
}

// stallError says that nothing was decoded or written for a long time.
type stallError struct{ after time.Duration }

func (e stallError) Error() string {
	return fmt.Sprintf(
		"no progress for %v: the recording cannot be read to its end, or the machine is overloaded",
		e.after,
	)
}

// because returns the error that a failed call shall report: the cause of a cancelled context
// before what libav made of it.
func because(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// isEOF reports the regular end of a libav stream.
func isEOF(err error) bool { return errors.Is(err, astiav.ErrEof) }

// isAgain reports that libav wants more input, or its output taken, before it goes on.
func isAgain(err error) bool { return errors.Is(err, astiav.ErrEagain) }
