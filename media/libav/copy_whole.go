package libav

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// errNotWhole says that a recording cannot be copied completely.
var errNotWhole = errors.New("the recording cannot be copied completely")

// wholeCopy copies a recording that the plan leaves unchanged. It copies all tracks in file order
// and reads the file once. Whether every packet can be copied is known only at the end.
type wholeCopy struct {
	*render
	source   *av.Source
	input    int
	copyable *copySource
	grid     av.Grid
	out      *assembler
	seen     []bool       // the frames that are written
	audios   []wholeAudio // the heard track first
}

// wholeAudio is an audio track of a wholeCopy.
type wholeAudio struct {
	*audioContinuity
	from *av.Track
	to   int // of the muxer
}

// tryCopyWhole writes the export if all of the recording can be copied. If whole is false, nothing
// is left at outPath.
func (r *render) tryCopyWhole(outPath string) (whole bool, err error) {
	if r.safe || r.plan.AudioOnly() || !r.plan.Unchanged() {
		return false, nil
	}
	try := *r
	err = try.copyWhole(outPath)
	if err == nil {
		*r = try
		return true, nil
	}

	try.closeInputs()
	if errors.Is(err, errNotWhole) {
		return false, nil
	}
	return false, err
}

func (r *render) copyWhole(outPath string) error {
	w := &wholeCopy{render: r, input: r.plan.Segments[0].Input, seen: make([]bool, r.plan.Frames())}
	if err := w.open(); err != nil {
		return err
	}
	var err error
	if r.mux, err = av.CreateMuxer(r.ctx, outPath, r.plan.Format.Muxer, false, r.meter.Alive); err != nil {
		return err
	}
	if err = w.start(); err == nil {
		err = w.copy()
	}
	if err == nil {
		r.result.SizeBytes, err = r.mux.Finish(r.ctx)
	}
	if err != nil {
		r.mux.Abort()
		return err
	}

	w.recordResult()
	return nil
}

// open opens the recording and checks all conditions for copying it that need no packets.
func (w *wholeCopy) open() (err error) {
	if w.source, err = av.Open(w.ctx, w.plan.Inputs[w.input].Path, w.heard[w.input]...); err != nil {
		return err
	}
	w.inputs = make([]copySource, len(w.plan.Inputs))
	w.copyable = &w.inputs[w.input]
	w.copyable.packets = &av.PacketReader{Source: w.source, Track: w.source.Video}
	hasAudio := w.source.Audio != nil
	if w.source.Video == nil || hasAudio != w.plan.HasAudio() {
		return errNotWhole
	}
	if hasAudio {
		if err := w.openAudios(); err != nil {
			return err
		}
	}

	if w.copyable.configure(w.copyable.packets, false) != "" {
		return errNotWhole
	}

	if err := w.chooseColors(); err != nil {
		return err
	}
	why, err := w.differs(w.input, w.copyable.format())
	if err == nil && why != "" {
		err = errNotWhole
	}
	w.config, w.grid = w.copyable.config, av.NewGrid(w.source.Video, w.origins[w.input], w.plan.Rate)
	return err
}

// openAudios makes the source read all audio tracks of the export. Errors: errNotWhole.
func (w *wholeCopy) openAudios() error {
	tracks, plans := []*av.Track{w.source.Audio}, []media.RenderPlan{w.plan}
	for _, other := range w.plan.OtherTracks {
		t, err := w.source.ReadToo(other.Tracks[w.input])
		if err != nil {
			return err
		}
		tracks, plans = append(tracks, t), append(plans, w.plan.Other(other))
	}

	for i, t := range tracks {
		if w.plan.Format.AudioEncoder != av.EncoderAAC || !canCopyAudio(w.source, t, plans[i]) {
			return errNotWhole
		}
		origin := astiav.RescaleQ(w.origins[w.input].Audio, w.source.Audio.Base, t.Base)
		w.audios = append(w.audios, wholeAudio{audioContinuity: w.newAudioContinuity(t, origin), from: t})
	}

	return nil
}

// start opens the export.
func (w *wholeCopy) start() (err error) {
	w.chunks = []chunk{{Chunk: media.Chunk{Input: w.input, Out: w.plan.Frames(), Copy: true}}}
	w.result.Codec = "h264"
	w.tally = w.newTally()
	w.tally.tracks -= float64(len(w.plan.OtherTracks)) // they are copied along with the heard one
	if err := w.addCopiedTrack(); err != nil {
		return err
	}
	audios := []int{-1}
	for i := range w.audios {
		a := &w.audios[i]
		if a.to, err = w.mux.AddCopy(a.from); err != nil {
			return err
		}
		audios = append(audios[:i], a.to)
	}

	if err := w.mux.SetTimecode(w.track, w.plan); err != nil {
		return err
	}
	if err := w.mux.SetTags(w.tags, w.track, audios[0]); err != nil {
		return err
	}
	if err := w.tagAudioTracks(audios[0], audios[1:]...); err != nil {
		return err
	}
	if err := w.mux.AddChapters(w.plan.Chapters, w.plan.DurationMS()); err != nil {
		return err
	}
	audioPackets := w.plan.Rate.Sample(w.plan.Frames(), media.SampleRate)/av.AACFrame + 4
	w.mux.ReserveIndex(w.plan.Frames(), audioPackets*int64(len(audios)), w.source.Size)
	w.out = w.newAssembler()
	w.out.delay = int64(av.TrackDelay(w.source.Video))
	return w.mux.Start()
}

// copy copies all packets. Errors: errNotWhole.
func (w *wholeCopy) copy() error {
	for {
		t, err := w.source.Next()
		switch {
		case errors.Is(err, io.EOF):
			return w.end()
		case err != nil:
			return err
		case t == w.source.Video:
			err = w.addVideo(w.source.Packet)
		default:
			err = w.addAudio(t, w.source.Packet)
		}

		if err != nil {
			return err
		}
	}
}

// addVideo writes a video packet. It must be the only one for its frame, and must be decoded before
// it is shown.
func (w *wholeCopy) addVideo(p *astiav.Packet) error {
	w.copyable.packets.Times = append(w.copyable.packets.Times, p.Pts())
	n := len(w.copyable.Frames)
	if !w.copyable.add(p, w.grid) || len(w.copyable.Sync) == 0 {
		return errNotWhole
	}
	frame := w.copyable.Frames[n]
	if frame < 0 || frame >= int64(len(w.seen)) || w.seen[frame] || frame < int64(n)-w.out.delay {
		return errNotWhole
	}
	w.seen[frame] = true
	own, err := w.copyable.exportPacket(p, n == 0)
	if err != nil {
		return err
	}
	w.progress(int64(n))
	return w.out.write(own, frame)
}

// addAudio writes a packet of an audio track.
func (w *wholeCopy) addAudio(t *av.Track, p *astiav.Packet) error {
	a := w.audios[slices.IndexFunc(w.audios, func(a wholeAudio) bool { return a.from == t })]
	if starts := a.add(p); a.broken {
		return errNotWhole
	} else if !starts {
		return nil
	}

	if t == w.source.Audio {
		w.tally.audioDone(float64(p.Pts()-a.origin) / float64(a.end-a.origin))
	}
	return w.mux.Write(a.to, retimedAudio(p, a.origin))
}

// end ends the tracks if nothing is missing.
func (w *wholeCopy) end() error {
	if err := context.Cause(w.ctx); err != nil {
		return err
	}
	lacksAudio := slices.ContainsFunc(w.audios, func(a wholeAudio) bool { return !a.whole() })
	if lacksAudio || w.out.at != w.plan.Frames() {
		return errNotWhole
	}
	for _, a := range w.audios {
		if err := w.mux.End(a.to); err != nil {
			return err
		}
	}

	return w.mux.End(w.track)
}

// recordResult stores the result and the data that the check needs.
func (w *wholeCopy) recordResult() {
	w.copyable.startsFrame = w.seen
	w.chunks[0].Last = len(w.copyable.Frames)
	w.result.Copied = w.plan.Frames()
}
