package e2e

import (
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media/mediatest"
)

// TestBrowserLibrary uses the library, uploads and the projects page.
func TestBrowserLibrary(t *testing.T) {
	t.Parallel()
	talk := tinyTalk(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		http.ServeFile(w, r, talk)
	}))
	defer site.Close()
	dir := t.TempDir()
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t), "IMPORT_ALLOW_PRIVATE=true"}, "--owner")
	out := browse(
		t, "library.mjs", "BASE_URL="+server.launch, "VIDEO="+talk, "IMAGE="+drawing(t, 600, 400),
		"SOUND="+film(t, "bell.wav", "-f", "lavfi", "-i", "sine=frequency=1000:r=48000:d=3"),
		"LARGE="+large(t, talk), "LINK="+site.URL+"/city.mp4",
	)
	t.Logf("%s", out)
	server.stop()
	doctor(t, dir)
}

// large copies an MP4 and makes it so large that the page uploads it in parts. A trailing free box
// adds the size, which players skip.
func large(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const more = 120_000_000
	text = append(binary.BigEndian.AppendUint32(text, more), "free"...)
	larger := filepath.Join(t.TempDir(), "whole day.mp4")
	if err := os.WriteFile(larger, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(larger, int64(len(text)+more-8)); err != nil {
		t.Fatal(err)
	}
	return larger
}
