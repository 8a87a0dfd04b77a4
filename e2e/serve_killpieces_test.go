package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// signaled closes reached when half of its bytes were read.
type signaled struct {
	data    *bytes.Reader
	half    int
	reached chan struct{}
}

func (s *signaled) Read(p []byte) (int, error) {
	n, err := s.data.Read(p[:min(len(p), s.half)])
	if s.reached != nil && s.data.Len() <= s.half+1 {
		close(s.reached)
		s.reached = nil
	}
	return n, err
}

// The server is killed right after it acknowledges a piece of an upload, or in the middle of the
// next piece. After the restart, it has at least the acknowledged bytes, and the resumed upload
// ends with the same file.
func TestLongKillsBetweenPieces(t *testing.T) {
	needsLong(t)
	random, dir, recording := seeded(t), t.TempDir(), tinyTalk(t)
	data, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	kills, uploads, beyond := max(6, share(t, 30)), 0, 0
	for killed := 0; killed < kills; uploads++ {
		project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "pieces"}, 201).UUID
		clips := "/api/v1/projects/" + project + "/clips/"
		clip := call[presigned](c, "POST", clips+"presign", map[string]any{
			"filename": "talk.mp4", "content_type": "video/mp4", "size_bytes": len(data),
		}, 201)
		for at := 0; at < len(data); {
			end := min(len(data), at+1+random.IntN(len(data)/3))
			acked, ok := c.tus("PATCH", clip.UploadURL, at, bytes.NewReader(data[at:end]))
			if !ok || acked != end {
				t.Fatalf("a piece from %d to %d was acknowledged up to %d", at, end, acked)
			}
			next := data[end:min(len(data), end+1+random.IntN(len(data)/3))]
			if at = end; killed < kills {
				killAt(server, c, clip.UploadURL, at, next, random.IntN(2) == 0)
				killed++
				server = serve(t, dir, nil, "--owner")
				c = server.owner(t)
				clip = call[presigned](c, "POST", clips+clip.ClipUUID+"/presign", nil, 200)
				if at, ok = c.tus("HEAD", clip.UploadURL, 0, nil); !ok || at < end || at > end+len(next) {
					t.Fatalf("the server has %d bytes after a kill, it acknowledged %d and was sent %d",
						at, end, end+len(next))
				}
				if at > end {
					beyond++
				}
			}
		}
		call[record](c, "POST", clips+clip.ClipUUID+"/confirm", nil, 202)
		comesTo(t, c, clips, "ready")
		originals, _ := filepath.Glob(filepath.Join(dir, "media", "clips", "*", "original"))
		if len(originals) != 1 {
			t.Fatalf("the originals are %v", originals)
		}
		if got, err := os.ReadFile(originals[0]); err != nil || !bytes.Equal(got, data) {
			t.Errorf("the upload has other bytes: %d of %d, %v", len(got), len(data), err)
		}
		call[struct{}](c, "DELETE", "/api/v1/projects/"+project, nil, 204)
	}
	t.Logf("%d kills in %d uploads; %d restarts had a part of the next piece", kills, uploads, beyond)
	server.stop()
	doctor(t, dir)
	if left, _ := filepath.Glob(filepath.Join(dir, "uploads", "*")); len(left) > 0 {
		t.Errorf("left in uploads: %v", left)
	}
}

// killAt kills the server, in the middle of the next piece if there is one and within is set.
func killAt(server *running, c *client, address string, at int, next []byte, within bool) {
	if len(next) < 2 || !within {
		server.kill()
		return
	}
	reached, sent := make(chan struct{}), make(chan struct{})
	body := &signaled{data: bytes.NewReader(next), half: len(next) / 2, reached: reached}
	go func() {
		defer close(sent)
		c.tus("PATCH", address, at, body)
	}()
	<-reached
	server.kill()
	<-sent
}
