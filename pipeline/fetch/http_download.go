package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
	"time"
)

// askBytes is the number of bytes between two calls of allow.
const askBytes = 4 << 20

// transfer holds the callbacks of a download; see Fetch.
type transfer struct {
	allow    func(bytes int64) error
	progress func(float64)
}

// fetch downloads a media file over HTTP and leaves web pages to yt-dlp.
func (f *Fetcher) fetch(ctx context.Context, target *url.URL, path string, t transfer) error {
	client := f.client()
	var count atomic.Int64
	watched, stop := f.watch(ctx, count.Load)
	defer stop()
	response, err := getRange(watched, client, target, 0, -1)
	if err != nil {
		return causeOf(watched, err)
	}
	defer response.Body.Close()
	r, err := remoteOf(response, sniffBytes)
	if err != nil {
		return causeOf(watched, err)
	}
	if !r.isMedia() {
		response.Body.Close()
		stop()
		return f.fetchSite(ctx, target, r, path, t)
	}

	if err := r.checkDownload(); err != nil {
		return err
	}
	if err := t.allow(max(r.size, 0)); err != nil {
		return err
	}
	return causeOf(watched, r.save(response.Body, path, &count, t))
}

// sniffBytes is how many bytes of a response isMedia needs.
const sniffBytes = 4096

// save writes the recording to a new file and counts its bytes.
func (r *remote) save(body io.Reader, path string, count *atomic.Int64, t transfer) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(path) // the next start removes leftover files
		}
	}()
	if _, err := file.Write(r.head); err != nil {
		return err
	}
	count.Store(int64(len(r.head)))
	asked := int64(0)
	buffer := make([]byte, 256<<10)
	for {
		n, readErr := body.Read(buffer)
		size := count.Add(int64(n))
		if size-asked >= askBytes || size > maxBytes {
			if err := checkSize(size, t.allow); err != nil {
				return err
			}
			asked = size
		}

		if _, err := file.Write(buffer[:n]); err != nil {
			return err
		}
		if r.size > 0 {
			t.progress(min(1, float64(size)/float64(r.size)))
		}
		switch {
		case errors.Is(readErr, io.EOF):
			return t.allow(size)
		case errors.Is(readErr, io.ErrUnexpectedEOF):
			return refuse(
				"import_metadata_failed",
				"The download was interrupted after %d of %d bytes. Try again.",
				size,
				r.size,
			)
		case readErr != nil:
			return readErr
		}
	}
}

// checkSize returns an error if a download of size bytes exceeds maxBytes or allow refuses it.
func checkSize(size int64, allow func(int64) error) error {
	if size > maxBytes {
		return refuse(
			"import_metadata_failed",
			"The recording is larger than %d GiB, the maximum for imports.",
			maxBytes>>30,
		)
	}

	return allow(size)
}

// leastBytes returns the bytes that a download must receive in a stallWindow, after a number of
// passed ones. They double every five windows, up to 32 times the first number, because a download
// that takes long keeps others from a slot.
func leastBytes(passed int) int64 { return stallBytes << min(passed/5, 5) }

// watch ends the returned context when a download is too slow or takes too long, with the reason as
// its cause. stop ends the watch and waits for its goroutine; it may be called more than once.
func (f *Fetcher) watch(ctx context.Context, size func() int64) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(f.stallWindow)
		defer tick.Stop()
		end := time.NewTimer(maxFetchTime)
		defer end.Stop()
		before := int64(0)
		for passed := 0; ; {
			select {
			case <-tick.C:
				now := size()
				if now-before < leastBytes(passed) {
					cancel(
						refuse(
							"import_metadata_failed",
							"The server sends too slowly. Try again later, or download the recording and upload it.",
						),
					)
					return
				}

				before = now
				passed++
			case <-end.C:
				cancel(
					refuse(
						"import_metadata_failed",
						"The download took longer than %.0f hours. Download the recording yourself and upload it.",
						maxFetchTime.Hours(),
					),
				)
				return
			case <-watched.Done():
				return
			}
		}
	}()
	return watched, func() { cancel(context.Canceled); <-done }
}

// statusText returns the text of the response status, such as "Not Found".
func (r *remote) statusText() string {
	if text := http.StatusText(r.status); text != "" {
		return text
	}
	return "an unknown status"
}
