package e2e

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// clipRecord is a clip of the API.
type clipRecord struct {
	record
	DurationMS *int64 `json:"duration_ms"`
	HasAudio   bool   `json:"has_audio"`
	Width      *int   `json:"width"`
}

// TestBadUploadsFailCleanly uploads files that people upload by mistake or in bad faith. Each
// upload works or fails with a clear error. The server keeps running and refused files are deleted.
func TestBadUploadsFailCleanly(t *testing.T) {
	t.Parallel()
	talk := tinyTalk(t)
	files := t.TempDir()
	whole, err := os.ReadFile(talk)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) string {
		path := filepath.Join(files, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	fast := filepath.Join(files, "fast.mp4")
	if out, err := mediatest.Command(
		t, "ffmpeg", "-v", "error", "-i", talk, "-c", "copy", "-movflags", "+faststart", fast,
	).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	fastWhole, err := os.ReadFile(fast)
	if err != nil {
		t.Fatal(err)
	}
	sound := mediatest.Talk(t, mediatest.TalkOptions{Script: tinyScript, NoVideo: true}).Path
	silent := mediatest.Talk(t, mediatest.TalkOptions{Width: 320, Height: 180, Script: tinyScript, NoAudio: true}).Path

	dir := t.TempDir()
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	c := server.owner(t)
	for _, bad := range []struct{ name, path, says string }{
		{
			"a text file named mp4", write("text.mp4", []byte(strings.Repeat("not a video\n", 400))),
			"no readable video or audio",
		},
		{
			"a playlist named mp4",
			write("list.mp4", []byte("#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n"+talk+"\n#EXT-X-ENDLIST\n")),
			"no readable video or audio",
		},
		{
			"a concat script named mp4", write("concat.mp4", []byte("ffconcat version 1.0\nfile '"+talk+"'\n")),
			"no readable video or audio",
		},
		{"truncated before the moov box", write("cut.mp4", whole[:len(whole)*6/10]), ""},
	} {
		t.Run(bad.name, func(t *testing.T) {
			clip := ingested(t, c, bad.path)
			if clip.Status != "failed" || clip.Error == "" || !strings.Contains(clip.Error, bad.says) {
				t.Errorf("status %s, error %q", clip.Status, clip.Error)
			}
		})
	}
	t.Run("an empty file", func(t *testing.T) {
		project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "empty"}, 201)
		p := call[presigned](
			c, "POST", "/api/v1/projects/"+project.UUID+"/clips/presign",
			map[string]any{"filename": "empty.mp4", "content_type": "video/mp4", "size_bytes": 10}, 201,
		)
		if err := c.put(p.UploadURL, write("empty.mp4", nil)); err != nil {
			t.Fatal(err)
		}
		call[struct{}](c, "POST", "/api/v1/projects/"+project.UUID+"/clips/"+p.ClipUUID+"/confirm", nil, 422)
	})
	if left, _ := filepath.Glob(filepath.Join(dir, "media", "clips", "*", "*")); len(left) > 0 {
		t.Errorf("files of refused recordings are left: %v", left)
	}
	for _, odd := range []struct {
		name, path   string
		audio, video bool
	}{
		{"audio only", sound, true, false},
		{"no audio", silent, false, true},
		{"truncated after the moov box", write("short.mp4", fastWhole[:len(fastWhole)*7/10]), true, true},
	} {
		t.Run(odd.name, func(t *testing.T) {
			clip := ingested(t, c, odd.path)
			if clip.Status != "ready" || clip.HasAudio != odd.audio ||
				(clip.Width != nil && *clip.Width > 0) != odd.video {
				t.Fatalf("clip: %+v", clip)
			}
			exportWhole(t, c)
		})
	}
	call[struct{}](c, "GET", "/healthz", nil, 204)
	server.stop()
	doctor(t, dir)
}

// ingested uploads a file to a new project and returns its clip when the clip is ready or failed.
func ingested(t *testing.T, c *client, path string) (clip clipRecord) {
	t.Helper()
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": filepath.Base(path)}, 201)
	c.upload(project.UUID, path)
	poll(t, func() bool {
		clip = call[list[clipRecord]](c, "GET", "/api/v1/projects/"+project.UUID+"/clips/", nil, 200).Items[0]
		return clip.Status != "processing"
	})
	return clip
}

// exportWhole analyses and exports the newest project. Both have to succeed.
func exportWhole(t *testing.T, c *client) {
	t.Helper()
	project := call[list[record]](c, "GET", "/api/v1/projects/", nil, 200).Items[0]
	root := "/api/v1/projects/" + project.UUID
	call[struct{}](c, "POST", root+"/analyze", map[string]int{}, 202)
	comesTo(t, c, root+"/analysis-runs", "completed")
	export := call[record](
		c, "POST", root+"/exports/",
		map[string]any{"name": "x", "export_settings": map[string]string{"resolution": "720p"}}, 202,
	)
	comesTo(t, c, root+"/exports/", "completed")
	out := filepath.Join(t.TempDir(), "x.mp4")
	c.download(export.UUID, out)
	if text, err := mediatest.Command(
		t, "ffmpeg", "-v", "error", "-xerror", "-i", out, "-f", "null", "-",
	).CombinedOutput(); err != nil ||
		len(text) > 0 {
		t.Errorf("the export does not play: %v %s", err, text)
	}
}

// comesTo waits until the newest record of a list has a status. It fails if that record ends with
// another status.
func comesTo(t *testing.T, c *client, path, status string) {
	t.Helper()
	poll(t, func() bool {
		newest := call[list[record]](c, "GET", path, nil, 200).Items[0]
		switch newest.Status {
		case status:
			return true
		case "failed", "completed", "cancelled":
			t.Fatalf("%s is %s: %s", path, newest.Status, newest.Error)
		}
		return false
	})
}

// TestFullDiskRecoversWithoutRestart fills the 48 MiB file system of a server. Work that needs
// space fails with a clear reason and deleting still works. With free space, exports work again
// without a restart.
func TestFullDiskRecoversWithoutRestart(t *testing.T) {
	talk := tinyTalk(t)
	dir := t.TempDir()
	server := serveOnSmallDisk(t, dir)
	c := server.owner(t)
	clip := ingested(t, c, talk)
	if clip.Status != "ready" {
		t.Fatalf("clip: %+v", clip)
	}
	project := call[list[record]](c, "GET", "/api/v1/projects/", nil, 200).Items[0]
	root := "/api/v1/projects/" + project.UUID
	spare := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "spare"}, 201)

	inside := fmt.Sprintf("/proc/%d/root%s", server.cmd.Process.Pid, dir)
	ballast := filepath.Join(inside, "ballast")
	fill(t, ballast, 1600<<10)
	large := map[string]any{"name": "full", "export_settings": map[string]any{"resolution": "1080p"}}
	export := call[record](c, "POST", root+"/exports/", large, 202)
	poll(t, func() bool {
		export = call[record](c, "GET", "/api/v1/exports/"+export.UUID, nil, 200)
		if export.Status == "completed" {
			t.Fatal("an export completed on a full disk")
		}
		return export.Status == "failed"
	})
	if !strings.Contains(export.Error, "disk is full") {
		t.Errorf("the error of the export is %q", export.Error)
	}
	fill(t, ballast, 200<<10)
	if p := attemptPresign(t, c, root); p.UploadURL != "" {
		if err := c.put(p.UploadURL, talk); err == nil || !strings.Contains(err.Error(), "storage_full") {
			t.Errorf("upload to a full disk: %v", err)
		}
	}
	call[struct{}](c, "POST", root+"/exports/", map[string]any{"name": "no room"}, 507)
	call[struct{}](c, "DELETE", "/api/v1/projects/"+spare.UUID, nil, 204)
	if left, _ := filepath.Glob(filepath.Join(inside, "tmp", "*")); len(left) > 0 {
		t.Errorf("left in tmp: %v", left)
	}

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	call[record](c, "POST", root+"/exports/", map[string]any{"name": "room again"}, 202)
	comesTo(t, c, root+"/exports/", "completed")
	server.stop()
}

// attemptPresign requests an upload address. A server with a full disk may refuse it with 507.
func attemptPresign(t *testing.T, c *client, root string) (p presigned) {
	t.Helper()
	status, text, err := c.do(
		"POST", root+"/clips/presign",
		map[string]any{"filename": "x.mp4", "content_type": "video/mp4", "size_bytes": 1000000},
	)
	if err != nil || (status != 201 && status != 507) {
		t.Fatalf("presign on a full disk: status %d, %v: %s", status, err, text)
	}
	if status == 201 {
		p = decode[presigned](t, text)
	}
	return p
}

// serveOnSmallDisk starts a server with a new 48 MiB file system as data directory. It skips
// the test if the kernel refuses that.
func serveOnSmallDisk(t *testing.T, dir string) *running {
	t.Helper()
	cmd := program(context.Background(), dir, "serve", "--owner", "--listen", "127.0.0.1:0")
	mediatest.SmallDisk(t, cmd, dir, 48)
	cmd.Env = append(cmd.Env, "SPEECH_MODEL="+mediatest.Model(t), "STORAGE_MIN_FREE_MB=1")
	return start(t, dir, cmd)
}

// fill writes a file until only leave bytes are free.
func fill(t *testing.T, path string, leave int64) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 64<<10)
	for {
		if _, err := file.Write(block); err != nil {
			break // full
		}
	}
	end, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		err = file.Truncate(end - leave)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
