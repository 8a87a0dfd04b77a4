package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"roughcut/store/fault"
	"roughcut/store/outfile"
)

// tries is how many connections in a row may fail without data before a download gives up.
const tries = 5

// errRefused is an error that a retry cannot fix.
type errRefused struct{ error }

func (e errRefused) Unwrap() error { return e.error }

// Download installs a known model, unless a valid copy is already installed. It resumes interrupted
// downloads and retries failed connections. progress gets bytes. Errors: ErrUnknown, ErrBusy.
func (l *Library) Download(ctx context.Context, name string, progress func(received, total int64)) error {
	m, err := l.find(name)
	if err != nil {
		return err
	}
	path := filepath.Join(l.o.Dir, fileName(name))
	if l.verifyFile(ctx, path, m) == nil {
		progress(m.SizeBytes, m.SizeBytes)
		return nil
	}

	if err := os.MkdirAll(l.o.Dir, 0o700); err != nil {
		return fmt.Errorf("creating the models folder: %w", err)
	}
	unlock, err := outfile.Lock(path)
	if errors.Is(err, outfile.ErrBusy) {
		return ErrBusy
	} else if err != nil {
		return fmt.Errorf("locking the download: %w", err)
	}

	defer unlock()
	if err := l.fill(ctx, m, path+partSuffix, progress); err != nil {
		if l.partSize(name) == 0 {
			_ = os.Remove(path + partSuffix) // an empty file has nothing to resume
		}
		return fmt.Errorf("downloading the model %s: %w", name, err)
	}

	if _, err := l.o.Check(path + partSuffix); err != nil {
		return errors.Join(err, os.Remove(path+partSuffix))
	}
	if err := recordSum(path, m.SHA256); err != nil {
		return err
	}
	if err := os.Rename(path+partSuffix, path); err != nil {
		return fmt.Errorf("installing the model: %w", err)
	}
	return nil
}

// fill completes the file at path, verifies its checksum and syncs it to disk.
func (l *Library) fill(ctx context.Context, m Model, path string, progress func(received, total int64)) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	t := &transfer{l: l, m: m, file: file, sum: sha256.New(), progress: progress}
	if err := t.resume(ctx); err != nil {
		return err
	}
	if err := l.o.Free(m.SizeBytes - t.received); err != nil {
		return err
	}
	for resumed := t.received > 0; ; resumed = false {
		if err := t.rest(ctx); err != nil {
			return errors.Join(err, file.Sync())
		}
		if t.verified() {
			return file.Sync()
		}
		if !resumed {
			return errors.Join(
				errChecksum{l.o.URL},
				os.Remove(path),
			)
		}

		if err := t.restart(); err != nil { // the earlier download may have been of another file
			return err
		}
	}
}

// sleep waits for d or until ctx ends, and then returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// transfer is a running download.
type transfer struct {
	l        *Library
	m        Model
	file     *os.File
	sum      hash.Hash // SHA-256 of the received bytes
	received int64
	progress func(received, total int64)
}

// resume hashes the bytes of an earlier download, so that rest continues after them.
func (t *transfer) resume(ctx context.Context) error {
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > t.m.SizeBytes {
		return t.restart()
	}
	t.received, err = io.Copy(t.sum, reader{ctx, t.file})
	t.progress(t.received, t.m.SizeBytes)
	return err
}

// restart discards the received bytes.
func (t *transfer) restart() error {
	t.sum.Reset()
	t.received = 0
	if err := t.file.Truncate(0); err != nil {
		return err
	}
	_, err := t.file.Seek(0, io.SeekStart)
	return err
}

// verified reports whether the received bytes have the checksum of the model.
func (t *transfer) verified() bool { return hex.EncodeToString(t.sum.Sum(nil)) == t.m.SHA256 }

// rest downloads the missing bytes and reconnects when a connection fails.
func (t *transfer) rest(ctx context.Context) error {
	for failures := 0; t.received < t.m.SizeBytes; {
		before := t.received
		err := t.fetch(ctx)
		if err == nil {
			continue
		}
		if t.received > before {
			failures = 0
		}
		failures++
		var refused errRefused
		if ctx.Err() != nil || errors.As(err, &refused) || failures >= tries {
			return err
		}
		if err := sleep(ctx, t.l.o.RetryWait); err != nil {
			return err
		}
	}

	return nil
}

// fetch requests the missing bytes over one connection.
func (t *transfer) fetch(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stalled := time.AfterFunc(t.l.o.Stall, cancel)
	defer stalled.Stop()
	address := strings.TrimRight(t.l.o.URL, "/") + "/" + fileName(t.m.Name)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errRefused{err}
	}
	if t.received > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", t.received))
	}
	response, err := t.l.o.Client.Do(request)
	if err != nil {
		return fault.Network(request.URL.Host, err)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusPartialContent && strings.HasPrefix(
		response.Header.Get("Content-Range"),
		fmt.Sprintf("bytes %d-", t.received),
	):
	case response.StatusCode == http.StatusOK:
		if err := t.restart(); err != nil {
			return errRefused{err}
		}
	case response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests:
		return errStatus{address, response.Status, response.StatusCode}
	default:
		return errRefused{errStatus{address, response.Status, response.StatusCode}}
	}

	return fault.Network(request.URL.Host, t.receive(response.Body, stalled))
}

// receive writes and hashes a response body, up to the size of the model.
func (t *transfer) receive(body io.Reader, stalled *time.Timer) error {
	buffer := make([]byte, 256<<10)
	for t.received < t.m.SizeBytes {
		n, err := body.Read(buffer[:min(int64(len(buffer)), t.m.SizeBytes-t.received)])
		if n > 0 {
			stalled.Reset(t.l.o.Stall)
			if _, err := t.file.Write(buffer[:n]); err != nil {
				return errRefused{err}
			}
			t.sum.Write(buffer[:n])
			t.received += int64(n)
			t.progress(t.received, t.m.SizeBytes)
		}

		if errors.Is(err, io.EOF) && t.received < t.m.SizeBytes {
			return io.ErrUnexpectedEOF
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return errors.Join(io.ErrUnexpectedEOF, err)
		}
	}

	return nil
}

// Verify checks the checksums of the installed known models and the headers of the others. The
// result maps the name of each installed model to its error, nil for a valid model.
func (l *Library) Verify(ctx context.Context) (map[string]error, error) {
	list, err := l.List()
	if err != nil {
		return nil, err
	}
	found := map[string]error{}
	for _, s := range list {
		if !s.Installed {
			continue
		}
		path := filepath.Join(l.o.Dir, fileName(s.Name))
		if m, err := l.find(s.Name); err == nil {
			found[s.Name] = l.verifyFile(ctx, path, m)
		} else {
			found[s.Name] = nil // List has checked its header
		}

		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}

	return found, nil
}

// verifyFile returns an error if the file at path is not the known model m.
func (l *Library) verifyFile(ctx context.Context, path string, m Model) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != m.SizeBytes {
		return fmt.Errorf("the file has %d bytes instead of %d", info.Size(), m.SizeBytes)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, reader{ctx, file}); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != m.SHA256 {
		return fmt.Errorf("the file has the SHA-256 checksum %s instead of %s", got, m.SHA256)
	}
	return nil
}

// reader is a reader that fails when ctx ends.
type reader struct {
	ctx context.Context
	io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
