package fetch

import (
	"bytes"
	"cmp"
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

// siteVideo holds the fields of yt-dlp's video metadata that look-ups use.
type siteVideo struct {
	Title    string  `json:"title"`
	Ext      string  `json:"ext"`
	Duration float64 `json:"duration"` // seconds, 0 if unknown
	IsLive   bool    `json:"is_live"`
	Size     int64   `json:"filesize"`
	URL      string  `json:"url"`
	Protocol string  `json:"protocol"`
	Site     string  `json:"extractor_key"`
}

// lookUpSite asks yt-dlp for the video of a web page, whose response is r.
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
	// The second item only tells a playlist from a single video.
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
			"The address is a list of several videos. Enter the address of one of them.",
		)
	case video.IsLive:
		return found, refuse(
			"import_metadata_failed",
			"The address is a live stream. Import it after the stream has ended.",
		)
	}

	if err := f.CheckDuration(int64(video.Duration * 1000)); err != nil {
		return found, err
	}
	// These extractors number the videos of a page, even a single one.
	if video.Site == "Generic" || video.Site == "HTML5MediaEmbed" {
		video.Title = strings.TrimSuffix(video.Title, " (1)")
	}
	found = store.NewImport{Name: cleanName(video.Title), SizeBytes: max(0, video.Size)}
	found.Name = cmp.Or(found.Name, target.Hostname())
	if video.Duration > 0 || (video.Protocol != "http" && video.Protocol != "https") {
		return found, nil
	}
	return found, f.checkResolved(ctx, video.URL, &found)
}

// checkResolved probes the video file of a page whose metadata gives no duration, and adds its size
// to found. It returns only errors that yt-dlp would meet as well: yt-dlp may succeed where a plain
// request fails.
func (f *Fetcher) checkResolved(ctx context.Context, address string, found *store.NewImport) error {
	target, err := parseAddress(address)
	if err != nil {
		return nil //nolint:nilerr // yt-dlp may know what to do with the address
	}
	client := f.client()
	response, err := getRange(ctx, client, target, 0, headBytes-1)
	if err != nil {
		return refusalOf(err)
	}
	defer response.Body.Close()
	r, err := remoteOf(response, headBytes)
	if err != nil || !r.isMedia() {
		return refusalOf(err)
	}
	resolved, err := f.probe(ctx, client, r)
	if err == nil && found.SizeBytes == 0 {
		found.SizeBytes = resolved.SizeBytes
	}
	return refusalOf(err)
}

// refusalOf returns err if it refuses the video regardless of the client, and nil otherwise.
func refusalOf(err error) error {
	var known *store.Error
	if errors.As(err, &known) && (known.Code == "import_too_long" || known.Code == "import_address_refused") {
		return known
	}
	return nil
}

// fetchSite downloads the video of a web page through yt-dlp.
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
	polled, stopPolling := poll(watched, func() error { return checkSize(folderSize(dir), t.allow) })
	defer stopPolling()
	const name = "recording"
	err = f.ytDlp(
		polled,
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
			"The page has no video to import. Import a live stream after it has ended.",
		)
	}

	if err := t.allow(info.Size()); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, name), path)
}

// canAskSite returns an error if yt-dlp is not installed or the response r leaves nothing to ask
// yt-dlp about.
func (f *Fetcher) canAskSite(r *remote) error {
	if r.status == http.StatusNotFound || r.status == http.StatusGone {
		return refuse(
			"import_metadata_failed",
			"The page does not exist (%d %s). Check the address.",
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
			"The server refused the request (%d %s). Check whether the recording is public.",
			r.status,
			r.statusText(),
		)
	}

	return refuse(
		"import_metadata_failed",
		"This address is a web page, not a video file. Importing from web pages needs yt-dlp on the server: "+
			"install it (apt install yt-dlp, brew install yt-dlp or pipx install yt-dlp) or set YT_DLP to its path. "+
			"Or enter the address of the video file itself.",
	)
}

// tempDir creates an empty folder for one run of yt-dlp. The caller removes it.
func (f *Fetcher) tempDir() (string, error) {
	dir, err := f.TempPath(".site")
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	return dir, err
}

// pollInterval is the time between two checks of the size of yt-dlp's output.
const pollInterval = 500 * time.Millisecond

// poll calls check periodically and ends the returned context with the error of check as its cause.
// stop ends the checks and waits for their goroutine.
func poll(ctx context.Context, check func() error) (polled context.Context, stop func()) {
	polled, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(pollInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := check(); err != nil {
					cancel(err)
					return
				}
			case <-polled.Done():
				return
			}
		}
	}()
	return polled, func() { cancel(context.Canceled); <-done }
}

// folderSize returns the total size of the files in a folder. Files that disappear during the walk
// do not count.
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

// youTube reports whether an address belongs to YouTube, whose player needs a JavaScript runtime.
func youTube(target *url.URL) bool {
	host := strings.ToLower(target.Hostname())
	return host == "youtu.be" || host == "youtube.com" || strings.HasSuffix(host, ".youtube.com")
}
