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

	"github.com/gofrs/flock"
)

// tries is how often in a row a download is gone on with that brings nothing.
const tries = 5

// errRefused is an answer that another try will not change.
type errRefused struct{ error }

// Download brings a known model into the folder, unless a sound one is there. It goes on where an
// earlier download broke off, and by itself when the connection breaks. progress gets bytes.
// Errors: ErrUnknown, ErrBusy.
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
		return fmt.Errorf("making the folder of the models: %w", err)
	}
	lock := flock.New(path + partSuffix)
	if ok, err := lock.TryLock(); err != nil {
		return fmt.Errorf("locking the download: %w", err)
	} else if !ok {
		return ErrBusy
	}
	defer func() { _ = lock.Close() }() // nothing was written through it
	if err := l.fill(ctx, m, path+partSuffix, progress); err != nil {
		if l.partSize(name) == 0 {
			_ = os.Remove(path + partSuffix) // nothing came that could be gone on with
		}
		return fmt.Errorf("downloading the model %s: %w", name, err)
	}
	if err := l.o.Check(path + partSuffix); err != nil {
		return errors.Join(err, os.Remove(path+partSuffix))
	}
	if err := os.Rename(path+partSuffix, path); err != nil {
		return fmt.Errorf("moving the model in: %w", err)
	}
	return nil
}

// fill brings the file at path to the whole, durable and right model.
func (l *Library) fill(ctx context.Context, m Model, path string, progress func(received, total int64)) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	t := &transfer{l: l, m: m, file: file, sum: sha256.New(), progress: progress}
	if err := t.readAhead(ctx); err != nil {
		return err
	}
	if err := l.o.Free(m.SizeBytes - t.received); err != nil {
		return err
	}
	for resumed := t.received > 0; ; resumed = false {
		if err := t.rest(ctx); err != nil {
			return errors.Join(err, file.Sync())
		}
		if t.right() {
			return file.Sync()
		}
		if !resumed {
			return errors.Join(
				fmt.Errorf("the file at %s has another checksum than the model; what came is thrown away", l.o.URL),
				os.Remove(path),
			)
		}
		if err := t.restart(); err != nil { // what an earlier download brought may have been of another file
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// transfer is one download under way.
type transfer struct {
	l        *Library
	m        Model
	file     *os.File
	sum      hash.Hash // of the received bytes
	received int64
	progress func(received, total int64)
}

// readAhead takes over what an earlier download brought.
func (t *transfer) readAhead(ctx context.Context) error {
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

func (t *transfer) restart() error {
	t.sum.Reset()
	t.received = 0
	if err := t.file.Truncate(0); err != nil {
		return err
	}
	_, err := t.file.Seek(0, io.SeekStart)
	return err
}

// right says whether what was received is the model.
func (t *transfer) right() bool { return hex.EncodeToString(t.sum.Sum(nil)) == t.m.SHA256 }

// rest brings what is missing, and goes on by itself when a connection breaks.
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
		if err := pause(ctx, t.l.o.RetryWait); err != nil {
			return err
		}
	}
	return nil
}

// fetch asks for the rest and takes what comes.
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
	answer, err := t.l.o.Client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusPartialContent && strings.HasPrefix(answer.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", t.received)):
	case answer.StatusCode == http.StatusOK:
		if err := t.restart(); err != nil {
			return errRefused{err}
		}
	case answer.StatusCode >= http.StatusInternalServerError || answer.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("%s answers %s", address, answer.Status)
	default:
		return errRefused{fmt.Errorf("%s answers %s", address, answer.Status)}
	}
	return t.take(answer.Body, stalled)
}

// take writes and sums what comes, at most the model's size.
func (t *transfer) take(body io.Reader, stalled *time.Timer) error {
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
			return err
		}
	}
	return nil
}

// Verify compares each installed model that is known with its checksum, and looks at the header of
// the others. The result names the models by what is wrong with them, nil where nothing is.
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
			found[s.Name] = nil // List looked at its header
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return found, nil
}

// verifyFile says what is wrong with the file of a known model.
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
		return fmt.Errorf("has %d bytes instead of %d", info.Size(), m.SizeBytes)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, reader{ctx, file}); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != m.SHA256 {
		return fmt.Errorf("has the checksum %s instead of %s", got, m.SHA256)
	}
	return nil
}

// reader reads until ctx ends.
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
