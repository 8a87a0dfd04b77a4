package interchange_test

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
)

// fileTree is a parsed timeline file whose main track is changed as another editor changes it.
// Frames count at the rate of the timeline.
type fileTree interface {
	// trim moves the start and the end of a clip by frames.
	trim(clip int, start, end int64)
	remove(clip int)
	// insert puts a copy of a clip before another one. A bare copy names no UUIDs, like a clip that
	// is dragged from the bin.
	insert(before, of int, bare bool)
	// arrange puts the clips into another order.
	arrange(order []int)
	text(t *testing.T) string
}

// otioTree is an OTIO file. The clips of all tracks with clips of recordings change alike.
type otioTree struct {
	root   map[string]any
	tracks []map[string]any
}

func newOTIOTree(t *testing.T, text string) fileTree {
	t.Helper()
	o := &otioTree{}
	if err := json.Unmarshal([]byte(text), &o.root); err != nil {
		t.Fatal(err)
	}
	for _, track := range o.root["tracks"].(map[string]any)["children"].([]any) {
		o.tracks = append(o.tracks, track.(map[string]any))
	}
	return o
}

func (o *otioTree) each(change func(list []map[string]any) []map[string]any) {
	for _, track := range o.tracks {
		var list []map[string]any
		for _, child := range track["children"].([]any) {
			list = append(list, child.(map[string]any))
		}
		children := []any{}
		for _, child := range change(list) {
			children = append(children, child)
		}
		track["children"] = children
	}
}

func (o *otioTree) trim(clip int, start, end int64) {
	o.each(func(list []map[string]any) []map[string]any {
		span := list[clip]["source_range"].(map[string]any)
		for key, by := range map[string]int64{"start_time": start, "duration": end - start} {
			value := span[key].(map[string]any)
			value["value"] = value["value"].(float64) + float64(by)
		}
		return list
	})
}

func (o *otioTree) remove(clip int) {
	o.each(func(list []map[string]any) []map[string]any { return slices.Delete(list, clip, clip+1) })
}

func (o *otioTree) insert(before, of int, bare bool) {
	o.each(func(list []map[string]any) []map[string]any {
		data, err := json.Marshal(list[of])
		if err != nil {
			panic(err)
		}
		var fresh map[string]any
		if err := json.Unmarshal(data, &fresh); err != nil {
			panic(err)
		}
		if bare {
			fresh["metadata"] = map[string]any{}
		}
		return slices.Insert(list, before, fresh)
	})
}

func (o *otioTree) arrange(order []int) {
	o.each(func(list []map[string]any) (out []map[string]any) {
		for _, i := range order {
			out = append(out, list[i])
		}
		return out
	})
}

func (o *otioTree) text(t *testing.T) string {
	t.Helper()
	data, err := json.Marshal(o.root)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// fcpTree is an FCPXML file. The offsets of its clips follow their lengths.
type fcpTree struct {
	root, spine *node
	rate        media.Rate
}

func newFCPTree(t *testing.T, text string, rate media.Rate) fileTree {
	t.Helper()
	root := parseXML(t, text)
	return &fcpTree{root, root.all("spine")[0], rate}
}

func (f *fcpTree) time(frames int64) string {
	return fmt.Sprintf("%d/%ds", frames*f.rate.Den, f.rate.Num)
}

func (f *fcpTree) trim(clip int, start, end int64) {
	n := f.spine.children[clip]
	for key, by := range map[string]int64{"start": start, "duration": end - start} {
		var scale, value int64 = 1, 0
		text := strings.TrimSuffix(n.attr[key], "s")
		if _, err := fmt.Sscanf(text, "%d/%d", &value, &scale); err != nil {
			_, _ = fmt.Sscanf(text, "%d", &value)
		}
		n.attr[key] = f.time(value*f.rate.Num/(scale*f.rate.Den) + by)
	}
}

func (f *fcpTree) remove(clip int) { f.spine.children = slices.Delete(f.spine.children, clip, clip+1) }

func (f *fcpTree) insert(before, of int, bare bool) {
	fresh := *f.spine.children[of]
	fresh.attr = maps.Clone(fresh.attr)
	fresh.children = nil
	if !bare {
		fresh.children = f.spine.children[of].children
	}
	f.spine.children = slices.Insert(f.spine.children, before, &fresh)
}

func (f *fcpTree) arrange(order []int) {
	var list []*node
	for _, i := range order {
		list = append(list, f.spine.children[i])
	}
	f.spine.children = list
}

func (f *fcpTree) text(t *testing.T) string {
	t.Helper()
	var at int64
	for _, n := range f.spine.children {
		n.attr["offset"] = f.time(at)
		at += frames(t, n.attr["duration"], f.rate)
	}
	var out strings.Builder
	f.root.write(&out)
	return out.String()
}

// write writes an element with its children.
func (n *node) write(out *strings.Builder) {
	fmt.Fprintf(out, "<%s", n.name)
	for _, key := range slices.Sorted(maps.Keys(n.attr)) {
		fmt.Fprintf(out, ` %s="`, key)
		_ = xml.EscapeText(out, []byte(n.attr[key]))
		out.WriteByte('"')
	}
	out.WriteByte('>')
	_ = xml.EscapeText(out, []byte(n.text))
	for _, c := range n.children {
		c.write(out)
	}
	fmt.Fprintf(out, "</%s>", n.name)
}

// treeProject returns a project of one to three recordings at one rate. One edit cuts each gap
// between two clips.
func treeProject(random *rand.Rand) interchange.Project {
	rates := media.TimelineRates()
	rate := rates[random.IntN(len(rates))]
	p := interchange.Project{Name: "Talk", VolumePercent: 100}
	var start int64
	for i := range 1 + random.IntN(3) {
		info := video(rate, 1500+random.Int64N(500))
		if i == 1 {
			info.Timecode = "01:02:03:04"
		}
		if i == 2 {
			info.Video = nil
		}
		p.Recordings = append(p.Recordings, interchange.Recording{
			UUID: fmt.Sprintf("clip-%d", i), Name: fmt.Sprintf("part %d.mp4", i), Info: info,
		})
		for at := 2000 + random.Int64N(500); at < info.DurationMS-4000; at += 2500 + random.Int64N(1500) {
			length := 300 + random.Int64N(1200)
			p.Edits = append(p.Edits, interchange.Edit{
				UUID: fmt.Sprintf("edit-%d", len(p.Edits)), Kind: media.EditSilence, Reason: "a pause",
				StartMS: start + at, EndMS: start + at + length, Active: true,
			})
			at += length
		}
		start += info.DurationMS
	}
	return p
}

// treeChange is a random change of a file, with the project changes that Compare must find.
type treeChange struct {
	apply func(tree fileTree)
	want  []interchange.Change
}

// treeChanges makes changes of a timeline.
type treeChanges struct {
	*rand.Rand
	p    interchange.Project
	line interchange.Timeline
}

// ms returns the project time of a frame of a recording.
func (c treeChanges) ms(recording int, frame int64) int64 {
	var start int64
	for _, r := range c.p.Recordings[:recording] {
		start += r.Info.DurationMS
	}
	if frame == c.line.Sources[recording].Frames {
		return start + c.p.Recordings[recording].Info.DurationMS
	}
	return start + c.line.Rate.MS(frame)
}

func (c treeChanges) added(recording int, from, to int64) interchange.Change {
	return interchange.Change{
		Kind: interchange.ChangeAdd, StartMS: c.ms(recording, from), EndMS: c.ms(recording, to),
	}
}

// moved returns the change that moves the edit before clip i to other frames.
func (c treeChanges) moved(i int, from, to int64) interchange.Change {
	e := *c.line.Clips[i].Before
	m := interchange.Change{
		Kind: interchange.ChangeMove, EditUUID: e.UUID, StartMS: e.StartMS, EndMS: e.EndMS,
		FromMS: e.StartMS, ToMS: e.EndMS,
	}
	if from != c.line.Clips[i-1].Out {
		m.StartMS = c.ms(c.line.Clips[i].Source, from)
	}
	if to != c.line.Clips[i].In {
		m.EndMS = c.ms(c.line.Clips[i].Source, to)
	}
	return m
}

// next returns a change around clip i, or around the cut before it.
func (c treeChanges) next(i int) treeChange {
	clip := c.line.Clips[i]
	kind := c.IntN(5)
	if kind < 3 && clip.Before == nil {
		kind += 3
	}
	if kind < 3 {
		return c.nextOfCut(kind, i)
	}
	if kind == 3 {
		return treeChange{func(tree fileTree) { tree.remove(i) },
			[]interchange.Change{c.added(clip.Source, clip.In, clip.Out)}}
	}
	from := clip.In + 1 + c.Int64N(clip.Frames()/2) // a cut in the middle
	to := from + 1 + c.Int64N(clip.Out-from-2)
	return treeChange{func(tree fileTree) {
		tree.insert(i, i, false)
		tree.trim(i, 0, from-clip.Out)
		tree.trim(i+1, to-clip.In, 0)
	}, []interchange.Change{c.added(clip.Source, from, to)}}
}

// nextOfCut moves an edge of the cut before clip i, or adds the removed footage back, in part or as
// a whole.
func (c treeChanges) nextOfCut(kind, i int) treeChange {
	before, clip := c.line.Clips[i-1], c.line.Clips[i]
	e := *clip.Before
	switch kind {
	case 0:
		from, to := before.Out, clip.In
		if c.IntN(3) == 0 { // so far that only the UUID tells which cut it was
			from = clip.In + 1 + c.Int64N(clip.Frames()/2)
			to = from + 1 + c.Int64N(clip.Out-from-2)
		}
		for from == before.Out && to == clip.In {
			if c.IntN(2) == 0 {
				from = before.In + 1 + c.Int64N(before.Frames())
			}
			if c.IntN(2) == 0 || from >= to {
				to = max(from+1, clip.In-5) + c.Int64N(clip.Out-1-max(from+1, clip.In-5))
			}
		}
		return treeChange{func(tree fileTree) {
			tree.trim(i-1, 0, from-before.Out)
			tree.trim(i, to-clip.In, 0)
		}, []interchange.Change{c.moved(i, from, to)}}
	case 1:
		restored := interchange.Change{
			Kind: interchange.ChangeRestore, EditUUID: e.UUID, StartMS: e.StartMS, EndMS: e.EndMS,
		}
		whole := c.IntN(2) == 0
		return treeChange{func(tree fileTree) {
			if whole {
				tree.trim(i-1, 0, clip.In-before.Out)
				return
			}
			tree.insert(i, i-1, true)
			tree.trim(i, before.Frames(), clip.In-before.Out)
		}, []interchange.Change{restored}}
	}
	from := before.Out + 1 + c.Int64N(clip.In-before.Out-2)
	to := from + 1 + c.Int64N(clip.In-1-from)
	want := []interchange.Change{c.moved(i, before.Out, from), c.added(clip.Source, to, clip.In)}
	if from-before.Out < clip.In-to {
		want = []interchange.Change{c.added(clip.Source, before.Out, from), c.moved(i, to, clip.In)}
	}
	return treeChange{func(tree fileTree) {
		tree.insert(i, i-1, true)
		tree.trim(i, from-before.In, to-before.Out)
	}, want}
}

// placedTree knows the recording of each clip of a file.
type placedTree struct {
	fileTree
	recordings []int
}

func (p *placedTree) remove(clip int) {
	p.fileTree.remove(clip)
	p.recordings = slices.Delete(p.recordings, clip, clip+1)
}

func (p *placedTree) insert(before, of int, bare bool) {
	p.fileTree.insert(before, of, bare)
	p.recordings = slices.Insert(p.recordings, before, p.recordings[of])
}

// reorder puts the clips of whole recordings into another order, given by recording. With one
// recording, it swaps two clips.
func (p *placedTree) reorder(recordings []int, swapped int) {
	order := make([]int, len(p.recordings))
	for i := range order {
		order[i] = i
	}
	place := func(clip int) int { return slices.Index(recordings, p.recordings[clip]) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(place(a), place(b)) })
	if len(recordings) == 1 {
		order[swapped-1], order[swapped] = order[swapped], order[swapped-1]
	}
	p.arrange(order)
}

// Two hundred random changes of the trees of OTIO and FCPXML files come back as exactly those
// changes: moved edges, removed clips, cuts in the middle, footage added back, and another order.
func TestChangesOfFileTreesComeBack(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(200) {
		c := treeChanges{Rand: rand.New(rand.NewPCG(seed, 3)), p: treeProject(rand.New(rand.NewPCG(seed, 4)))}
		c.line = timelineOf(t, c.p, place, false)
		var changes []treeChange
		for i := 1 + c.IntN(3); i < len(c.line.Clips)-1; i += 3 + c.IntN(4) {
			changes = append(changes, c.next(i))
		}
		trees := map[string]fileTree{
			"otio":   newOTIOTree(t, written(t, "otio", c.line, interchange.Options{})),
			"fcpxml": newFCPTree(t, written(t, "fcpxml", c.line, interchange.Options{}), c.line.Rate),
		}
		var want []interchange.Change
		for _, change := range changes {
			want = append(want, change.want...)
		}
		recordings, swapped := c.Perm(len(c.p.Recordings)), 1+c.IntN(len(c.line.Clips)-2)
		reorders := c.IntN(2) == 0
		arranges := reorders && len(recordings) == 1
		switch {
		case arranges:
			kinds[interchange.ChangeArrange]++
		case reorders && !slices.IsSorted(recordings):
			order := interchange.Change{Kind: interchange.ChangeOrder}
			for _, r := range recordings {
				order.Recordings = append(order.Recordings, c.p.Recordings[r].UUID)
			}
			want = append(want, order)
		}
		slices.SortStableFunc(want, func(a, b interchange.Change) int {
			if last := interchange.ChangeOrder; a.Kind == last || b.Kind == last {
				return cmp.Compare(strings.Count(a.Kind, last), strings.Count(b.Kind, last))
			}
			return cmp.Or(cmp.Compare(a.StartMS, b.StartMS), cmp.Compare(a.EndMS, b.EndMS))
		})
		for _, w := range want {
			kinds[w.Kind]++
		}
		for format, file := range trees {
			tree := &placedTree{fileTree: file}
			for _, clip := range c.line.Clips {
				tree.recordings = append(tree.recordings, clip.Source)
			}
			for _, change := range slices.Backward(changes) {
				change.apply(tree)
			}
			if reorders {
				tree.reorder(recordings, swapped)
			}
			text := tree.text(t)
			found := readBack(t, format, text, c.p)
			if arranges {
				after := c.p
				after.Edits = interchange.Applied(c.p.Edits, found.Changes)
				after = arranged(after, found.Changes)
				now := written(t, format, timelineOf(t, after, place, false), interchange.Options{})
				last := len(found.Changes) - 1
				if last < 0 || found.Changes[last].Kind != interchange.ChangeArrange ||
					!playsAlike(t, format, now, text) {
					t.Fatalf("seed %d, %s: the order of the file does not come back: %+v", seed, format, found.Changes)
				}
				found.Changes = found.Changes[:last]
			}
			if (len(found.Changes)+len(want) > 0 && !reflect.DeepEqual(found.Changes, want)) || len(found.Ignored) > 0 {
				t.Fatalf("seed %d, %s: got %+v, ignored %v\nwant %+v",
					seed, format, found.Changes, found.Ignored, want)
			}
		}
	}
	t.Logf("the changes: %v", kinds)
	for _, kind := range []string{"add", "move", "restore", "order", "arrange"} {
		if kinds[kind] == 0 {
			t.Errorf("no change of the kind %q was tried: %v", kind, kinds)
		}
	}
}
