package interchange_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
)

// place is where the test projects have their media.
var place = interchange.Place{Folder: "/media/ada/My #1 footage"}

// Every format of every project names the segments of the render plan, exactly, and nothing else.
func TestFormatsHoldTheSegments(t *testing.T) {
	checks := map[string]func(*testing.T, interchange.Timeline, string){
		"fcpxml": checkFCPXML, "xmeml": checkXMEML, "otio": checkOTIO, "edl": checkEDL, "mlt": checkMLT,
		"shotcut": checkShotcut, "kdenlive": checkKdenlive, "csv": checkCSV, "llc": checkLosslessCut,
	}
	for _, p := range allProjects() {
		for _, whole := range []bool{false, true} {
			line := timelineOf(t, p.project, place, whole)
			checkTimeline(t, line)
			for format, check := range checks {
				if format == "llc" && len(p.project.Recordings) > 1 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/whole=%v", p.name, format, whole), func(t *testing.T) {
					check(t, line, written(t, format, line, interchange.Options{}))
				})
			}
		}
	}
}

// checkTimeline checks the neutral timeline itself.
func checkTimeline(t *testing.T, line interchange.Timeline) {
	t.Helper()
	var at int64
	for i, c := range line.Clips {
		s := line.Sources[c.Source]
		if c.Start != at || c.Frames() < 1 || c.In < 0 || c.Out > s.Frames {
			t.Fatalf("clip %d is %+v of a source with %d frames, want it to start at %d", i, c, s.Frames, at)
		}
		at = c.End()
	}
	for _, m := range line.Markers {
		if m.Frame < 0 || m.Frame+m.Frames > line.Frames() || m.Name == "" {
			t.Errorf("marker %+v is outside of %d frames", m, line.Frames())
		}
	}
	for _, l := range line.Layers {
		if s := line.Sources[l.Source]; l.End() > line.Frames() || (!s.Still && l.Out > s.Frames) || l.Frames() < 1 {
			t.Errorf("layer %+v is outside of %d frames or its source with %d", l, line.Frames(), s.Frames)
		}
	}
}

// frames returns how many frames of a rate "N/Ds" is, and fails for a fraction of a frame.
func frames(t *testing.T, text string, rate media.Rate) int64 {
	t.Helper()
	value, ok := new(big.Rat).SetString(strings.TrimSuffix(text, "s"))
	if !ok || !strings.HasSuffix(text, "s") {
		t.Fatalf("%q is not a time", text)
	}
	value.Mul(value, big.NewRat(rate.Num, rate.Den))
	if !value.IsInt() {
		t.Fatalf("%s is %s frames at %s", text, value, rate)
	}
	return value.Num().Int64()
}

// rational returns a time as an exact number of seconds.
func rational(t *testing.T, text string) *big.Rat {
	t.Helper()
	value, ok := new(big.Rat).SetString(strings.TrimSuffix(text, "s"))
	if !ok {
		t.Fatalf("%q is not a time", text)
	}
	return value
}

func checkFCPXML(t *testing.T, line interchange.Timeline, text string) {
	doc := parseXML(t, text)
	if doc.attr["version"] != interchange.DefaultFCPXMLVersion || !strings.Contains(text, "<!DOCTYPE fcpxml>") {
		t.Errorf("the version is %q", doc.attr["version"])
	}
	assets := map[string]*node{}
	ids := map[string]bool{}
	for _, n := range append(doc.all("format"), doc.all("asset")...) {
		if id := n.attr["id"]; ids[id] {
			t.Errorf("the ID %s is used twice", id)
		}
		ids[n.attr["id"]] = true
	}
	for i, a := range doc.all("asset") {
		assets[a.attr["id"]] = a
		s := line.Sources[i]
		if a.attr["name"] != s.Name || fileOf(t, a.child("media-rep").attr["src"]) != s.Path {
			t.Errorf("asset %d is %q at %q", i, a.attr["name"], a.child("media-rep").attr["src"])
		}
		if a.attr["hasVideo"] == "1" && !ids[a.attr["format"]] {
			t.Errorf("asset %d has no format", i)
		}
	}
	sequence := doc.all("sequence")[0]
	if got := frames(t, sequence.attr["duration"], line.Rate); got != line.Frames() {
		t.Errorf("the sequence has %d frames, want %d", got, line.Frames())
	}
	clips := sequence.child("spine").children
	if len(clips) != len(line.Clips) {
		t.Fatalf("the spine has %d clips, want %d", len(clips), len(line.Clips))
	}
	for i, clip := range clips {
		want := line.Clips[i]
		s := line.Sources[want.Source]
		asset := assets[clip.attr["ref"]]
		start, length := frames(t, clip.attr["start"], line.Rate), frames(t, clip.attr["duration"], line.Rate)
		if frames(t, clip.attr["offset"], line.Rate) != want.Start || start != s.Origin+want.In ||
			length != want.Frames() {
			t.Fatalf("clip %d is %v, want %+v", i, clip.attr, want)
		}
		if (clip.attr["enabled"] == "0") != want.Disabled {
			t.Errorf("clip %d: enabled is %q", i, clip.attr["enabled"])
		}
		checkInside(t, clip, asset)
		for _, m := range append(clip.all("marker"), clip.all("chapter-marker")...) {
			if at := frames(t, m.attr["start"], line.Rate); at < start || at >= start+length {
				t.Errorf("clip %d has a marker at %d, outside of [%d, %d)", i, at, start, start+length)
			}
		}
	}
	layers := 0
	for _, clip := range append(sequence.all("asset-clip"), sequence.all("video")...) {
		if clip.attr["lane"] != "" {
			layers++
		}
	}
	if markers := len(sequence.all("marker")) + len(sequence.all("chapter-marker")); layers != len(line.Layers) ||
		markers != len(line.Markers) {
		t.Errorf("%d layers and %d markers, want %d and %d", layers, markers, len(line.Layers), len(line.Markers))
	}
}

// checkInside checks that a clip is within its asset.
func checkInside(t *testing.T, clip, asset *node) {
	t.Helper()
	start, end := rational(t, asset.attr["start"]), rational(t, asset.attr["duration"])
	end.Add(end, start)
	from, to := rational(t, clip.attr["start"]), rational(t, clip.attr["duration"])
	to.Add(to, from)
	if from.Cmp(start) < 0 {
		t.Errorf("clip %v starts before its asset %v", clip.attr, asset.attr)
	}
	// A timecode between two frames of the timeline moves the grid by less than a frame.
	if slack := new(big.Rat).Sub(to, end); slack.Sign() > 0 && (start.Sign() == 0 || slack.Cmp(big.NewRat(1, 23)) > 0) {
		t.Errorf("clip %v ends after its asset %v", clip.attr, asset.attr)
	}
}

func integer(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func checkXMEML(t *testing.T, line interchange.Timeline, text string) {
	doc := parseXML(t, text)
	files := map[string]*node{}
	for _, f := range doc.all("file") {
		if len(f.children) > 0 {
			if files[f.attr["id"]] != nil {
				t.Errorf("%s is written in full twice", f.attr["id"])
			}
			files[f.attr["id"]] = f
		}
	}
	items := map[string]*node{}
	for _, item := range doc.all("clipitem") {
		if items[item.attr["id"]] != nil {
			t.Errorf("the ID %s is used twice", item.attr["id"])
		}
		items[item.attr["id"]] = item
		file := files[item.child("file").attr["id"]]
		if file == nil {
			t.Fatalf("%s has no file", item.attr["id"])
		}
	}
	linked := map[string]bool{}
	for id, item := range items {
		for _, link := range item.all("link") {
			other := link.child("linkclipref").text
			linked[id+" "+other] = true
			if items[other] == nil {
				t.Errorf("%s links to %s, which does not exist", id, other)
			}
		}
	}
	for pair := range linked {
		if a, b, _ := strings.Cut(pair, " "); !linked[b+" "+a] {
			t.Errorf("%s links to %s, but not the other way round", a, b)
		}
	}
	tracks, channels := mainTracks(doc, line), 0
	for _, c := range line.Clips {
		if a := line.Sources[c.Source].Info.Audio; a != nil {
			channels = max(channels, a.Channels)
		}
	}
	if got := len(tracks) - boolInt(line.HasVideo); got != channels {
		t.Errorf("%d audio tracks for %d channels", got, channels)
	}
	for channel, track := range tracks {
		n := 0
		for i, c := range line.Clips {
			s := line.Sources[c.Source]
			if (channel == 0 && s.Info.Video == nil) ||
				(channel > 0 && (s.Info.Audio == nil || s.Info.Audio.Channels < channel)) {
				continue
			}
			item := track.all("clipitem")[n]
			n++
			got := [4]int64{}
			for k, name := range []string{"start", "end", "in", "out"} {
				got[k] = integer(t, item.child(name).text)
			}
			if got != [4]int64{c.Start, c.End(), c.In, c.Out} || (item.child("enabled").text == "FALSE") != c.Disabled {
				t.Fatalf("channel %d, clip %d is %v, want %+v", channel, i, got, c)
			}
			first, path := channel == 0 || (s.Info.Video == nil && channel == 1), item.child("pathurl")
			if (first && path.text != s.Path) || (!first && path.name != "") {
				t.Errorf("channel %d, clip %d has the path %q", channel, i, path.text)
			}
			address := files[item.child("file").attr["id"]].child("pathurl").text
			if !strings.HasPrefix(address, "file://localhost/") || fileOf(t, address) != s.Path {
				t.Errorf("the address of %s is %s", s.Path, address)
			}
		}
		if n != len(track.all("clipitem")) {
			t.Errorf("channel %d has %d items, want %d", channel, len(track.all("clipitem")), n)
		}
	}
}

// mainTracks returns the tracks of the main audio and video by channel; 0 is the video.
func mainTracks(doc *node, line interchange.Timeline) map[int]*node {
	tracks := map[int]*node{}
	content := doc.child("sequence").child("media")
	if line.HasVideo {
		tracks[0] = content.child("video").child("track")
	}
	for _, track := range content.child("audio").children {
		if track.attr["premiereTrackType"] != "" && track.child("enabled").text == "TRUE" {
			tracks[len(tracks)+1-boolInt(line.HasVideo)] = track
		}
	}
	return tracks
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// otioNode is an object of an OTIO file.
type otioNode map[string]any

func (n otioNode) get(name string) otioNode {
	child, _ := n[name].(map[string]any)
	return child
}

func (n otioNode) list(name string) (list []otioNode) {
	children, _ := n[name].([]any)
	for _, c := range children {
		list = append(list, otioNode(c.(map[string]any)))
	}
	return list
}

func (n otioNode) span(name string) (start, length, rate float64) {
	r := n.get(name)
	start, _ = r.get("start_time")["value"].(float64)
	length, _ = r.get("duration")["value"].(float64)
	rate, _ = r.get("duration")["rate"].(float64)
	return start, length, rate
}

func checkOTIO(t *testing.T, line interchange.Timeline, text string) {
	var doc otioNode
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	main := 0
	for _, track := range doc.get("tracks").list("children") {
		children := track.list("children")
		if name := track["name"]; name != "Video 1" && name != "Audio 1" {
			continue
		}
		main++
		if len(children) != len(line.Clips) {
			t.Fatalf("track %v has %d children, want %d", track["name"], len(children), len(line.Clips))
		}
		for i, child := range children {
			c := line.Clips[i]
			s := line.Sources[c.Source]
			start, length, rate := child.span("source_range")
			if int64(length) != c.Frames() || rate != line.Rate.Float() {
				t.Fatalf("child %d has %v frames at %v, want %d", i, length, rate, c.Frames())
			}
			if child["OTIO_SCHEMA"] == "Gap.1" {
				continue
			}
			media := child.get("media_references").get("DEFAULT_MEDIA")
			if int64(start) != s.Origin+c.In || child["enabled"] != !c.Disabled ||
				fileOf(t, media["target_url"].(string)) != s.Path {
				t.Fatalf("child %d starts at %v of %v, want %+v", i, start, media["target_url"], c)
			}
			from, available, own := media.span("available_range")
			if start/rate < from/own-1e-6 || (start+length)/rate > (from+available)/own+1/rate {
				t.Fatalf("child %d is outside of its media: %v+%v of %v at %v", i, start, length, available, own)
			}
		}
	}
	if want := boolInt(line.HasVideo) + boolInt(slices.ContainsFunc(line.Clips, func(c interchange.Clip) bool {
		return line.Sources[c.Source].Info.Audio != nil
	})); main != want {
		t.Errorf("%d main tracks, want %d", main, want)
	}
	if markers := doc.get("tracks").list("markers"); len(markers) != len(line.Markers) {
		t.Errorf("%d markers, want %d", len(markers), len(line.Markers))
	}
}

// event matches an event of an EDL as readers of CMX 3600 do.
var event = regexp.MustCompile(`^(\d{3,})  ([A-Z0-9]{1,8}) +(V|A|AA|A/V|AA/V) +C +(\S{11}) (\S{11}) (\S{11}) (\S{11})$`)

func checkEDL(t *testing.T, line interchange.Timeline, text string) {
	var kept []interchange.Clip
	for _, c := range line.Clips {
		if !c.Disabled {
			kept = append(kept, c)
		}
	}
	n := 0
	for row := range strings.Lines(text) {
		if strings.TrimRight(row, " \n") != strings.TrimSuffix(row, "\n") {
			t.Errorf("%q ends with a space", row)
		}
		found := event.FindStringSubmatch(strings.TrimSuffix(row, "\n"))
		if found == nil {
			continue
		}
		c := kept[n]
		n++
		s := line.Sources[c.Source]
		at := func(label string) int64 {
			tc, ok := interchange.ParseTimecode(label, line.Rate)
			if !ok {
				t.Fatalf("%q is not a timecode", label)
			}
			return tc.Frame
		}
		hour := at("01:00:00:00")
		if line.Drop {
			hour = at("01:00:00;00")
		}
		day := int64(24 * 3600 * 60)
		if ((at(found[5])-at(found[4])+day)%day != c.Frames() && at(found[5]) > at(found[4])) ||
			at(found[6])-hour != c.Start || at(found[7])-hour != c.End() {
			t.Fatalf("%q, want %+v of %+v", row, c, s)
		}
		if got := at(found[4]); got != s.Origin+c.In && s.Timecode.Frame < hour*23 {
			t.Fatalf("%q starts at %d, want %d", row, got, s.Origin+c.In)
		}
	}
	if n != len(kept) {
		t.Errorf("%d events, want %d", n, len(kept))
	}
}

// entries returns the entries of a playlist as clips of a timeline.
func entries(t *testing.T, playlist *node, prefix string) (list []interchange.Clip) {
	t.Helper()
	var at int64
	for _, n := range playlist.children {
		switch n.name {
		case "blank":
			at += integer(t, n.attr["length"])
		case "entry":
			source := integer(t, strings.TrimPrefix(n.attr["producer"], prefix)) - 1
			c := interchange.Clip{
				Source: int(source), In: integer(t, n.attr["in"]), Out: integer(t, n.attr["out"]) + 1, Start: at,
			}
			at = c.End()
			list = append(list, c)
		}
	}
	return list
}

// kept returns the enabled clips of a timeline without their evidence.
func kept(line interchange.Timeline, uses func(interchange.Source) bool) (list []interchange.Clip) {
	for _, c := range line.Clips {
		if !c.Disabled && uses(line.Sources[c.Source]) {
			c.Cut, c.Before, c.After = nil, nil, nil
			list = append(list, c)
		}
	}
	return list
}

func anySource(interchange.Source) bool { return true }

// checkProducers checks that producers come before their use, once, whole and with their paths.
func checkProducers(t *testing.T, line interchange.Timeline, doc *node) {
	t.Helper()
	known := map[string]bool{}
	for _, n := range doc.children {
		for _, used := range append(n.all("entry"), n.all("track")...) {
			if !known[used.attr["producer"]] {
				t.Errorf("<%s> uses %q before it is defined", n.name, used.attr["producer"])
			}
		}
		if id := n.attr["id"]; id != "" {
			if known[id] {
				t.Errorf("the ID %s is used twice", id)
			}
			known[id] = true
		}
		if n.name != "producer" || strings.HasPrefix(n.attr["id"], "black") {
			continue
		}
		id := n.attr["id"]
		number := strings.TrimLeft(id[strings.Index(id, "-")+1:], "abcdefghijklmnopqrstuvwxyz")
		s := line.Sources[integer(t, number)-1]
		if n.attr["in"] != "0" || n.property("resource") != s.Path {
			t.Errorf("producer %s starts at %s of %q", n.attr["id"], n.attr["in"], n.property("resource"))
		}
	}
}

func checkMLT(t *testing.T, line interchange.Timeline, text string) {
	doc := parseXML(t, text)
	checkProducers(t, line, doc)
	tracks := checkMainEntries(t, line, doc)
	if got := len(doc.all("playlist")); got != 1+tracks+layerTracks(line) {
		t.Errorf("%d playlists, want %d", got, 1+tracks+layerTracks(line))
	}
}

// checkMainEntries checks the entries of the main track, and that a black track below it fills the
// gaps under overlays. It returns how many of the two tracks there are.
func checkMainEntries(t *testing.T, line interchange.Timeline, doc *node) (tracks int) {
	t.Helper()
	black := make([]bool, line.Frames())
	for _, playlist := range doc.all("playlist") {
		switch playlist.attr["id"] {
		case "track1":
			tracks++
			if got, want := entries(t, playlist, "source"), kept(line, anySource); !slices.Equal(got, want) {
				t.Errorf("the entries are %v, want %v", got, want)
			}
		case "other1":
			tracks++
			if got, want := entries(t, playlist, "other1-"), kept(line, anySource); !slices.Equal(got, want) {
				t.Errorf("the entries of the muted track are %v, want %v", got, want)
			}
		case "gaps":
			tracks++
			var at int64
			for _, n := range playlist.children {
				switch n.name {
				case "blank":
					at += integer(t, n.attr["length"])
				case "entry":
					for range integer(t, n.attr["out"]) + 1 {
						black[at] = true
						at++
					}
				}
			}
		}
	}
	for _, c := range line.Clips {
		for at := c.Start; line.HasVideo && at < c.End(); at++ {
			below := slices.ContainsFunc(line.Layers, func(l interchange.Layer) bool {
				return !l.Audio && l.Start <= at && at < l.End()
			})
			if gap := c.Disabled || line.Sources[c.Source].Info.Video == nil; gap && below && !black[at] {
				t.Fatalf("frame %d is a gap under an overlay, but not black", at)
			}
		}
	}
	return tracks
}

// layerTracks returns the number of tracks of layers.
func layerTracks(line interchange.Timeline) int {
	highest := map[bool]int{}
	for _, l := range line.Layers {
		highest[l.Audio] = max(highest[l.Audio], l.Track)
	}
	return highest[false] + highest[true]
}

func checkShotcut(t *testing.T, line interchange.Timeline, text string) {
	doc := parseXML(t, text)
	checkProducers(t, line, doc)
	checkMainEntries(t, line, doc)
}

func checkKdenlive(t *testing.T, line interchange.Timeline, text string) {
	doc := parseXML(t, text)
	checkProducers(t, line, doc)
	hasVideo := func(s interchange.Source) bool { return s.Info.Video != nil }
	hasAudio := func(s interchange.Source) bool { return s.Info.Audio != nil }
	for prefix, uses := range map[string]func(interchange.Source) bool{"video": hasVideo, "audio": hasAudio} {
		want := kept(line, uses)
		found := len(want) == 0
		for _, playlist := range doc.all("playlist") {
			if e := playlist.child("entry"); strings.HasPrefix(e.attr["producer"], prefix) {
				found = found || slices.Equal(entries(t, playlist, prefix), want)
			}
		}
		if !found {
			t.Errorf("no playlist has the %s of %v", prefix, want)
		}
	}
	for _, e := range doc.all("entry") {
		if !strings.HasPrefix(e.attr["producer"], "bin") && e.property("kdenlive:id") == "" {
			t.Errorf("the entry %v has no clip in the bin", e.attr)
		}
	}
}

func checkCSV(t *testing.T, line interchange.Timeline, text string) {
	rows := strings.Count(text, "\n")
	if want := len(kept(line, anySource)); rows != want {
		t.Errorf("%d rows, want %d", rows, want)
	}
}

func checkLosslessCut(t *testing.T, line interchange.Timeline, text string) {
	var doc struct {
		MediaFileName string
		CutSegments   []struct {
			Start, End float64
			Selected   *bool
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.MediaFileName != line.Sources[0].Name || len(doc.CutSegments) != len(line.Clips) {
		t.Fatalf("%d segments of %q, want %d", len(doc.CutSegments), doc.MediaFileName, len(line.Clips))
	}
	for i, s := range doc.CutSegments {
		c := line.Clips[i]
		if got := line.Rate.Float() * s.Start; got < float64(c.In)-0.01 || got > float64(c.In)+0.01 ||
			(s.Selected != nil && *s.Selected == c.Disabled) {
			t.Errorf("segment %d starts at frame %v, want %d", i, got, c.In)
		}
	}
}
