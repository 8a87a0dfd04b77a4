package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"

	"roughcut/media/mediatest"
	"roughcut/pipeline/models"
)

// TestBrowserUnready downloads a speech model whose first download fails, and requests an export
// during an upload, which waits for the clip.
func TestBrowserUnready(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(mediatest.Model(t))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	known, err := json.Marshal([]models.Model{
		{Name: "base.en", SizeBytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])},
	})
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 1 {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	defer site.Close()
	dir := t.TempDir()
	server := serve(t, dir, []string{"MODELS_URL=" + site.URL, asKnown + "=" + string(known)}, "--owner")
	seen := decode[struct {
		Clips    []int64
		Exported int64
	}](t, browse(t, "unready.mjs", "BASE_URL="+server.launch, "VIDEO="+shortTalk(t)))
	// The cuts are in the first clip only.
	if len(seen.Clips) != 2 || seen.Exported < seen.Clips[1]+seen.Clips[0]/2 {
		t.Errorf("an export of clips of %d ms has %d ms, want both clips", seen.Clips, seen.Exported)
	}
	server.stop()
	doctor(t, dir)
}
