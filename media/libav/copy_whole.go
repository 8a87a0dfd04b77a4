package libav

import (
	"context"
	"errors"
	"io"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// errNotWhole says that a recording cannot be copied completely.
var errNotWhole = errors.New("the recording cannot be copied completely")

// wholeCopy copies a recording that the plan leaves unchanged. It copies both tracks in file order
// and reads the file once. Whether every packet can be copied is known only at the end.
type wholeCopy struct {
	*render
	source     *av.Source
	input      int
	copyable   *copySource
	grid       av.Grid
	out        *assembler
	seen       []bool           // the frames that are written
	continuity *audioContinuity // nil without audio
	audioTrack int              // of the muxer
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
	if hasAudio && !w.canCopyAudio() {
		return errNotWhole
	}
	if w.copyable.configure(w.copyable.packets, false) != "" {
		return errNotWhole
	}

	if err := w.chooseColors(); err != nil {
		return err
	}
	same, err := w.matchesExport(w.input, w.copyable.format())
	if err == nil && !same {
		err = errNotWhole
	}
	w.config, w.grid = w.copyable.config, av.NewGrid(w.source.Video, w.origins[w.input], w.plan.Rate)
	return err
}

// canCopyAudio reports whether the export can have the audio packets of the recording.
func (w *wholeCopy) canCopyAudio() bool {
	return w.plan.Format.AudioEncoder == av.EncoderAAC && canCopyAudio(w.source, w.source.Audio, w.plan)
}

// start opens the export.
func (w *wholeCopy) start() (err error) {
	w.chunks = []chunk{{Chunk: media.Chunk{Input: w.input, Out: w.plan.Frames(), Copy: true}}}
	w.result.Codec = "h264"
	w.tally = w.newTally()
	if err := w.addCopiedTrack(); err != nil {
		return err
	}
	if t := w.source.Audio; t != nil {
		w.continuity = w.newAudioContinuity(t, w.origins[w.input].Audio)
		if w.audioTrack, err = w.mux.AddCopy(t); err != nil {
			return err
		}
	}

	if err := w.mux.SetTimecode(w.track, w.plan); err != nil {
		return err
	}
	audio := -1
	if w.continuity != nil {
		audio = w.audioTrack
	}
	if err := w.mux.SetTags(w.tags, w.track, audio); err != nil {
		return err
	}
	if err := w.mux.AddChapters(w.plan.Chapters, w.plan.DurationMS()); err != nil {
		return err
	}
	audioPackets := w.plan.Rate.Sample(w.plan.Frames(), media.SampleRate)/av.AACFrame + 4
	w.mux.ReserveIndex(w.plan.Frames(), audioPackets, w.source.Size)
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
			err = w.addAudio(w.source.Packet)
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

// addAudio writes an audio packet.
func (w *wholeCopy) addAudio(p *astiav.Packet) error {
	if starts := w.continuity.add(p); w.continuity.broken {
		return errNotWhole
	} else if !starts {
		return nil
	}

	w.tally.audioDone(float64(p.Pts()-w.continuity.origin) / float64(w.continuity.end-w.continuity.origin))
	return w.mux.Write(w.audioTrack, retimedAudio(p, w.continuity.origin))
}

// end ends the tracks if nothing is missing.
func (w *wholeCopy) end() error {
	if err := context.Cause(w.ctx); err != nil {
		return err
	}
	lacksAudio := w.continuity != nil && !w.continuity.whole()
	if lacksAudio || w.out.at != w.plan.Frames() {
		return errNotWhole
	}
	if w.continuity != nil {
		if err := w.mux.End(w.audioTrack); err != nil {
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
