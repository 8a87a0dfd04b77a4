package e2e

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/media/mediatest"
)

// The power fails many times while recordings are uploaded, ingested, analyzed and exported, and
// projects are deleted. The drive loses any sectors that the program has not flushed. After each
// power cut the server starts, and everything that it had acknowledged is whole.
func TestLongPowerCuts(t *testing.T) {
	needsLong(t)
	r := newRack(t)
	random := seeded(t)
	dir := filepath.Join(r.mounted, "data")
	recording := mediatest.Talk(t, mediatest.TalkOptions{
		Width: 320, Height: 180, Seconds: 4, Hiss: true, GOP: 300,
	}).Path
	env := []string{
		"SPEECH_MODEL=" + mediatest.Model(t), "PLAN_MODE=metered", "WORKERS=2", "SESSION_TTL_SECONDS=86400",
		"STORAGE_MIN_FREE_MB=1",
	}
	server := serve(t, dir, env)
	c := signUp(t, server)
	acks := &acknowledged{clips: map[string]string{}, runs: map[string]string{}, exports: map[string]string{}}
	whole := acks.undisturbed(t, c, recording)
	var current [2]string
	met, cached, lost := map[string]int{}, 0, 0
	cuts := max(10, share(t, 50))
	for n := range cuts {
		before, cut := cutPower(t, r, server, c, acks, recording, &current, random, whole)
		cached, lost = cached+cut.cached, lost+cut.lost
		r.replace(cut.after)
		server = serve(t, dir, env)
		c.base, acks = server.base, before
		acks.check(t, c)
		acks.count(c, met)
		acks.checkFiles(t, c, dir, recording, random)
		for i, project := range current {
			if !slices.Contains(acks.projects, project) {
				current[i] = ""
			}
		}
		if n%5 == 4 || n == cuts-1 {
			waitForRest(t, c, acks)
			server.stop()
			doctor(t, dir)
			server = serve(t, dir, env)
			c.base = server.base
		}
	}
	t.Logf("%d power cuts: %d sectors were in the cache, %d lost; they met %v", cuts, cached, lost, met)
	if lost == 0 {
		t.Error("no power cut lost anything")
	}
	checkAccount(t, c, acks)
	server.stop()
	doctor(t, dir)
}

// cutPower lets the server work for a random part of a flow, cuts the power, and ends the server.
// It returns the objects that were acknowledged before the cut.
func cutPower(
	t *testing.T, r *rack, server *running, c *client, acks *acknowledged, recording string, current *[2]string,
	random *rand.Rand, whole time.Duration,
) (before *acknowledged, cut outage) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var work sync.WaitGroup
	for i := range current {
		work.Go(func() { acks.makeWork(ctx, c, recording, &current[i]) })
	}
	moment := time.NewTimer(time.Duration((0.04 + 0.96*random.Float64()) * float64(whole)))
	<-moment.C
	cut = r.drive.powerCut(random, random.IntN(3) > 0, func() { before = acks.copied() })
	server.kill()
	cancel()
	work.Wait()
	return before, cut
}

// checkFiles compares every stored recording with the uploaded file, and plays a completed export.
func (a *acknowledged) checkFiles(t *testing.T, c *client, dir, recording string, random *rand.Rand) {
	t.Helper()
	want, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := filepath.Glob(filepath.Join(dir, "media", "clips", "*", "original"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stored {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s has %d bytes, or others, %v", strings.TrimPrefix(path, dir), len(got), err)
		}
	}
	for export, project := range a.exports {
		records := call[list[record]](c, "GET", "/api/v1/projects/"+project+"/exports/", nil, 200).Items
		if at := slices.IndexFunc(records, func(r record) bool { return r.UUID == export }); at < 0 ||
			records[at].Status != "completed" || random.IntN(3) > 0 {
			continue
		}
		path := filepath.Join(t.TempDir(), "export.mp4")
		c.download(export, path)
		mediatest.PCM(t, path, 48000) // fails unless the file can be decoded
	}
}
