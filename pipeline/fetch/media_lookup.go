package fetch

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"unicode"

	"roughcut/store"
)

const (
	headBytes    = 256 << 10 // of a recording, that a look-up reads
	tailBytes    = 256 << 10
	maxIndex     = 64 << 20 // of an MP4
	maxBoxes     = 16       // that the search for it passes
	maxNameRunes = 200
)

// lookUp asks an address what it holds: a recording is probed, anything else is left to yt-dlp.
func (f *Fetcher) lookUp(ctx context.Context, target *url.URL) (store.NewImport, error) {
	client := f.client()
	answer, err := get(ctx, client, target, 0, headBytes-1)
	if err != nil {
		return store.NewImport{}, err
	}
	defer answer.Body.Close()
	r, err := introduce(answer, headBytes)
	if err != nil {
		return store.NewImport{}, err
	}
	if !r.isMedia() {
		return f.lookUpSite(ctx, target, r)
	}
	return f.lookAt(ctx, client, r)
}

// lookAt probes a recording by its parts.
func (f *Fetcher) lookAt(ctx context.Context, client *http.Client, r *remote) (found store.NewImport, err error) {
	if err := r.check(); err != nil {
		return found, err
	}
	found = store.NewImport{Name: fileName(r), ContentType: r.kind, SizeBytes: max(r.size, 0)}
	temp, err := f.TempPath(".probe")
	if err != nil {
		return found, err
	}
	defer os.Remove(temp)
	if err := f.sample(ctx, client, r, temp); err != nil {
		return found, err
	}
	probing, cancel := context.WithTimeout(ctx, f.MetadataTimeout/3)
	defer cancel()
	info, err := f.Probe(probing, temp)
	// A probe that fails says something only where it saw all that there is, or nothing that looks
	// like a recording.
	partial := int64(len(r.head)) != r.size && container(r.head) != ""
	switch {
	case err == nil:
		return found, f.CheckDuration(info.DurationMS)
	case !partial || ctx.Err() != nil:
		return found, err
	}
	return found, nil
}

// sample writes to a new file those parts of a recording that tell what it is, at their places.
func (f *Fetcher) sample(ctx context.Context, client *http.Client, r *remote, path string) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
	}()
	if _, err := file.Write(r.head); err != nil {
		return err
	}
	kind := container(r.head)
	if !r.ranges || r.size <= int64(len(r.head)) || kind == "matroska" || kind == "" {
		return nil
	}
	if err := file.Truncate(r.size); err != nil { // what lies between stays a hole
		return err
	}
	parts := parts{ctx: ctx, client: client, r: r, file: file, have: int64(len(r.head))}
	if kind == "mp4" {
		return parts.index()
	}
	return parts.load(max(parts.have, r.size-tailBytes), r.size)
}

// parts loads parts of a remote recording into a file, at their places.
type parts struct {
	ctx    context.Context
	client *http.Client
	r      *remote
	file   *os.File
	have   int64 // the beginning that is there
}

func (p *parts) load(from, to int64) error {
	if from >= to {
		return nil
	}
	answer, err := get(p.ctx, p.client, p.r.url, from, to-1)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusPartialContent {
		return refuse(
			"import_metadata_failed",
			"The server answered with status %d instead of a part of the recording. Try again.",
			answer.StatusCode,
		)
	}
	n, err := io.Copy(io.NewOffsetWriter(p.file, from), io.LimitReader(answer.Body, to-from))
	if err == nil && n < to-from {
		err = errBrokenOff
	}
	return err
}

// index walks over the boxes of an MP4 until it finds its index, which lies at the beginning or at
// the end, and loads all of it.
func (p *parts) index() error {
	at := int64(0)
	for range maxBoxes {
		if p.r.size-at < 16 {
			return nil
		}
		loaded := p.have
		if at+16 > p.have {
			loaded = min(at+headBytes, p.r.size)
			if err := p.load(at, loaded); err != nil {
				return err
			}
		}
		kind, size, err := p.box(at)
		switch {
		case err != nil:
			return err
		case kind == "moov" && size <= maxIndex && at+size <= p.r.size:
			return p.load(max(at, loaded), at+size)
		case size < 8 || size > p.r.size-at || kind == "moof":
			return nil
		}
		at += size
	}
	return nil
}

// box reads the header of the box at a place that is loaded.
func (p *parts) box(at int64) (kind string, size int64, err error) {
	var header [16]byte
	if _, err := p.file.ReadAt(header[:], at); err != nil {
		return "", 0, fmt.Errorf("reading what was loaded: %w", err)
	}
	size = int64(binary.BigEndian.Uint32(header[:4]))
	if size == 1 {
		size = int64(binary.BigEndian.Uint64(header[8:]) & (1<<63 - 1))
	}
	return string(header[4:8]), size, nil
}

// fileName is what a recording is called: as its server says, or by the end of its address.
func fileName(r *remote) string {
	for _, name := range []string{r.name, path.Base(r.url.Path)} {
		if name = cleanName(name); name != "" {
			return name
		}
	}
	return r.url.Hostname()
}

// cleanName makes a name of text from elsewhere: one line, no folders, not too long. It is empty
// where nothing is left.
func cleanName(text string) string {
	text = strings.ToValidUTF8(text, "")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '/' || r == '\\':
			return '-'
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	text = strings.Trim(strings.Join(strings.Fields(text), " "), ".- ")
	if runes := []rune(text); len(runes) > maxNameRunes {
		text = strings.TrimSpace(string(runes[:maxNameRunes]))
	}
	return text
}
