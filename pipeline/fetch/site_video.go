package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"roughcut/store"
)

// siteVideo is what yt-dlp says about a video, as far as it is used.
type siteVideo struct {
	Title    string  `json:"title"`
	Ext      string  `json:"ext"`
	Duration float64 `json:"duration"` // seconds, 0 where unknown
	IsLive   bool    `json:"is_live"`
	Size     int64   `json:"filesize"`
	URL      string  `json:"url"`
	Protocol string  `json:"protocol"`
	Site     string  `json:"extractor_key"`
}

// lookUpSite asks yt-dlp what is at an address that answered r, which is no recording.
func (f *Fetcher) lookUpSite(ctx context.Context, target *url.URL, r *remote) (found store.NewImport, err error) {
	if err := f.canAskSite(r); err != nil {
		return found, err
	}
	dir, err := f.tempDir()
	if err != nil {
		return found, err
	}
	defer os.RemoveAll(dir)
	out := &capped{limit: 16 << 20}
	// A second item is only asked for to tell a list from a video.
	if err := f.ytDlp(ctx, target, dir, out, "--dump-json", "--playlist-items", "1:2"); err != nil {
		return found, err
	}
	lines := bytes.Split(bytes.TrimSpace(out.kept), []byte("\n"))
	var video siteVideo
	if err := json.Unmarshal(lines[0], &video); err != nil {
		return found, refuse("import_metadata_failed", "No video was found at this address.")
	}
	switch {
	case len(lines) > 1:
		return found, refuse(
			"import_metadata_failed",
			"The address is a list of several videos. Give the address of one of them.",
		)
	case video.IsLive:
		return found, refuse("import_metadata_failed", "The address is a live stream. Import it when it has ended.")
	}
	if err := f.CheckDuration(int64(video.Duration * 1000)); err != nil {
		return found, err
	}
	// which number the videos of a page, also a single one
	if video.Site == "Generic" || video.Site == "HTML5MediaEmbed" {
		video.Title = strings.TrimSuffix(video.Title, " (1)")
	}
	found = store.NewImport{Name: cleanName(video.Title), SizeBytes: max(0, video.Size)}
	if found.Name == "" {
		found.Name = target.Hostname()
	}
	if video.Duration > 0 || video.Protocol != "http" && video.Protocol != "https" {
		return found, nil
	}
	return found, f.checkResolved(ctx, video.URL, &found)
}

// checkResolved probes the recording that a page stands for, where nothing else says how long it
// is. Only what that is sure to refuse is an error: yt-dlp may get at what we do not.
func (f *Fetcher) checkResolved(ctx context.Context, address string, found *store.NewImport) error {
	target, err := parseAddress(address)
	if err != nil {
		return nil //nolint:nilerr // yt-dlp's own business
	}
	client := f.client()
	answer, err := get(ctx, client, target, 0, headBytes-1)
	if err != nil {
		return sure(err)
	}
	defer answer.Body.Close()
	r, err := introduce(answer, headBytes)
	if err != nil || !r.isMedia() {
		return sure(err)
	}
	resolved, err := f.lookAt(ctx, client, r)
	if err == nil && found.SizeBytes == 0 {
		found.SizeBytes = resolved.SizeBytes
	}
	return sure(err)
}

// sure keeps refusals that do not depend on who asks.
func sure(err error) error {
	var known *store.Error
	if errors.As(err, &known) && (known.Code == "import_too_long" || known.Code == "import_address_refused") {
		return known
	}
	return nil
}

// fetchSite lets yt-dlp bring a recording in.
func (f *Fetcher) fetchSite(ctx context.Context, target *url.URL, r *remote, path string, t transfer) error {
	if err := f.canAskSite(r); err != nil {
		return err
	}
	dir, err := f.tempDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	watched, stop := f.watch(ctx, func() int64 { return folderSize(dir) })
	defer stop()
	asked, stopAsking := ask(watched, func() error { return tooMuch(folderSize(dir), t.allow) })
	defer stopAsking()
	const name = "recording"
	err = f.ytDlp(
		asked,
		target,
		dir,
		&progressLines{report: t.progress},
		"--playlist-items",
		"1",
		"--match-filters",
		"!is_live",
		"--max-filesize",
		"64G",
		"--output",
		name,
		"--no-mtime",
		"--newline",
		"--progress-template",
		"download:"+progressTemplate,
	)
	if err != nil {
		return err
	}
	info, err := os.Lstat(filepath.Join(dir, name))
	if err != nil || !info.Mode().IsRegular() {
		return refuse(
			"import_metadata_failed",
			"The address gave no video. A live stream can be imported when it has ended.",
		)
	}
	if err := t.allow(info.Size()); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, name), path)
}

// canAskSite reports whether it is worth asking yt-dlp about an address that answered r.
func (f *Fetcher) canAskSite(r *remote) error {
	if r.status == http.StatusNotFound || r.status == http.StatusGone {
		return refuse(
			"import_metadata_failed",
			"There is nothing at this address (%d %s). Check it.",
			r.status,
			r.statusText(),
		)
	}
	if _, err := f.program(); err == nil {
		return nil
	}
	if !r.ok() {
		return refuse(
			"import_metadata_failed",
			"The server of this address refused with %d %s.",
			r.status,
			r.statusText(),
		)
	}
	return refuse(
		"import_metadata_failed",
		"This address is a page and no video file. Pages of video sites need the program yt-dlp, which this server does not have: "+
			"its operator can install it (apt install yt-dlp, brew install yt-dlp or pipx install yt-dlp), or say with YT_DLP where it is. Or give the address of the video file itself.",
	)
}

// tempDir makes an empty folder for one run of yt-dlp; who asks for it removes it.
func (f *Fetcher) tempDir() (string, error) {
	dir, err := f.TempPath(".site")
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	return dir, err
}

// askInterval is how often the size of what yt-dlp writes is looked at.
const askInterval = 500 * time.Millisecond

// ask ends the returned context with the error of check as its cause. stop ends the asking and
// waits for it.
func ask(ctx context.Context, check func() error) (asked context.Context, stop func()) {
	asked, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(askInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := check(); err != nil {
					cancel(err)
					return
				}
			case <-asked.Done():
				return
			}
		}
	}()
	return asked, func() { cancel(context.Canceled); <-done }
}

// folderSize adds up the files of a folder; what goes away meanwhile counts nothing.
func folderSize(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // files come and go
		}
		if info, err := entry.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// youTube reports an address of YouTube, whose players are scripts.
func youTube(target *url.URL) bool {
	host := strings.ToLower(target.Hostname())
	return host == "youtu.be" || host == "youtube.com" || strings.HasSuffix(host, ".youtube.com")
}
