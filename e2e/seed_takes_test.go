package e2e

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// takesScript is a talk with a filler and three takes of one sentence. The first take breaks off.
const takesScript = `rate 16000
floor -62
pause 700
say en-us 160 hello and welcome back
pause 1600
say en-us 160 today we are going to
pause 900
say en-us 160 today we are going to talk about light in a small kitchen
pause 1400
say en-us 160 today we are going to talk about light in a small kitchen
pause 1900
say en-us 160 um the first thing you need is a window
pause 1500
`

// seedTakes is a talk with three takes of a sentence, a filler and three suggestions for the asset
// "lamp".
func seedTakes(t *testing.T, dir string, _ seed) seed {
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	user := call[record](c, "GET", "/api/v1/users/me", nil, 200)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": kitchen}, 201)
	speech := mediatest.Speak(t, takesScript)
	c.upload(project.UUID, filmSpeech(t, speech, seedHeight))
	comesTo(t, c, "/api/v1/projects/"+project.UUID+"/clips/", "ready")
	c.findFaces(project.UUID)
	lamp := c.asset(c.addAsset(guideStill(t, "lamp", "scale=320:180"), "image/png").UUID)
	server.stop()

	heard, err := detect.MeasureVoice(t.Context(), bytes.NewReader(speech.Raw), speech.DurationMS, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	heard.Words = speech.Words
	analyzeWith(t, dir, user.UUID, project.UUID, heard, func(clip string, result *store.AnalysisResult) {
		addTakes(result, clip, speech.Words)
		suggestAsset(result, clip, lamp.FileID)
	})
	return seed{Owner: true, Facts: map[string]string{"project": project.UUID, "lamp": lamp.UUID}}
}

// suggestAsset adds three suggestions for an asset to an analysis.
func suggestAsset(result *store.AnalysisResult, clip, file string) {
	for i, startMS := range []int64{1000, 6000, 12_000} {
		result.Edits = append(result.Edits, store.DetectedEdit{
			ClipUUID: clip, Type: store.EditAsset, Span: media.Span{StartMS: startMS, EndMS: startMS + 2000},
			Reason: "You mention “light”, a tag of this asset", Confidence: 0.9 - float64(i)/100,
			Placement: &media.Placement{
				AssetFileID: file, VisualMode: "overlay", AudioMode: "mute", Position: "top_right",
				SizePercent: 30, Appearance: media.Appearance{OpacityPercent: 100},
			},
		})
	}
}

// addTakes replaces the false starts of an analysis by a group of three takes, and adds a filler.
func addTakes(result *store.AnalysisResult, clip string, words []media.Word) {
	result.Edits = slices.DeleteFunc(result.Edits, func(e store.DetectedEdit) bool {
		return e.Type != store.EditSilence
	})
	group := store.DetectedTakeGroup{ID: "0d7d5b49-3f3c-5d6c-9a51-0f4f1c2a8e11", ClipUUID: clip, Proposed: 3}
	for i, word := range words {
		switch word.Text {
		case "today":
			last := i
			for last+1 < len(words) && words[last+1].StartMS-words[last].EndMS < 400 {
				last++
			}
			group.Takes = append(group.Takes, takeOf(words[i:last+1]))
		case "um":
			result.Edits = append(result.Edits, store.DetectedEdit{
				ClipUUID: clip, Type: store.EditFiller, Span: media.Span{StartMS: word.StartMS, EndMS: word.EndMS},
				Reason: "Filler “um”", Confidence: 0.62,
			})
		}
	}
	group.Takes[2].Reason = "The last complete take, and fluent"
	for i, take := range group.Takes[:2] {
		result.Edits = append(result.Edits, store.DetectedEdit{
			ClipUUID: clip, Type: store.EditFalseStart,
			Span: media.Span{StartMS: take.Span.StartMS, EndMS: group.Takes[i+1].Span.StartMS}, Active: true,
			Reason:     "Take " + strconv.Itoa(i+1) + " of a sentence that a later take says again",
			Confidence: 0.97 - float64(i)*0.3, TakeGroup: group.ID, TakeNumber: i + 1,
		})
	}
	result.TakeGroups = []store.DetectedTakeGroup{group}
}

// takeOf returns a take with these words. A take of fewer than six words breaks off.
func takeOf(words []media.Word) store.DetectedTake {
	var texts []string
	for _, w := range words {
		texts = append(texts, w.Text)
	}
	complete := len(words) > 5
	return store.DetectedTake{
		Span: media.Span{StartMS: words[0].StartMS, EndMS: words[len(words)-1].EndMS}, Text: strings.Join(texts, " "),
		Complete: complete, Partial: !complete, Fluent: true, LevelDB: -19.4,
	}
}
