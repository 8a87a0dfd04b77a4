package models

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"roughcut/store/outfile"
)

// sumSuffix marks the file with the checksum of an installed model, in the format of sha256sum.
const sumSuffix = ".sha256"

// DamagedError says that the file of a model has changed since the model was added.
type DamagedError struct{ Path string }

func (e *DamagedError) Error() string {
	return fmt.Sprintf(
		"the speech model %s has changed since it was added; delete it and add it again, "+
			"or delete %s if you replaced it yourself",
		e.Path, filepath.Base(e.Path)+sumSuffix,
	)
}

// version tells the states of a file apart, without reading it.
type version struct {
	size    int64
	changed time.Time
}

// CheckIntact compares the file of an installed model with the checksum from the time when the
// model was added. It reads each version of a file once. A model in the folder that has no checksum
// yet gets one, unless the catalog has another checksum for a file of this size. Errors:
// *DamagedError.
func (l *Library) CheckIntact(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("reading a speech model: %w", err)
	}
	now := version{info.Size(), info.ModTime()}
	l.mu.Lock()
	done := l.intact[path] == now
	l.mu.Unlock()
	if done {
		return nil
	}
	want, err := l.recorded(path, now.size)
	if err != nil {
		return err
	}
	inside := filepath.Dir(path) == filepath.Clean(l.o.Dir)
	if want == "" && !inside {
		return nil
	}
	got, err := hashFile(path)
	if err != nil {
		return fmt.Errorf("reading a speech model: %w", err)
	}
	if want != "" && !strings.EqualFold(got, want) {
		return &DamagedError{path}
	}
	if inside {
		// without a recorded checksum the next process records it
		_ = recordSum(path, got)
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	l.intact[path] = now
	return nil
}

// recorded returns the checksum that a model file must have, or "" if it is not known.
func (l *Library) recorded(path string, size int64) (string, error) {
	line, err := os.ReadFile(path + sumSuffix)
	if err == nil {
		if sum := bytes.Fields(line); len(sum) > 0 && len(sum[0]) == hex.EncodedLen(sha256.Size) {
			return string(sum[0]), nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading the checksum of a speech model: %w", err)
	}

	for _, m := range l.o.Known {
		if m.SizeBytes == size && filepath.Base(path) == fileName(m.Name) {
			return m.SHA256, nil
		}
	}

	return "", nil
}

// hashFile returns the SHA-256 of a file in hex.
func hashFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// recordSum writes the checksum of the model file at path next to it.
func recordSum(path, sum string) error {
	line := sum + "  " + filepath.Base(path) + "\n"
	if old, err := os.ReadFile(path + sumSuffix); err == nil && string(old) == line {
		return nil
	}
	err := outfile.Write(path+sumSuffix, outfile.Options{Replace: true, Mode: 0o600}, func(w io.Writer) error {
		_, err := io.WriteString(w, line)
		return err
	})
	if err != nil {
		return fmt.Errorf("recording the checksum of a speech model: %w", err)
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
