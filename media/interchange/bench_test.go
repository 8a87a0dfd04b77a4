package interchange_test

import (
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/interchange"
	"roughcut/media/mediatest"
)

// longProject returns a project of three hours with five thousand cuts, ten words around each.
func longProject() interchange.Project {
	rate := media.Rate{Num: 30000, Den: 1001}
	p := interchange.Project{Name: "Talk", VolumePercent: 100, Recordings: []interchange.Recording{
		{UUID: "c", Name: "talk.mp4", Info: video(rate, 3*3600*30)},
	}}
	for i := range int64(5000) {
		start := i*2130 + 1660
		p.Edits = append(p.Edits, interchange.Edit{
			UUID: fmt.Sprintf("edit-%d", i), Kind: media.EditSilence, Reason: "a pause of 0.5 s", Confidence: 0.9,
			StartMS: start, EndMS: (i + 1) * 2130, Active: true,
		})
		for n := range int64(10) {
			at := i*2130 + 160*n
			p.Transcript.Words = append(p.Transcript.Words, media.Word{Text: "word", StartMS: at, EndMS: at + 120})
		}
		p.Captions = append(p.Captions, media.CaptionLine{Text: "word word word word word word word word word word",
			StartMS: i * 2130, EndMS: start})
		line := p.Captions[i]
		phrase := media.TimedText{Text: line.Text, StartMS: line.StartMS, EndMS: line.EndMS}
		p.Transcript.Segments = append(p.Transcript.Segments, phrase)
	}
	return p
}

// BenchmarkTimelinesOfFiveThousandCuts plans five thousand cuts in three hours of footage and
// writes them in every format.
func BenchmarkTimelinesOfFiveThousandCuts(b *testing.B) {
	p := longProject()
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		started := time.Now()
		line, err := interchange.New(p, interchange.Place{Folder: "/footage"}, false)
		if err != nil {
			b.Fatal(err)
		}
		var most uint64
		for _, f := range interchange.Formats() {
			if err := interchange.Write(io.Discard, f.Name, line, interchange.Options{}); err != nil {
				b.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			most = max(most, after.HeapAlloc-min(after.HeapAlloc, before.HeapAlloc))
		}
		mediatest.Goal{What: "5,000 cuts in all timeline formats", Want: 1000}.Figure(
			b, 1000*time.Since(started).Seconds(), "ms",
		)
		mediatest.Goal{What: "memory of that", Want: 100}.Figure(b, float64(most)/(1<<20), "MB")
	}
}
