package models

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// defaultMaxBytes is the largest model that Add accepts by default. The largest Whisper model takes
// 6 GB with 32-bit numbers.
const defaultMaxBytes = 8 << 30

// addedSuffix marks the file of a model that is being added.
const addedSuffix = ".added"

// namePattern matches the names that Add accepts. They are safe as file names on every system.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Errors of Add. An error that wraps ErrNotModel says why.
var (
	ErrName     = errors.New("the name of a model has letters, digits, dots, hyphens and underscores only")
	ErrTooLarge = errors.New("the file is larger than any Whisper model")
	ErrNotModel = errors.New("the file is not a speech model")
	ErrOther    = errors.New("the file is not the known model of this name, because its checksum differs")
)

// Add installs a model from r, which has size bytes. It checks the complete file before the model
// gets its name, so an interrupted Add leaves nothing behind. Errors: ErrName, ErrInstalled,
// ErrBusy, ErrTooLarge, ErrNotModel, ErrOther for a known model with another checksum; as Free;
// read errors of r.
func (l *Library) Add(ctx context.Context, name string, size int64, r io.Reader) error {
	if !namePattern.MatchString(name) {
		return ErrName
	}
	if size > l.o.MaxBytes {
		return ErrTooLarge
	}
	if s, err := l.Status(name); err == nil && s.Installed {
		return ErrInstalled
	} else if s.Downloading {
		return ErrBusy
	} else if err != nil && !errors.Is(err, ErrUnknown) {
		return err
	}

	if err := l.o.Free(size); err != nil {
		return err
	}
	if err := os.MkdirAll(l.o.Dir, 0o700); err != nil {
		return fmt.Errorf("creating the models folder: %w", err)
	}
	path := filepath.Join(l.o.Dir, fileName(name))
	leave, err := l.enterAdd(path + addedSuffix)
	if err != nil {
		return err
	}
	defer leave()
	sum, err := l.write(ctx, name, path+addedSuffix, r)
	if err == nil {
		err = recordSum(path, sum)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path+addedSuffix))
	}
	if err := os.Rename(path+addedSuffix, path); err != nil {
		return fmt.Errorf("installing the model: %w", err)
	}
	return nil
}

// enterAdd reserves the path of a file that is being added and removes files that an earlier
// process left. Errors: ErrBusy.
func (l *Library) enterAdd(path string) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.adding[path] {
		return nil, ErrBusy
	}
	left, err := filepath.Glob(filepath.Join(l.o.Dir, "*"+addedSuffix))
	if err != nil {
		return nil, err
	}
	for _, old := range left {
		if l.adding[old] {
			continue
		}
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("deleting an unfinished model: %w", err)
		}
	}

	l.adding[path] = true
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.adding, path)
	}, nil
}

// write writes r to a file, syncs it to disk, checks it and returns its SHA-256 in hex.
func (l *Library) write(ctx context.Context, name, path string, r io.Reader) (string, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return "", fmt.Errorf("creating the model: %w", err)
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(file, sum), io.LimitReader(reader{ctx, r}, l.o.MaxBytes+1))
	if err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	if n > l.o.MaxBytes {
		return "", ErrTooLarge
	}
	if _, err := l.o.Check(path); err != nil {
		reason := cmp.Or(errors.Unwrap(err), err) // without the path
		return "", fmt.Errorf("%w: %w", ErrNotModel, reason)
	}

	got := hex.EncodeToString(sum.Sum(nil))
	if m, err := l.find(name); err == nil && !strings.EqualFold(got, m.SHA256) {
		return "", ErrOther
	}
	return got, nil
}
