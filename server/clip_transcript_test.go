package server

import (
	"testing"
)

// A clip gets a transcript from a file, and the transcript of Roughcut comes back unchanged.
func TestImportedTranscripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	processing, _ := p.upload(project, []byte("bytes"))
	path := "/api/v1/clips/" + processing + "/transcript"
	file := map[string]any{"filename": "talk.srt", "text": "1\n00:00:00,100 --> 00:00:02,000\nHello there\n"}
	p.do("PUT", path, file).want(409, "clips_processing")
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+processing+"/confirm", nil).want(202, "")
	w.finishClip()
	p.do("GET", path, nil).want(409, "no_transcript")
	p.do("PUT", path, map[string]any{"text": "nothing"}).want(422, "unprocessable")
	p.do("PUT", path, file).want(200, "").shows(map[string]any{
		"imported_transcript.name": "talk.srt", "imported_transcript.words": 2, "imported_transcript.language": nil,
	})
	p.do("GET", "/api/v1/projects/"+project+"/clips/", nil).want(200, "")

	mended := map[string]any{"text": "1\n00:00:03,000 --> 00:00:02,000\nHello\n"}
	p.do("PUT", path, mended).want(200, "").shows(map[string]any{
		"imported_transcript.warnings": []string{
			"Line 1 ends before it starts. It lasts until the next line. Check its times.",
		},
	})
	p.do("PUT", path, file).want(200, "").shows(map[string]any{"imported_transcript.warnings": nil})
	p.do("DELETE", path, nil).want(204, "")
	p.do("DELETE", path, nil).want(204, "")

	p.analyze(project, processing)
	ours := p.do("GET", path, nil).want(200, "")
	ours.shows(map[string]any{"generator": "Roughcut", "language": "en"})
	p.do("PUT", path, map[string]any{"text": string(ours.body)}).want(200, "").shows(map[string]any{
		"imported_transcript.words": 3, "imported_transcript.language": "en",
	})
}

// An imported transcript is put on the time of its clip, or refused if none of it is there.
func TestImportedTranscriptsFitTheirClips(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	clip, _ := p.upload(project, []byte("bytes"))
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
	w.finishClip()
	path := "/api/v1/clips/" + clip + "/transcript"
	file := func(start, next string) map[string]any {
		return map[string]any{"text": start + ",100 --> " + start + ",900\nHello\n\n" +
			next + ",100 --> " + next + ",900\nfriend\n"}
	}
	for _, c := range []struct {
		start, next string
		words       int
		warning     string
	}{
		{
			"01:00:00", "01:00:01", 2,
			"The transcript starts at 1:00:00, but the recording is only 0:00:10 long. " +
				"Roughcut took 1 hour off all times.",
		},
		{
			"00:00:00", "00:01:00", 1,
			"One line of the transcript is after the end of the recording and was left out. " +
				"Check that the transcript belongs to this recording.",
		},
	} {
		p.do("PUT", path, file(c.start, c.next)).want(200, "").shows(map[string]any{
			"imported_transcript.words": c.words, "imported_transcript.warnings": []string{c.warning},
		})
	}
	p.do("PUT", path, file("00:30:00", "00:30:01")).want(422, "unprocessable")
}
