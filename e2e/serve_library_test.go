package e2e

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

type assetRecord struct {
	record
	FileID      string  `json:"asset_file_id"`
	Kind        string  `json:"kind"`
	ContentType string  `json:"content_type"`
	SizeBytes   int64   `json:"size_bytes"`
	DurationMS  *int64  `json:"duration_ms"`
	Width       *int    `json:"width"`
	Height      *int    `json:"height"`
	Poster      *string `json:"poster_url"`
}

type presignedAsset struct {
	UUID      string `json:"user_asset_id"`
	UploadURL string `json:"upload_url"`
}

// addAsset uploads a file to the library and confirms it.
func (c *client) addAsset(path, contentType string) assetRecord {
	c.t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		c.t.Fatal(err)
	}
	p := call[presignedAsset](
		c, "POST", "/api/v1/assets/presign",
		map[string]any{"filename": filepath.Base(path), "content_type": contentType, "size_bytes": info.Size()},
		201,
	)
	if err := c.put(p.UploadURL, path); err != nil {
		c.t.Fatal(err)
	}
	return call[assetRecord](c, "POST", "/api/v1/assets/"+p.UUID+"/confirm", nil, 202)
}

// asset waits until an asset is no longer pending and returns it.
func (c *client) asset(uuid string) (found assetRecord) {
	c.t.Helper()
	poll(c.t, func() bool {
		found = assetRecord{}
		for _, a := range call[list[assetRecord]](c, "GET", "/api/v1/assets/?page_size=200", nil, 200).Items {
			if a.UUID == uuid {
				found = a
			}
		}
		if found.UUID == "" {
			c.t.Fatalf("the asset %s is not listed", uuid)
		}
		return found.Status != "pending"
	})
	return found
}

// editAsset edits an asset and returns the new or changed asset.
func (c *client) editAsset(uuid string, edit map[string]any) assetRecord {
	c.t.Helper()
	made := call[struct {
		UUID *string `json:"new_asset_uuid"`
	}](c, "POST", "/api/v1/assets/"+uuid+"/edit", edit, 202)
	if made.UUID != nil {
		uuid = *made.UUID
	}
	return c.asset(uuid)
}

// played returns the bytes at the playback address of an asset.
func (c *client) played(uuid string) []byte {
	c.t.Helper()
	address := call[struct {
		URL string `json:"url"`
	}](c, "GET", "/api/v1/assets/"+uuid+"/video-url", nil, 200)
	status, body, err := newClient(c.t, c.base).do("GET", strings.TrimPrefix(address.URL, c.base), nil)
	if err != nil || status != 200 {
		c.t.Fatalf("playback of an asset: status %d, %v", status, err)
	}
	return body
}

func (c *client) storageUsed() int64 {
	c.t.Helper()
	return call[struct {
		Used int64 `json:"storage_used_bytes"`
	}](c, "GET", "/api/v1/users/me", nil, 200).Used
}

// drawing writes an image whose lower half is transparent.
func drawing(t *testing.T, width, height int) string {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height / 2 {
			m.Set(x, y, color.NRGBA{R: uint8(x), G: 40, B: 200, A: 255})
		}
	}
	path := filepath.Join(t.TempDir(), "logo.png")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := png.Encode(file, m); err != nil {
		t.Fatal(err)
	}
	return path
}

func near(t *testing.T, what string, got *int64, want int64) {
	t.Helper()
	if got == nil || *got < want-60 || *got > want+60 {
		t.Errorf("%s: %v ms, want %d", what, got, want)
	}
}

// TestLibraryProcessesEveryKind uploads, edits and places a video, an image and an audio file on a
// metered server.
func TestLibraryProcessesEveryKind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := serve(t, dir, nil)
	c := signUp(t, server)
	talk := tinyTalk(t)
	logo := drawing(t, 1000, 500)
	text := filepath.Join(t.TempDir(), "text.mp4")
	if err := os.WriteFile(text, []byte("this is not a video\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	video := c.asset(c.addAsset(talk, "video/mp4").UUID)
	if video.Status != "uploaded" || video.Kind != "video" || *video.Width != 320 || *video.Height != 180 ||
		video.ContentType != "video/mp4" ||
		*video.DurationMS < 3000 {
		t.Fatalf("%+v", video)
	}
	whole := *video.DurationMS
	picture := c.asset(c.addAsset(logo, "video/mp4").UUID) // the declared type is ignored
	if picture.Status != "uploaded" || picture.Kind != "image" || *picture.Width != 1000 || *picture.Height != 500 ||
		picture.DurationMS != nil ||
		picture.ContentType != "image/png" {
		t.Fatalf("%+v", picture)
	}
	if failed := c.asset(c.addAsset(text, "video/mp4").UUID); failed.Status != "failed" || failed.Error == "" {
		t.Errorf("%+v", failed)
	}
	for _, a := range []assetRecord{video, picture} {
		status, body, err := c.do("GET", strings.TrimPrefix(*a.Poster, c.base), nil)
		small, decodeErr := jpeg.Decode(bytes.NewReader(body))
		if err != nil || status != 200 || decodeErr != nil || max(small.Bounds().Dx(), small.Bounds().Dy()) > 480 {
			t.Errorf("the poster of a %s: %d %v %v", a.Kind, status, err, decodeErr)
		}
	}
	original, err := os.ReadFile(logo)
	if err != nil || !bytes.Equal(c.played(picture.UUID), original) {
		t.Errorf("the image differs from the upload (%v)", err)
	}

	part := c.editAsset(
		video.UUID,
		map[string]any{"start_ms": 500, "end_ms": 3000, "cuts": []map[string]int{{"start_ms": 1000, "end_ms": 1500}}},
	)
	if part.Status != "uploaded" || part.Kind != "video" || part.UUID == video.UUID {
		t.Fatalf("%+v", part)
	}
	near(t, "a part", part.DurationMS, 2000)
	sound := c.editAsset(video.UUID, map[string]any{"extract_audio": true})
	if sound.Kind != "audio" || sound.ContentType != "audio/mp4" || sound.Width != nil || sound.Poster != nil {
		t.Errorf("%+v", sound)
	}
	near(t, "the sound", sound.DurationMS, whole)
	if fast := c.editAsset(
		video.UUID, map[string]any{"fast_mode": true, "end_ms": 2000},
	); fast.Status != "uploaded" ||
		*fast.DurationMS > 2200 {
		t.Errorf("%+v", fast)
	}

	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "A talk"}, 201)
	events := c.events(project.UUID, "CLIP_READY")
	c.upload(project.UUID, talk)
	wait(t, events)
	edits := "/api/v1/projects/" + project.UUID + "/edits/"
	placed := call[record](
		c,
		"POST",
		edits,
		map[string]any{
			"type":            "asset",
			"asset_file_id":   video.FileID,
			"start_ms":        100,
			"end_ms":          900,
			"asset_offset_ms": whole,
		},
		201,
	)

	replaced := c.editAsset(video.UUID, map[string]any{"end_ms": 1000, "save_mode": "replace"})
	if replaced.Status != "uploaded" || replaced.FileID != video.FileID || *replaced.Poster == *video.Poster {
		t.Errorf("%+v", replaced)
	}
	near(t, "a replacement", replaced.DurationMS, 1000)
	if body := c.played(video.UUID); int64(len(body)) != replaced.SizeBytes {
		t.Errorf("%d bytes are played of %d", len(body), replaced.SizeBytes)
	}
	type placement struct {
		record
		OffsetMS int64 `json:"asset_offset_ms"`
	}
	if e := call[list[placement]](c, "GET", edits, nil, 200).Items[0]; e.UUID != placed.UUID ||
		e.OffsetMS != *replaced.DurationMS {
		t.Errorf("the offset is %d after a replacement that takes %d ms", e.OffsetMS, *replaced.DurationMS)
	}
	export := call[struct {
		DurationMS int64 `json:"duration_ms"`
	}](c, "POST", "/api/v1/projects/"+project.UUID+"/exports/", map[string]any{
		"name": "x", "export_settings": map[string]string{"resolution": "720p"},
	}, 202)
	if export.DurationMS != whole {
		t.Errorf("the placed asset removes %d ms from the video", whole-export.DurationMS)
	}
	comesTo(t, c, "/api/v1/projects/"+project.UUID+"/exports/", "completed")

	call[struct{}](c, "DELETE", "/api/v1/projects/"+project.UUID, nil, 204)
	for _, a := range call[list[assetRecord]](c, "GET", "/api/v1/assets/", nil, 200).Items {
		call[struct{}](c, "DELETE", "/api/v1/assets/"+a.UUID, nil, 204)
	}
	if used := c.storageUsed(); used != 0 {
		t.Errorf("%d bytes are still in use", used)
	}
	server.stop()
	doctor(t, dir)
	if left, _ := filepath.Glob(filepath.Join(dir, "media", "assets", "*")); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
}

// TestKillKeepsAcknowledgedAssets kills the server at random times while assets are uploaded,
// copied, replaced and deleted.
func TestKillKeepsAcknowledgedAssets(t *testing.T) { killLibrary(t, 8) }

func TestLongKillKeepsAcknowledgedAssets(t *testing.T) {
	needsLong(t)
	killLibrary(t, share(t, 30))
}

func killLibrary(t *testing.T, kills int) {
	t.Helper()
	dir := t.TempDir()
	talk := tinyTalk(t)
	env := []string{"WORKERS=2", "SESSION_TTL_SECONDS=86400"}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	server := serve(t, dir, env)
	c := signUp(t, server)
	begun := time.Now()
	tried := c.asset(c.addAsset(talk, "video/mp4").UUID)
	copied := c.editAsset(tried.UUID, map[string]any{"start_ms": 300, "end_ms": 1300})
	whole := time.Since(begun) // kills within it can hit every step, on a machine of any speed
	for _, a := range []assetRecord{tried, copied} {
		call[struct{}](c, "DELETE", "/api/v1/assets/"+a.UUID, nil, 204)
	}
	kept := map[string]bool{} // acknowledged assets
	met := map[string]int{}
	for range kills {
		ctx, cancel := context.WithCancel(context.Background())
		var work sync.WaitGroup
		work.Go(func() { changeLibrary(ctx, c, talk, kept) })
		moment := time.NewTimer(time.Duration((0.05 + random.Float64()) * float64(whole)))
		<-moment.C
		server.kill()
		cancel()
		work.Wait()
		server = serve(t, dir, env)
		c.base = server.base
		listed := map[string]string{}
		for _, a := range call[list[assetRecord]](c, "GET", "/api/v1/assets/?page_size=200", nil, 200).Items {
			listed[a.UUID] = a.Status
			met[a.Status]++
		}
		for uuid := range kept {
			if listed[uuid] == "" {
				t.Errorf("asset %s was acknowledged and is missing", uuid)
			}
		}
	}
	t.Logf("%d kills met %v", kills, met)
	if kills >= 8 && (met["pending"] == 0 || met["uploaded"] == 0) {
		t.Error("the kills met only one state")
	}
	sum := int64(0)
	for uuid := range kept {
		a := c.asset(uuid)
		if a.Status == "failed" && !strings.Contains(a.Error, "restarts of the server") {
			t.Errorf("%+v", a)
		}
	}
	for _, a := range call[list[assetRecord]](c, "GET", "/api/v1/assets/?page_size=200", nil, 200).Items {
		if a = c.asset(a.UUID); a.Status == "uploaded" {
			sum += a.SizeBytes
		} else {
			t.Logf("%s: %s", a.Status, a.Error)
		}
	}
	if used := c.storageUsed(); used != sum {
		t.Errorf("%d bytes are used, the assets have %d", used, sum)
	}
	server.stop()
	doctor(t, dir)
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp", "*")); len(left) > 0 {
		t.Errorf("left in tmp: %v", left)
	}
}

// changeLibrary adds, copies, replaces and deletes assets until the server is gone. It records what
// the server acknowledged.
func changeLibrary(ctx context.Context, c *client, path string, kept map[string]bool) {
	info, err := os.Stat(path)
	if err != nil {
		c.t.Error(err)
		return
	}
	upload := map[string]any{"filename": "talk.mp4", "content_type": "video/mp4", "size_bytes": info.Size()}
	for ctx.Err() == nil {
		p, ok := attempt[presignedAsset](c, "POST", "/api/v1/assets/presign", upload, 201)
		if !ok || c.put(p.UploadURL, path) != nil {
			return
		}
		if _, ok := attempt[record](c, "POST", "/api/v1/assets/"+p.UUID+"/confirm", nil, 202); !ok {
			return
		}
		kept[p.UUID] = true
		edit := map[string]any{"start_ms": 300, "end_ms": 1300}
		copied, ok := attempt[struct {
			UUID string `json:"new_asset_uuid"`
		}](c, "POST", "/api/v1/assets/"+p.UUID+"/edit", edit, 202)
		if !ok {
			return
		}
		kept[copied.UUID] = true
		for uuid := range kept { // any that is not being processed
			if _, ok := attempt[record](
				c, "POST", "/api/v1/assets/"+uuid+"/edit",
				map[string]any{"end_ms": 900, "save_mode": "replace"}, 202,
			); ok {
				break
			}
		}
		delete(kept, copied.UUID) // from here on it may be missing
		if status, _, err := c.do("DELETE", "/api/v1/assets/"+copied.UUID, nil); err != nil || status != 204 {
			return
		}
		if !settled(ctx, c, "/api/v1/assets/?page_size=200", "pending") {
			return
		}
	}
}
