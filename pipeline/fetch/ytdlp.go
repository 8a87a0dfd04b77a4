package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// These formats need no program besides yt-dlp: one file with video and audio, in fragments that
// yt-dlp joins.
const (
	siteProtocols = `[protocol~='^(https?|m3u8_native|http_dash_segments)$']`
	siteFormats   = "best" + siteProtocols + "/best*[vcodec!=none]" + siteProtocols
	siteOrder     = "res:1080,vcodec:h264,acodec:aac"
)

// commonArguments returns the arguments of every run. They keep yt-dlp from reading settings,
// running other programs and caching. They also hide ffmpeg, which would bypass the proxy.
func commonArguments(dir string) []string {
	return []string{
		"--ignore-config", "--no-cache-dir", "--no-exec", "--no-playlist", "--downloader", "native", "--fixup", "never",
		"--ffmpeg-location", filepath.Join(dir, "no-ffmpeg"), "--abort-on-unavailable-fragments",
		"--socket-timeout", "20", "--retries", "3", "--fragment-retries", "3",
		"--format", siteFormats, "--format-sort", siteOrder,
	}
}

// program returns the path of yt-dlp.
func (f *Fetcher) program() (string, error) {
	name := f.YtDlp
	name = cmp.Or(name, "yt-dlp")
	return exec.LookPath(name)
}

// ytDlp runs yt-dlp for an address. dir is its home folder, and the loopback proxy its only way to
// the network.
func (f *Fetcher) ytDlp(ctx context.Context, target *url.URL, dir string, stdout io.Writer, arguments ...string) error {
	program, err := f.program()
	if err != nil {
		return err
	}
	proxy, err := f.startProxy()
	if err != nil {
		return err
	}
	defer proxy.close()
	all := append(commonArguments(dir), arguments...)
	cmd := exec.CommandContext(ctx, program, append(all, "--", target.String())...)
	useProcessGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	cmd.Dir = dir
	cmd.Env = environment(dir, proxy.address)
	cmd.Stdout = stdout
	stderr := &capped{limit: 64 << 10}
	cmd.Stderr = stderr
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		return nil
	case proxy.refused() != nil:
		return proxy.refused()
	}

	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("running yt-dlp: %w", err)
	}
	f.Log.Info("yt-dlp failed", "host", target.Hostname(), "stderr", string(bytes.ToValidUTF8(stderr.kept, nil)))
	message := errorMessage(stderr.kept)
	if strings.Contains(message, "Unsupported URL") {
		return refuse(
			"import_metadata_failed",
			"No video was found on this page. Enter the address of the video itself.",
		)
	}

	hint := ""
	if _, err := exec.LookPath("deno"); err != nil && youTube(target) {
		hint = " YouTube needs a recent yt-dlp and a JavaScript runtime on the server: install deno."
	}
	return refuse("import_metadata_failed", "yt-dlp found no video at this address: %s.%s", message, hint)
}

// environment returns the environment of yt-dlp, which holds nothing else of the server's. The
// proxy address, with its password, is here because all users of the machine can read arguments.
func environment(dir, proxy string) []string {
	env := []string{
		"HOME=" + dir,
		"XDG_CONFIG_HOME=" + dir,
		"XDG_CACHE_HOME=" + dir,
		"XDG_DATA_HOME=" + dir,
		"APPDATA=" + dir,
		"USERPROFILE=" + dir,
		"TMPDIR=" + dir,
		"TEMP=" + dir,
		"LANG=C.UTF-8",
		"PYTHONDONTWRITEBYTECODE=1",
		"PYTHONNOUSERSITE=1",
		"PYTHONUTF8=1",
		"http_proxy=" + proxy,
		"https_proxy=" + proxy,
		"all_proxy=" + proxy,
		"no_proxy=",
	}
	for _, name := range []string{"PATH", "SYSTEMROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}

	return env
}

// errorMessage returns the last error that yt-dlp printed, without the request to report it.
func errorMessage(stderr []byte) string {
	text := ""
	for line := range strings.Lines(string(bytes.ToValidUTF8(stderr, nil))) {
		if said, ok := strings.CutPrefix(strings.TrimSpace(line), "ERROR: "); ok {
			text = said
		}
	}

	for _, end := range []string{"; please report", " (caused by", "; see ", ". See "} {
		text, _, _ = strings.Cut(text, end)
	}
	if text = cleanLine(text); text == "" {
		return "it printed no error message"
	}
	return text
}

// cleanLine turns untrusted text into one short line.
func cleanLine(text string) string {
	text = strings.TrimRight(strings.Join(strings.Fields(text), " "), ". ")
	if runes := []rune(text); len(runes) > 300 {
		text = string(runes[:300]) + "…"
	}
	return text
}

// capped is a writer that keeps the first limit bytes and discards the rest.
type capped struct {
	limit int
	kept  []byte
}

func (c *capped) Write(p []byte) (int, error) {
	c.kept = append(c.kept, p[:min(len(p), c.limit-len(c.kept))]...)
	return len(p), nil
}

// progressTemplate makes yt-dlp print lines that progressLines parses.
const progressTemplate = "at %(progress.downloaded_bytes)s of %(progress.total_bytes)s " +
	"or %(progress.total_bytes_estimate)s"

var progressLine = regexp.MustCompile(`at (\d+) of (?:(\d+)|NA) or (?:([\d.]+)|NA)`)

// progressLines is a writer that reports the progress in yt-dlp's output.
type progressLines struct {
	report func(float64)
	rest   []byte
	last   float64
}

func (l *progressLines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			break
		}
		l.rest = rest
		if m := progressLine.FindSubmatch(line); m != nil {
			l.read(m)
		}
	}

	if len(l.rest) > 64<<10 {
		l.rest = nil
	}
	return len(p), nil
}

// read parses the numbers of a line: bytes so far, total bytes, and an estimate of the total.
func (l *progressLines) read(numbers [][]byte) {
	total := numbers[2]
	if len(total) == 0 {
		total = numbers[3]
	}
	// The expression matches only numbers and empty text, which counts as 0.
	at, _ := strconv.ParseFloat(string(numbers[1]), 64)
	all, _ := strconv.ParseFloat(string(total), 64)
	if fraction := at / all; all > 0 && fraction > l.last && fraction <= 1 {
		l.last = fraction
		l.report(fraction)
	}
}
