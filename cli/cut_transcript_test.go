package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
)

// A transcript with a bad line is read, and the person hears of the line.
func TestTranscriptsWarn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.srt")
	if err := os.WriteFile(path, []byte("1\n00:00:03,000 --> 00:00:02,000\nHello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var status strings.Builder
	list, err := readTranscripts([]string{path}, 1, &status)
	want := path + ": Line 1 ends before it starts. It lasts until the next line. Check its times.\n"
	if err != nil || len(list[0].Words) != 1 || status.String() != want {
		t.Errorf("%v, %+v, status %q, want %q", err, list, status.String(), want)
	}
}

// A transcript is put on the time of its recording, and the person hears of it once.
func TestTranscriptsFitTheirRecordings(t *testing.T) {
	line := func(startMS int64) *media.ImportedTranscript {
		return &media.ImportedTranscript{
			Lines:    []media.TimedText{{Text: "Hello", StartMS: startMS, EndMS: startMS + 500}},
			Words:    []media.ImportedWord{{Word: media.Word{Text: "Hello", StartMS: startMS, EndMS: startMS + 500}}},
			Warnings: []string{"said before"},
		}
	}
	var status strings.Builder
	c := cutJob{
		inputs: []string{"talk.mp4", "more.mp4", "last.mp4"}, transcripts: []string{"talk.srt", "", "last.srt"},
		imported: []*media.ImportedTranscript{line(3_600_000), nil, line(60_000)}, status: &status,
	}
	for i := range 2 {
		if err := c.fitTranscript(i, 10_000); err != nil {
			t.Error(err)
		}
	}

	const want = "talk.srt: The transcript starts at 1:00:00, but the recording is only 0:00:10 long. " +
		"Roughcut took 1 hour off all times.\n"
	if status.String() != want || c.imported[0].Words[0].StartMS != 0 {
		t.Errorf("%+v, status %q, want %q", c.imported[0], status.String(), want)
	}
	err := c.fitTranscript(2, 10_000)
	if err == nil || !strings.Contains(err.Error(), `cannot use the transcript "last.srt" for last.mp4: All lines`) {
		t.Error(err)
	}
}
