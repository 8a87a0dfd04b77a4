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
	headBytes    = 256 << 10 // read from the start of a recording
	tailBytes    = 256 << 10 // read from its end
	maxIndex     = 64 << 20  // largest MP4 index (moov box) to read, in bytes
	maxBoxes     = 16        // MP4 boxes to pass in search of the index
	maxNameRunes = 200
)

// lookUp probes the media file at an address, and leaves web pages to yt-dlp.
func (f *Fetcher) lookUp(ctx context.Context, target *url.URL) (store.NewImport, error) {
	client := f.client()
	response, err := getRange(ctx, client, target, 0, headBytes-1)
	if err != nil {
		return store.NewImport{}, err
	}
	defer response.Body.Close()
	r, err := remoteOf(response, headBytes)
	if err != nil {
		return store.NewImport{}, err
	}
	if !r.isMedia() {
		return f.lookUpSite(ctx, target, r)
	}
	return f.probe(ctx, client, r)
}

// probe downloads the parts of a recording that describe it and probes them.
func (f *Fetcher) probe(ctx context.Context, client *http.Client, r *remote) (found store.NewImport, err error) {
	if err := r.checkDownload(); err != nil {
		return found, err
	}
	found = store.NewImport{Name: fileName(r), ContentType: r.contentType(), SizeBytes: max(r.size, 0)}
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
	// A failed probe counts only if it saw the whole file, or if the file has no known container.
	partial := int64(len(r.head)) != r.size && containerOf(r.head) != ""
	switch {
	case err == nil:
		return found, f.CheckDuration(info.DurationMS)
	case !partial || ctx.Err() != nil:
		return found, err
	}

	return found, nil
}

// sample writes the parts of a recording that describe it to a new file, at their offsets.
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
	kind := containerOf(r.head)
	if !r.ranges || r.size <= int64(len(r.head)) || kind == "matroska" || kind == "" {
		return nil
	}
	if err := file.Truncate(r.size); err != nil { // the file is sparse between the parts
		return err
	}
	parts := parts{ctx: ctx, client: client, r: r, file: file, have: int64(len(r.head))}
	if kind == "mp4" {
		return parts.index()
	}
	return parts.load(max(parts.have, r.size-tailBytes), r.size)
}

// parts downloads parts of a remote recording into a file, at their offsets.
type parts struct {
	ctx    context.Context
	client *http.Client
	r      *remote
	file   *os.File
	have   int64 // bytes at the start of the file that are already there
}

// load downloads the bytes [from, to).
func (p *parts) load(from, to int64) error {
	if from >= to {
		return nil
	}
	response, err := getRange(p.ctx, p.client, p.r.url, from, to-1)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusPartialContent {
		return refuse(
			"import_metadata_failed",
			"The server responded with status %d to a range request. Try again.",
			response.StatusCode,
		)
	}

	n, err := io.Copy(io.NewOffsetWriter(p.file, from), io.LimitReader(response.Body, to-from))
	if err == nil && n < to-from {
		err = errInterrupted
	}
	return err
}

// index finds the index of an MP4 file, its moov box, and downloads it. The box is usually at the
// start or the end of the file.
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

// box reads the header of the MP4 box at an offset that is already downloaded.
func (p *parts) box(at int64) (kind string, size int64, err error) {
	var header [16]byte
	if _, err := p.file.ReadAt(header[:], at); err != nil {
		return "", 0, fmt.Errorf("reading an MP4 box header: %w", err)
	}
	size = int64(binary.BigEndian.Uint32(header[:4]))
	if size == 1 {
		size = int64(binary.BigEndian.Uint64(header[8:]) & (1<<63 - 1))
	}
	return string(header[4:8]), size, nil
}

// fileName returns the name of a recording: the one that its server proposes, the last element of
// the path, or the host name.
func fileName(r *remote) string {
	for _, name := range []string{r.name, path.Base(r.url.Path)} {
		if name = cleanName(name); name != "" {
			return name
		}
	}

	return r.url.Hostname()
}

// cleanName turns untrusted text into a file name: one line, no folders, at most maxNameRunes
// characters. The result may be empty.
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
