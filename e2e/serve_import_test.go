package e2e

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roughcut/media/libav"
	"roughcut/media/mediatest"
	"roughcut/pipeline/fetch"
	"roughcut/store"
)

// videoSite serves the files of a folder on loopback. Below /whole/ it ignores ranges and sends no
// size.
func videoSite(t *testing.T, dir string) string {
	t.Helper()
	files := http.FileServer(http.Dir(dir))
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, whole := strings.CutPrefix(r.URL.Path, "/whole/")
		if !whole {
			files.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "video/mp4")
		if file, err := os.Open(filepath.Join(dir, filepath.Base(name))); err == nil {
			defer file.Close()
			_, _ = io.Copy(w, file)
		}
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// importing starts a server in owner mode, signs in and creates a project.
func importing(t *testing.T, env ...string) (c *client, project string) {
	t.Helper()
	server := serve(
		t, t.TempDir(),
		append([]string{"SPEECH_MODEL=" + mediatest.Model(t), "IMPORT_METADATA_TIMEOUT_SECONDS=50"}, env...),
		"--owner",
	)
	c = server.owner(t)
	return c, call[record](c, "POST", "/api/v1/projects/", map[string]any{"name": "Import"}, 201).UUID
}

// importClip imports an address into a project. The response has to have the status.
func (c *client) importClip(project, address string, status int) map[string]any {
	c.t.Helper()
	return call[map[string]any](
		c, "POST", "/api/v1/projects/"+project+"/clips/video-import", map[string]any{"url": address}, status,
	)
}

// lookUp reads the metadata of an address with the real media engine, without a server.
func lookUp(t *testing.T, address string) (store.NewImport, error) {
	t.Helper()
	dir, engine := t.TempDir(), libav.New()
	f := fetch.New(fetch.Options{
		AllowPrivate:    true,
		MetadataTimeout: patience(),
		MaxDuration:     time.Hour,
		Probe:           engine.Probe,
		Log:             slog.New(slog.DiscardHandler),
		TempPath:        func(suffix string) (string, error) { return filepath.Join(dir, "temp"+suffix), nil },
	})
	return f.LookUp(t.Context(), address)
}

func TestImportOfMediaFile(t *testing.T) {
	t.Parallel()
	talk := tinyTalk(t)
	site := videoSite(t, filepath.Dir(talk))
	c, project := importing(t, "IMPORT_ALLOW_PRIVATE=true")
	events := c.events(project, "CLIP_PROCESSING", "CLIP_READY")
	clip := c.importClip(project, site+"/"+filepath.Base(talk), 202)
	if clip["source"] != "import" || clip["status"] != "processing" || clip["name"] != filepath.Base(talk) {
		t.Errorf("the clip is %v", clip)
	}
	wait(t, events)
	if ready := wait(t, events); ready["clip_uuid"] != clip["uuid"] {
		t.Errorf("ready is %v", ready)
	}
	clips := call[list[clipRecord]](c, "GET", "/api/v1/projects/"+project+"/clips/", nil, 200)
	if len(clips.Items) != 1 || clips.Items[0].Status != "ready" || !clips.Items[0].HasAudio {
		t.Errorf("the clips are %+v", clips.Items)
	}
}

func TestImportRefusesLoopback(t *testing.T) {
	t.Parallel()
	site := videoSite(t, filepath.Dir(tinyTalk(t)))
	c, project := importing(t)
	for _, address := range []string{
		site + "/talk.mp4", strings.Replace(site, "127.0.0.1", "localhost", 1) + "/talk.mp4", c.base + "/healthz",
		"file:///etc/passwd",
	} {
		if refused := c.importClip(project, address, 400); refused["code"] != "import_address_refused" {
			t.Errorf("%s: %v", address, refused)
		}
	}
}

// Recordings longer than an hour are refused in every container, wherever the index is. The look-up
// refuses them before the download if it can read the duration. Otherwise the clip fails with the
// same message.
func TestImportOfLongVideos(t *testing.T) {
	dir := t.TempDir()
	film := func(name string, seconds int, arguments ...string) {
		t.Helper()
		input := []string{
			"-v",
			"error",
			"-f",
			"lavfi",
			"-i",
			fmt.Sprintf("color=gray:size=64x36:rate=1:duration=%d", seconds),
		}
		if out, err := mediatest.Command(
			t, "ffmpeg",
			append(append(input, arguments...), filepath.Join(dir, name))...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	copied := func(name string, arguments ...string) {
		t.Helper()
		input := []string{"-v", "error", "-i", filepath.Join(dir, "end.mp4"), "-c", "copy"}
		if out, err := mediatest.Command(
			t, "ffmpeg",
			append(append(input, arguments...), filepath.Join(dir, name))...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	film(
		"end.mp4", 3660, "-c:v", "libx264", "-preset", "ultrafast", "-x264-params", "nal-hrd=cbr:force-cfr=1",
		"-b:v", "8k", "-minrate", "8k", "-maxrate", "8k", "-bufsize", "16k",
	)
	copied("start.mp4", "-movflags", "+faststart")
	copied("long.mkv")
	copied("long.ts")
	copied("long.avi")
	copied("fragments.mp4", "-movflags", "frag_keyframe+empty_moov+default_base_moof")
	copied("hour.mp4", "-t", "3600")
	site := videoSite(t, dir)
	for _, name := range []string{"end.mp4", "start.mp4", "long.mkv", "long.ts", "long.avi"} {
		_, err := lookUp(t, site+"/"+name)
		if err == nil || !strings.Contains(err.Error(), "maximum import is 60 minutes") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if found, err := lookUp(t, site+"/hour.mp4"); err != nil || found.SizeBytes < 1<<20 {
		t.Errorf("exactly an hour: %+v, %v", found, err)
	}
	if _, err := lookUp(t, site+"/fragments.mp4"); err != nil &&
		!strings.Contains(err.Error(), "maximum import is 60 minutes") {
		t.Errorf("fragments: %v", err)
	}
	c, project := importing(t, "IMPORT_ALLOW_PRIVATE=true")
	if refused := c.importClip(project, site+"/end.mp4", 400); refused["code"] != "import_too_long" {
		t.Errorf("import of a long video: %v", refused)
	}
	events := c.events(project, "CLIP_FAILED")
	c.importClip(project, site+"/whole/end.mp4", 202)
	if failed := wait(t, events); !strings.Contains(fmt.Sprint(failed["error"]), "maximum import is 60 minutes") {
		t.Errorf("the clip failed with %v", failed["error"])
	}
}

// A server that is killed during a download downloads the file again and deletes the first part.
func TestImportRestartsAfterKill(t *testing.T) {
	t.Parallel()
	talk := tinyTalk(t)
	whole, err := os.ReadFile(talk)
	if err != nil {
		t.Fatal(err)
	}
	halfway, downloads := make(chan struct{}), 0
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		if r.Header.Get("Range") == "" {
			if downloads++; downloads == 1 {
				w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
				_, _ = w.Write(whole[:len(whole)/2])
				_ = http.NewResponseController(w).Flush()
				close(halfway)
				<-r.Context().Done()
				return
			}
		}
		http.ServeContent(w, r, "talk.mp4", time.Time{}, strings.NewReader(string(whole)))
	}))
	defer site.Close()
	dir, env := t.TempDir(), []string{
		"SPEECH_MODEL=" + mediatest.Model(t),
		"IMPORT_ALLOW_PRIVATE=true",
		"IMPORT_METADATA_TIMEOUT_SECONDS=50",
	}
	server := serve(t, dir, env, "--owner")
	c := server.owner(t)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]any{"name": "Import"}, 201).UUID
	c.importClip(project, site.URL+"/talk.mp4", 202)
	<-halfway
	server.kill()
	server = serve(t, dir, env, "--owner")
	c = server.owner(t)
	poll(t, func() bool {
		clips := call[list[clipRecord]](c, "GET", "/api/v1/projects/"+project+"/clips/", nil, 200)
		return len(clips.Items) == 1 && clips.Items[0].Status == "ready"
	})
	server.stop()
	if left, err := os.ReadDir(filepath.Join(dir, "tmp")); err != nil || len(left) > 0 || downloads != 2 {
		t.Errorf("%d downloads, files left in tmp: %v, %v", downloads, left, err)
	}
	doctor(t, dir)
}
