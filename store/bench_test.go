package store

import (
	"fmt"
	"testing"
)

// BenchmarkToggleEdit measures changes of edits by eight clients at once, each one flushed to the disk before it is answered.
func BenchmarkToggleEdit(b *testing.B) {
	w := open(b)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 600_000)
	var ids []string
	for i := range int64(200) {
		ids = append(ids, get(w.CreateEdit(u.UUID, p.UUID, manual(i*1000, i*1000+500)))(b).UUID)
	}
	b.SetParallelism(4) // times GOMAXPROCS
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if _, err := w.UpdateEdit(u.UUID, ids[i%len(ids)], EditChange{Active: ptr(i%2 == 0)}); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkListProjects measures a page of 50 out of 1,000 projects.
func BenchmarkListProjects(b *testing.B) {
	w := open(b, ownerMode)
	u := w.user("ada")
	for i := range 1000 {
		get(w.CreateProject(u.UUID, fmt.Sprintf("Talk %d", i), nil))(b)
	}
	for b.Loop() {
		if list, total, err := w.Projects(u.UUID, "", Page{Number: 3, Size: 50}); err != nil || len(list) != 50 || total != 1000 {
			b.Fatal(len(list), total, err)
		}
	}
}

// BenchmarkSearch measures a search for two words in ten hours of speech.
func BenchmarkSearch(b *testing.B) {
	w := open(b, ownerMode)
	u := w.user("ada")
	words := make([]string, 9_000)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", i*i%4999)
	}
	for range 10 {
		p := w.project(u)
		c := w.ready(p, 3_600_000)
		w.analysed(p, AnalysisResult{Transcripts: []ClipTranscript{speech(c.UUID, words...)}})
	}
	w.settled()
	for b.Loop() {
		if hits, _, err := w.Search(u.UUID, "w25 w36", "", Page{Number: 1, Size: 50}); err != nil || len(hits) == 0 {
			b.Fatal(len(hits), err)
		}
	}
}
