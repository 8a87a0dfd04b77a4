package detect

import (
	"bytes"
	"encoding/binary"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest/voices"
)

// Music and machines that sound the same twice are not takes.
func TestSoundsPlayedTwiceAreNotTakes(t *testing.T) {
	voices.Load(t)
	r := voices.Encores(t, 701, "es_MX_f_Allison")
	evidence, err := MeasureVoice(t.Context(), bytes.NewReader(r.Raw()), r.DurationMS, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range Edits(evidence, Settings{CutOptions: media.DefaultCutOptions()}) {
		if e.Type == media.EditFalseStart {
			t.Errorf("%v is proposed with %.2f: %s", e.Span, e.Confidence, e.Reason)
		}
	}
}

// A whole analysis keeps the sounds of an audience, and takes none of them for takes of a sentence.
func TestAudienceStays(t *testing.T) {
	voices.Load(t)
	voice := voices.Names()[0]
	r := voices.Audience(t, 600, voice)
	var pcm bytes.Buffer
	if err := binary.Write(&pcm, binary.LittleEndian, r.PCM); err != nil {
		t.Fatal(err)
	}
	evidence, err := MeasureVoice(t.Context(), &pcm, r.DurationMS, nil)
	if err != nil {
		t.Fatal(err)
	}
	edits := Edits(evidence, Settings{CutOptions: media.DefaultCutOptions()})
	heard, cut := int64(0), int64(0)
	for _, event := range r.Events {
		if event.Kind == voices.EventOther {
			continue
		}
		heard += event.Duration()
		for _, e := range edits {
			on := max(e.Intersect(event.Span).Duration(), 0)
			switch {
			case e.Type == media.EditSilence && e.Active:
				cut += on
			case e.Type == media.EditFalseStart && e.Active && 2*on > e.Duration() &&
				event.Kind == voices.EventApplause:
				t.Errorf("the applause at %v is a take: %s", event.Span, e.Reason)
			}
		}
	}
	t.Logf("%d of %d ms of music, applause and laughter are cut", cut, heard)
	if cut*20 > heard {
		t.Errorf("%d of %d ms of music, applause and laughter are cut", cut, heard)
	}
}
