package e2e

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"roughcut/media/mediatest"
)

// When a project is opened, the server lists the audio tracks of clips that an earlier version has
// read, and hears which have speech. The clips play the same tracks.
func TestOldClipsAreListenedTo(t *testing.T) {
	talk := mediatest.Talk(t, mediatest.TalkOptions{Seconds: 6})
	recording := film(
		t, "screen.mp4", "-i", talk.Path, "-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo",
		"-map", "0:v", "-map", "1:a", "-map", "0:a", "-c:v", "copy", "-c:a", "aac", "-shortest",
	)
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Screen"}, 201).UUID
	c.upload(project, recording)
	c.clipsReady(project, 1)
	type track struct {
		Index    int    `json:"index"`
		Codec    string `json:"codec"`
		Channels int    `json:"channels"`
		Speech   *bool  `json:"speech"`
		Heard    bool   `json:"heard"`
	}
	type clip struct {
		Tracks []track `json:"tracks"`
	}
	text := func() string {
		clips := call[list[clip]](c, "GET", "/api/v1/projects/"+project+"/clips/", nil, 200).Items
		data, err := json.Marshal(clips)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	const want = `[{"tracks":[{"index":1,"codec":"aac","channels":2,"speech":false,"heard":false},` +
		`{"index":2,"codec":"aac","channels":2,"speech":true,"heard":true}]}]`
	if got := text(); got != want {
		t.Fatalf("the clip is\n%s, want\n%s", got, want)
	}

	server.stop()
	forgetTracks(t, dir)
	server = serve(t, dir, nil, "--owner")
	c = server.owner(t)
	if text() == want {
		t.Fatal("the clip is not one of an earlier version")
	}
	poll(t, func() bool { return text() == want })
}

// forgetTracks removes the list of audio tracks from all clips, as an earlier version stored them.
func forgetTracks(t *testing.T, dir string) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, "roughcut.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket([]byte("clips"))
		rows := map[string][]byte{}
		if err := bucket.ForEach(func(key, value []byte) error {
			rows[string(key)] = slices.Clone(value)
			return nil
		}); err != nil {
			return err
		}
		for key, value := range rows {
			var row map[string]any
			if err := json.Unmarshal(value, &row); err != nil {
				return err
			}
			delete(row, "TracksKnown")
			delete(row["Info"].(map[string]any), "audio_tracks")
			changed, err := json.Marshal(row)
			if err == nil {
				err = bucket.Put([]byte(key), changed)
			}
			if err != nil {
				return err
			}
		}

		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
