package libav

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// playedCells are cells of the matrix whose exports are made in different ways: copied from closed
// and from open GOPs, copied around captions, encoded at 60 frames a second, from a variable rate,
// and cropped.
const playedCells = "01110000 02220020 13200000 33201000 54420000 21033020"

// played is the browser's report about a video.
type played struct {
	URL                 string
	Duration, End, Last float64
	Presented           int
	Backwards           int
	Seen                [][]byte
}

// A real browser plays every kind of export from start to end. It shows the right frame on both
// sides of every join after a seek.
func TestLongChromiumPlaysAndSeeks(t *testing.T) {
	needsLong(t)
	logo := quarters(t, "logo.png", 200, 100)
	files, plans, sought := map[string]string{}, map[string]media.RenderPlan{}, map[string][]int64{}
	numbers := map[string][]int64{}
	type video struct {
		URL   string    `json:"url"`
		Times []float64 `json:"times"`
	}
	var videos []video
	for _, cell := range strings.Fields(playedCells) {
		c, _ := makeCell(cell)
		if c.logos {
			c.Assets = append(
				c.Assets,
				placed(t, logo, 900, 3500, func(a *media.PlacedAsset) { a.Position, a.SizePercent = "top_left", 20 }),
			)
		}
		plan := makePlan(t, matrixCuts, c.RenderSettings, mediatest.Talk(t, c.TalkOptions).Path)
		out, _ := renderPlan(t, plan)
		v := video{URL: cell + ".mp4"}
		for i := len(plan.Segments) - 1; i >= 0; i-- { // backwards, so that each is a seek
			for _, frame := range []int64{
				plan.Segments[i].Start, plan.Segments[i].Start + plan.Segments[i].Frames() - 1,
			} {
				sought[v.URL] = append(sought[v.URL], frame)
				v.Times = append(v.Times, (float64(frame)+0.5)/plan.Rate.Float())
			}
		}
		files[v.URL], plans[v.URL], numbers[v.URL] = out, plan, mediatest.FrameNumbers(t, out)
		videos = append(videos, v)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if file := files[path.Base(r.URL.Path)]; file != "" {
			http.ServeFile(w, r, file)
			return
		}
		fmt.Fprint(w, "<!doctype html><title>videos</title>")
	}))
	defer server.Close()
	wanted, err := json.Marshal(videos)
	if err != nil {
		t.Fatal(err)
	}
	mediatest.Needs(t, cmp.Or(os.Getenv("CHROMIUM"), "chromium-headless-shell"))
	cmd := mediatest.Command(t, "node", "e2e/plays.mjs")
	cmd.Dir = "../../web"
	cmd.Env = append(os.Environ(), "BASE_URL="+server.URL, "VIDEOS="+string(wanted))
	var report strings.Builder
	cmd.Stderr = &report
	said, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, report.String())
	}
	var seen []played
	if err := json.Unmarshal(said, &seen); err != nil || len(seen) != len(videos) {
		t.Fatalf("%v: %d videos were played of %d", err, len(seen), len(videos))
	}
	for _, p := range seen {
		plan := plans[p.URL]
		seconds, frame := float64(plan.Frames())/plan.Rate.Float(), 1/plan.Rate.Float()
		// A busy machine shows fewer frames and may skip the last one.
		if math.Abs(p.Duration-seconds) > 0.05 || p.End < seconds-0.05 || p.Last < seconds-1 ||
			p.Last > seconds-frame/2 ||
			p.Backwards > 0 ||
			p.Presented < 5 {
			t.Errorf(
				"%s has %.3f s: %.3f s, ended at %.3f, last frame at %.3f, %d shown, %d backwards",
				p.URL, seconds, p.Duration, p.End, p.Last, p.Presented, p.Backwards,
			)
		}
		for i, at := range sought[p.URL] {
			if got := mediatest.FrameNumber(p.Seen[i]); got != numbers[p.URL][at] || got < 0 {
				t.Errorf("%s: at frame %d the browser shows %d, ffmpeg %d", p.URL, at, got, numbers[p.URL][at])
			}
		}
		t.Logf("%s: %d frames shown, %d places sought", p.URL, p.Presented, len(p.Seen))
	}
}
