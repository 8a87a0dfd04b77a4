package interchange_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
)

// named is a project of a table with a name.
type named struct {
	name    string
	project interchange.Project
}

// video returns the properties of a recording with video and stereo audio.
func video(rate media.Rate, frames int64) media.Info {
	return media.Info{
		Format: "mov", DurationMS: rate.MS(frames),
		Video: &media.VideoInfo{Codec: "h264", Width: 1920, Height: 1080, Rate: rate},
		Audio: &media.AudioInfo{Codec: "aac", SampleRate: 48000, Channels: 2},
	}
}

// audio returns the properties of a recording without video.
func audio(ms int64, hz, channels int) media.Info {
	return media.Info{
		Format: "wav", DurationMS: ms, Audio: &media.AudioInfo{Codec: "pcm", SampleRate: hz, Channels: channels},
	}
}

// projectOf returns a project of recordings with cuts at random places.
func projectOf(seed uint64, recordings ...interchange.Recording) interchange.Project {
	random := rand.New(rand.NewPCG(seed, 1))
	p := interchange.Project{Name: "Talk & <more>", VolumePercent: 100, Recordings: recordings}
	var total int64
	for i := range p.Recordings {
		p.Recordings[i].UUID = fmt.Sprintf("clip-%d", i+1)
		total += p.Recordings[i].Info.DurationMS
	}
	for at := 200 + random.Int64N(900); at < total-500; {
		length := 150 + random.Int64N(1500)
		p.Edits = append(p.Edits, interchange.Edit{
			UUID: fmt.Sprintf("edit-%d", len(p.Edits)+1), Kind: media.EditSilence, Reason: "a pause of 0.9 s",
			Confidence: 0.75, StartMS: at, EndMS: min(at+length, total-300), Active: random.IntN(6) > 0,
			Mute: random.IntN(8) == 0,
		})
		at += length + 300 + random.Int64N(3000)
	}
	return p
}

// allProjects returns projects with footage of every kind.
func allProjects() (list []named) {
	add := func(name string, recordings ...interchange.Recording) {
		list = append(list, named{name, projectOf(uint64(len(list)+1), recordings...)})
	}
	for _, rate := range media.TimelineRates() {
		for _, deg := range []int{0, 90, 180} {
			info := video(rate, rate.Frame(40_000)+7)
			if info.Video.RotationDeg = deg; deg == 90 {
				info.Video.Width, info.Video.Height = 1080, 1920
			}
			add(fmt.Sprintf("%s rotated %d", rate, deg), interchange.Recording{Name: "talk.mp4", Info: info})
		}
	}
	ntsc, film, pal := media.Rate{Num: 30000, Den: 1001}, media.Rate{Num: 24000, Den: 1001}, media.Rate{Num: 25, Den: 1}
	variable := video(media.Rate{Num: 30, Den: 1}, 1500)
	variable.Video.VariableRate = true
	add("variable rate", interchange.Recording{Name: "phone.mp4", Info: variable})
	codes := map[string]string{"drop-frame": "00:59:58;20", "non-drop": "01:00:00:00", "odd": "23:59:30:11"}
	for name, code := range codes {
		info := video(ntsc, 1800)
		info.Timecode = code
		add("timecode "+name, interchange.Recording{Name: "A001.MOV", Info: info})
	}
	withCode := video(film, 1800)
	withCode.Timecode = "10:00:00:00"
	add("audio only", interchange.Recording{Name: "talk.wav", Info: audio(61_234, 44100, 1)})
	add("surround", interchange.Recording{Name: "talk.mka", Info: audio(61_234, 48000, 6)})
	recorder := audio(61_234, 48000, 2)
	recorder.TimeReference = 10*3600*48000 + 1234
	screen := video(ntsc, 900)
	screen.AudioTracks = []media.AudioTrack{
		{Stream: 1, Channels: 1, SampleRate: 48000}, {Stream: 2, Channels: 2, SampleRate: 48000, Played: true},
	}
	add("two audio tracks", interchange.Recording{Name: "screen.mkv", Info: screen})
	add("broadcast wave", interchange.Recording{Name: "ZOOM0001.WAV", Info: recorder})
	silent := video(pal, 900)
	silent.Audio = nil
	add("no audio", interchange.Recording{Name: "screen.mp4", Info: silent})
	add("mixed rates", interchange.Recording{Name: "a.mp4", Info: video(pal, 900)},
		interchange.Recording{Name: "b.mp4", Info: withCode},
		interchange.Recording{Name: "c.mp4", Info: video(media.Rate{Num: 60000, Den: 1001}, 2000)},
		interchange.Recording{Name: "d.wav", Info: audio(20_001, 44100, 2)},
		interchange.Recording{Name: "e.mp4", Info: silent})
	add("other rates", interchange.Recording{Name: "slow.mp4", Info: video(media.Rate{Num: 25, Den: 2}, 500)},
		interchange.Recording{Name: "odd.mp4", Info: video(media.Rate{Num: 17, Den: 1}, 500)})
	for _, name := range oddNames() {
		add("name "+name, interchange.Recording{Name: name, Info: video(ntsc, 900)})
	}
	add("one name twice", interchange.Recording{Name: "VID.mp4", SizeBytes: 1, Info: video(pal, 500)},
		interchange.Recording{Name: "vid.mp4", SizeBytes: 2, Info: video(pal, 500)})
	add("linked", interchange.Recording{
		Name: "talk.mp4", Path: "/srv/foot age/täglich #1.mp4", Info: video(pal, 1500),
	})
	add("overlays", interchange.Recording{Name: "talk.mp4", Info: video(ntsc, 1800)})
	list[len(list)-1].project.Assets = assets(ntsc)
	list[len(list)-1].project.Chapters = []media.Chapter{{StartMS: 0, Title: "Start"}, {StartMS: 21_000, Title: "Next"}}
	return list
}

func oddNames() []string {
	return []string{
		"a#b%41 c.mp4", "Größe & Äther.mov", "演讲 录像.mp4", `quote" and 'quote'.mp4`, "question?.mp4",
		"semi;colon,comma.mp4", "a<b>.mp4", "100%.mp4", "tilde~{brace}[bracket].mp4",
		strings.Repeat("long ", 39) + ".mp4", "no extension", "../up/down.mp4",
	}
}

// assets returns placed assets: an image, a looped video with audio and music.
func assets(rate media.Rate) []media.PlacedAsset {
	image := media.Info{Format: "png_pipe", Video: &media.VideoInfo{Width: 800, Height: 600, Still: true}}
	roll := video(rate, 200)
	base := media.PlacedAsset{Placement: media.NewPlacement("", media.KindImage)}
	base.Position, base.SizePercent, base.OpacityPercent = "top_right", 30, 80
	first, second, third := base, base, base
	first.Name, first.Path, first.ID, first.Info = "logo.png", "/a/logo", "1", image
	first.Span = media.Span{StartMS: 1000, EndMS: 9000}
	second.Name, second.Path, second.ID, second.Info = "b roll.mp4", "/a/roll", "2", roll
	second.Span, second.Loop = media.Span{StartMS: 3000, EndMS: 30_000}, true
	second.VisualMode, second.AudioMode = media.VisualCutaway, media.AudioMix
	first.FadeInMS, second.FadeInMS, second.FadeOutMS, third.FadeOutMS = 500, 2000, 9000, 3000
	third.Name, third.Path, third.ID, third.Info = "music.mp3", "/a/music", "3", audio(120_000, 44100, 2)
	third.Span = media.Span{StartMS: 0, EndMS: 50_000}
	third.VisualMode, third.AudioMode = media.VisualNone, media.AudioMix
	third.VolumePercent, third.OffsetMS = 40, 1500
	return []media.PlacedAsset{first, second, third}
}

// timelineOf derives a timeline that must exist.
func timelineOf(t testing.TB, p interchange.Project, place interchange.Place, whole bool) interchange.Timeline {
	t.Helper()
	line, err := interchange.New(p, place, whole)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// written writes a timeline that the format can hold.
func written(t testing.TB, format string, line interchange.Timeline, o interchange.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := interchange.Write(&out, format, line, o); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return out.String()
}

// node is an element of a document.
type node struct {
	name     string
	attr     map[string]string
	text     string
	children []*node
}

// parseXML parses a document strictly.
func parseXML(t testing.TB, text string) *node {
	t.Helper()
	root := &node{}
	open := []*node{root}
	for dec := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the document is not well-formed: %v", err)
		}
		top := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			child := &node{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				if _, twice := child.attr[a.Name.Local]; twice {
					t.Fatalf("<%s> has the attribute %s twice", child.name, a.Name.Local)
				}
				child.attr[a.Name.Local] = a.Value
			}
			top.children = append(top.children, child)
			open = append(open, child)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.text += string(token)
		}
	}
	return root.children[0]
}

// all returns the elements with a name below a node, in order.
func (n *node) all(name string) (list []*node) {
	for _, c := range n.children {
		if c.name == name {
			list = append(list, c)
		}
		list = append(list, c.all(name)...)
	}
	return list
}

// child returns the first child with a name, or an empty node.
func (n *node) child(name string) *node {
	i := slices.IndexFunc(n.children, func(c *node) bool { return c.name == name })
	if i < 0 {
		return &node{}
	}
	return n.children[i]
}

// property returns a property of an MLT element.
func (n *node) property(name string) string {
	for _, c := range n.children {
		if c.name == "property" && c.attr["name"] == name {
			return c.text
		}
	}
	return ""
}

// fileOf returns the path that a URL of a document names.
func fileOf(t testing.TB, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil || parsed.Fragment != "" || parsed.RawQuery != "" {
		t.Fatalf("%q is not the URL of a file: %v", address, err)
	}
	return parsed.Path
}
