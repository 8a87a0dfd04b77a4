package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/pipeline"
	"roughcut/store"
)

// cutEdit is an edit of `cut --json`. Its times refer to all inputs in sequence.
type cutEdit struct {
	Type       string  `json:"type"`
	StartMS    int64   `json:"start_ms"`
	EndMS      int64   `json:"end_ms"`
	Active     bool    `json:"active"`
	Reason     string  `json:"reason"`
	Confidence float64 `json:"confidence"`
	Action     string  `json:"action"`      // cut or mute
	TakeGroup  *string `json:"take_group"`  // the take group that loses a take
	TakeNumber *int    `json:"take_number"` // from 1
}

// cutStretch is footage of one input that active cuts of `cut --json` remove without a gap.
type cutStretch struct {
	StartMS int64 `json:"start_ms"`
	EndMS   int64 `json:"end_ms"`
	Edits   []int `json:"edits"` // indexes of the cuts, by start
}

// cutInput is a recording of `cut --json`.
type cutInput struct {
	Path       string `json:"path"`        // as given; - for standard input
	PathBytes  []byte `json:"path_bytes"`  // nil for a path in UTF-8
	DurationMS *int64 `json:"duration_ms"` // nil if the recording could not be read
	OffsetMS   int64  `json:"offset_ms"`   // the total duration of the inputs before it
}

// cutReport is the output of `cut --json`. docs/cut.schema.json describes it.
type cutReport struct {
	Inputs           []string       `json:"inputs"` // their paths
	Recordings       []cutInput     `json:"recordings"`
	Output           *string        `json:"output"` // path of the video; nil if none was made
	OutputBytes      []byte         `json:"output_bytes"`
	DurationMS       int64          `json:"duration_ms"`
	OutputDurationMS int64          `json:"output_duration_ms"`
	Range            *media.Span    `json:"range"` // of --from and --to
	Language         *string        `json:"language"`
	Edits            []cutEdit      `json:"edits"`
	Stretches        []cutStretch   `json:"stretches"`
	TakeGroups       []cutTakeGroup `json:"take_groups"`
	Transcript       cutTranscript  `json:"transcript"`
	// Encoder encoded the video, and SoftwareBecause tells why a hardware encoder did not; both are
	// nil if nothing was encoded.
	Encoder         *string `json:"encoder"`
	SoftwareBecause *string `json:"software_because"`
	// AudioOverDB is how far the audio exceeded full scale before it was lowered, in decibels.
	AudioOverDB *float64 `json:"audio_over_db"`
}

// cutTranscript is the transcript of `cut --json`, with null for an unknown language.
type cutTranscript struct{ media.Transcript }

// MarshalJSON implements [json.Marshaler].
func (t cutTranscript) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		media.Transcript
		Language *string `json:"language"`
	}{t.Transcript, orNull(t.Language)})
}

// orNull returns nil for the zero value.
func orNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// bytesUnlessUTF8 returns the bytes of a path that JSON cannot tell apart from others.
func bytesUnlessUTF8(path string) []byte {
	if utf8.ValidString(path) {
		return nil
	}
	return []byte(path)
}

// input returns a recording that starts at an offset.
func (c *cutJob) input(path string, durationMS *int64, offsetMS int64) cutInput {
	if path == c.received {
		path = stdio
	}
	return cutInput{Path: path, PathBytes: bytesUnlessUTF8(path), DurationMS: durationMS, OffsetMS: offsetMS}
}

// spans returns the spans of the active edits with an action.
func (r cutReport) spans(action string) []media.Span {
	var spans []media.Span
	for _, e := range r.Edits {
		if e.Active && e.Action == action {
			spans = append(spans, media.Span{StartMS: e.StartMS, EndMS: e.EndMS})
		}
	}

	return spans
}

// findStretches sets the stretches. starts are the starts of the inputs.
func (r *cutReport) findStretches(starts []int64) {
	r.Stretches = []cutStretch{}
	order := []int{} // indexes of the cuts, by start
	for i, e := range r.Edits {
		if e.Active && e.Action == store.ActionCut {
			order = append(order, i)
		}
	}

	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(
			cmp.Compare(r.Edits[a].StartMS, r.Edits[b].StartMS), cmp.Compare(r.Edits[a].EndMS, r.Edits[b].EndMS),
		)
	})

	spans := make([]media.Span, 0, len(order))
	for _, i := range order {
		spans = append(spans, media.Span{StartMS: r.Edits[i].StartMS, EndMS: r.Edits[i].EndMS})
	}
	for i, first := range media.Stretches(spans, starts) {
		e := r.Edits[order[i]]
		if i == first {
			r.Stretches = append(r.Stretches, cutStretch{StartMS: e.StartMS})
		}
		s := &r.Stretches[len(r.Stretches)-1]
		s.EndMS, s.Edits = max(s.EndMS, e.EndMS), append(s.Edits, order[i])
	}
}

// stretchesInRange counts the stretches that shorten the video.
func (r cutReport) stretchesInRange() (n int) {
	for _, s := range r.Stretches {
		if r.Range == nil || (media.Span{StartMS: s.StartMS, EndMS: s.EndMS}).Intersect(*r.Range).Duration() > 0 {
			n++
		}
	}

	return n
}

// recordedMS returns the length of what the video is cut from.
func (r cutReport) recordedMS() int64 {
	if r.Range != nil {
		return r.Range.Duration()
	}
	return r.DurationMS
}

// recordedMS returns the length of recordings.
func recordedMS(clips []media.RenderClip) (ms int64) {
	for _, clip := range clips {
		ms += clip.Info.DurationMS
	}
	return ms
}

// report combines the results of all clips on one timeline.
func (c *cutJob) report(
	clips []media.RenderClip,
	tracks []pipeline.SpeechTrack,
	found pipeline.Analysis,
	proposed store.Proposal,
) cutReport {
	r := cutReport{
		Edits:      []cutEdit{},
		TakeGroups: []cutTakeGroup{},
		Transcript: cutTranscript{
			media.Transcript{Language: found.Language, Words: []media.Word{}, Segments: []media.TimedText{}},
		},
	}
	if !c.dryRun && c.rendersVideo() {
		r.Output, r.OutputBytes = &c.output, bytesUnlessUTF8(c.output)
	}
	if c.span.Duration() > 0 {
		r.Range = &c.span
	}
	if found.Language != "" {
		r.Language = &found.Language
	}
	var starts []int64
	for i, clip := range found.Clips {
		offset := r.DurationMS
		starts = append(starts, offset)
		input := c.input(c.inputs[i], &clips[i].Info.DurationMS, offset)
		r.Inputs, r.Recordings = append(r.Inputs, input.Path), append(r.Recordings, input)
		r.TakeGroups = append(r.TakeGroups, takeGroupsOf(tracks[i].ClipUUID, offset, proposed.TakeGroups)...)
		for _, e := range proposed.Edits {
			if e.ClipUUID != tracks[i].ClipUUID {
				continue
			}
			span := media.Span{StartMS: e.Span.StartMS + offset, EndMS: e.Span.EndMS + offset}
			r.Edits = append(r.Edits, cutEdit{
				Type:       e.Type,
				StartMS:    span.StartMS,
				EndMS:      span.EndMS,
				Active:     e.Active,
				Reason:     e.Reason,
				Confidence: e.Confidence,
				Action:     e.Action,
				TakeGroup:  orNull(e.TakeGroup),
				TakeNumber: orNull(e.TakeNumber),
			})
		}

		if clip.Evidence != nil {
			for _, w := range clip.Evidence.Words {
				w.StartMS, w.EndMS = w.StartMS+offset, w.EndMS+offset
				r.Transcript.Words = append(r.Transcript.Words, w)
			}
		}

		for _, s := range clip.Segments {
			s.StartMS, s.EndMS = s.StartMS+offset, s.EndMS+offset
			r.Transcript.Segments = append(r.Transcript.Segments, s)
		}

		r.DurationMS += clips[i].Info.DurationMS
	}

	r.findStretches(starts)
	return r
}

func (c *cutJob) print(r cutReport) error {
	if c.json {
		enc := json.NewEncoder(c.out)
		if !c.each.on { // one line for each recording
			enc.SetIndent("", "  ")
		}
		return enc.Encode(r)
	}

	if c.dryRun {
		if c.each.on {
			fmt.Fprintln(c.out, c.shown(c.inputs[0]))
		}
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "START\tEND\tLENGTH\tTYPE\tCUT\tCONFIDENCE\tREASON")
		for _, e := range r.Edits {
			span := media.Span{StartMS: e.StartMS, EndMS: e.EndMS}
			if r.Range != nil && span.Intersect(*r.Range).Duration() <= 0 {
				continue
			}
			state := "yes"
			if !e.Active {
				state = "no"
			} else if e.Action == store.ActionMute {
				state = "mute"
			}

			fmt.Fprintf(
				w, "%s\t%s\t%.2f s\t%s\t%s\t%.0f %%\t%s\n", timecode(e.StartMS), timecode(e.EndMS),
				float64(e.EndMS-e.StartMS)/1000, strings.ReplaceAll(e.Type, "_", " "), state, 100*e.Confidence,
				e.Reason,
			)
		}

		if err := w.Flush(); err != nil {
			return err
		}
	}

	if !c.dryRun && c.rendersVideo() {
		info, err := os.Stat(c.output)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(
			c.status,
			outputSummary(c.outputName(), r.recordedMS(), r.OutputDurationMS, info.Size()),
		)
		if err == nil {
			err = c.printEncoder()
		}
		if over := c.rendered.OverDB; err == nil && over > 0 {
			_, err = fmt.Fprintf(c.status, "The audio exceeded full scale by %.1f dB and was lowered.\n", over)
		}
		return err
	}

	_, err := fmt.Fprintf(
		c.status, "%s recorded, %s after %s\n", timecode(r.recordedMS()),
		timecode(r.OutputDurationMS), countCuts(r.stretchesInRange()),
	)
	return err
}

// countCuts formats a number of cuts. Cuts without a gap between them count as one.
func countCuts(n int) string {
	if n == 1 {
		return "1 cut"
	}
	return fmt.Sprintf("%d cuts", n)
}

// printEncoder says which hardware encoder encoded the video, or why the one of the settings did
// not.
func (c *cutJob) printEncoder() (err error) {
	switch name, why := c.rendered.Encoder, c.rendered.SoftwareBecause; {
	case why != "":
		_, err = fmt.Fprintf(c.status, "Encoded with %s: %s\n", name, why)
	case slices.Contains(av.HardwareEncoders(), name):
		_, err = fmt.Fprintf(c.status, "Encoded with %s\n", name)
	}

	return err
}

// outputSummary says which file a cut wrote, how long it is instead of the recordings, and how
// large.
func outputSummary(name string, beforeMS, afterMS, sizeBytes int64) string {
	if lengthText(afterMS) == lengthText(beforeMS) {
		return fmt.Sprintf("Wrote %s: %s, nothing is cut, %s", name, lengthText(afterMS), fileSize(sizeBytes))
	}
	removed := (100*(beforeMS-afterMS) + beforeMS/2) / max(1, beforeMS)
	return fmt.Sprintf("Wrote %s: %s instead of %s (−%d %%), %s",
		name, lengthText(afterMS), lengthText(beforeMS), removed, fileSize(sizeBytes))
}

// lengthText formats milliseconds as m:ss.t or h:mm:ss.t.
func lengthText(ms int64) string {
	tenths := (ms + 50) / 100
	if hours := tenths / 36_000; hours > 0 {
		return fmt.Sprintf("%d:%02d:%02d.%d", hours, tenths/600%60, tenths/10%60, tenths%10)
	}
	return fmt.Sprintf("%d:%02d.%d", tenths/600, tenths/10%60, tenths%10)
}

// fileSize formats a size in bytes as 12 kB or 40 MB.
func fileSize(bytes int64) string {
	if bytes < 1_000_000 {
		return fmt.Sprintf("%d kB", (bytes+999)/1000)
	}
	return fmt.Sprintf("%d MB", (bytes+500_000)/1_000_000)
}

// timecode formats milliseconds as h:mm:ss.mmm.
func timecode(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	return fmt.Sprintf("%d:%02d:%02d.%03d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60, ms%1000)
}
