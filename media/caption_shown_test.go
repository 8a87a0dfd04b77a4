package media

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

type shownText struct {
	Text    string      `json:"text"`
	StartMS int64       `json:"start_ms"`
	EndMS   int64       `json:"end_ms"`
	Words   []shownText `json:"words"`
}

func (s shownText) caption() Caption {
	c := Caption{Text: s.Text, StartMS: s.StartMS, EndMS: s.EndMS}
	for _, w := range s.Words {
		c.Words = append(c.Words, Word{Text: w.Text, StartMS: w.StartMS, EndMS: w.EndMS})
	}
	return c
}

// A style shows captions in capitals or word by word. The preview in the browser passes the same
// cases.
func TestStylesShowCaptionsAsThePreviewDoes(t *testing.T) {
	raw, err := os.ReadFile("testdata/caption_shown.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Style           string
		Captions, Shown []shownText
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		var captions, want []Caption
		for _, caption := range c.Captions {
			captions = append(captions, caption.caption())
		}
		for _, caption := range c.Shown {
			want = append(want, caption.caption())
		}
		got := CaptionOptions{StyleName: c.Style}.Style().Shown(captions)
		for j := range got {
			if len(got[j].Words) == 0 {
				got[j].Words = nil
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("case %d, %s: %+v, want %+v", i, c.Style, got, want)
		}
	}
}

// White stands for the color of the style. Text on a box is black or white.
func TestCaptionColorsFollowTheStyle(t *testing.T) {
	black := RGB{}
	yellow, blue := RGB{0xff, 0xd6, 0x0a}, RGB{0x10, 0x20, 0x80}
	for _, c := range []struct {
		style                string
		chosen, text, accent RGB
	}{
		{"classic", white, white, white},
		{"classic", blue, blue, blue},
		{"karaoke", white, white, yellow},
		{"karaoke", blue, white, blue},
		{"headline", white, yellow, yellow},
		{"word_box", white, white, yellow},
		{"label", white, black, white},
		{"label", blue, white, blue},
		{"label", yellow, black, yellow},
	} {
		text, accent := CaptionOptions{StyleName: c.style, Color: c.chosen}.Colors()
		if text != c.text || accent != c.accent {
			t.Errorf("%s in %v: text %v, accent %v, want %v and %v", c.style, c.chosen, text, accent, c.text, c.accent)
		}
	}
	if yellow.OnBox() != black || blue.OnBox() != white {
		t.Errorf("on yellow %v, on blue %v", yellow.OnBox(), blue.OnBox())
	}
}
