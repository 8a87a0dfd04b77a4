package libav

import (
	"context"
	"errors"
	"io"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// errNotWhole says that not everything of a recording can be copied.
var errNotWhole = errors.New("something of the recording cannot be copied")

// wholeCopy copies a recording of which nothing changes, both tracks in the order of the file,
// which is read once. That each picture can be copied is found out on the way.
type wholeCopy struct {
	*render
	source *source
	input  int
	coded  *coded
	grid   grid
	out    *assembler
	seen   []bool    // which frames were written
	sound  *soundRun // nil where there is none
	lane   int       // of the sound
}

// copyWhole writes the export where all of the recording is copied. whole is false where it is not:
// nothing is left at outPath then.
func (r *render) copyWhole(outPath string) (whole bool, err error) {
	if r.safe || r.plan.AudioOnly() || r.plan.KeepCodec || !r.plan.Unchanged() {
		return false, nil
	}
	try := *r
	err = try.tryWhole(outPath)
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

func (r *render) tryWhole(outPath string) error {
	w := &wholeCopy{render: r, input: r.plan.Segments[0].Input, seen: make([]bool, r.plan.Frames())}
	if err := w.open(); err != nil {
		return err
	}
	var err error
	if r.movie, err = createMovie(r.ctx, outPath, media.DefaultExportFormat().Muxer, false, r.meter.alive); err != nil {
		return err
	}
	if err = w.start(); err == nil {
		err = w.copy()
	}
	if err == nil {
		r.made.SizeBytes, err = r.movie.finish(r.ctx)
	}
	if err != nil {
		r.movie.abort()
		return err
	}
	w.settle()
	return nil
}

// open finds out whether the recording is one that can be copied, as far as it tells before its
// packets.
func (w *wholeCopy) open() (err error) {
	if w.source, err = openUntrusted(w.ctx, w.plan.Inputs[w.input].Path); err != nil {
		return err
	}
	w.inputs = make([]coded, len(w.plan.Inputs))
	w.coded = &w.inputs[w.input]
	w.coded.packets = &packetReader{source: w.source, track: w.source.video}
	if w.source.video == nil || (w.source.audio != nil) != w.plan.HasAudio() {
		return errNotWhole
	}
	if w.source.audio != nil && !copiesSound(w.source, w.source.audio) ||
		w.coded.configure(w.coded.packets, false) != "" {
		return errNotWhole
	}
	same, err := w.looksLikeExport(w.ctx, w.input, w.coded.format())
	if err == nil && !same {
		err = errNotWhole
	}
	w.config, w.grid = w.coded.config, newGrid(w.source.video, w.origins[w.input], w.plan.Rate)
	return err
}

// start opens the export.
func (w *wholeCopy) start() (err error) {
	w.parts = []stretch{{Chunk: media.Chunk{Input: w.input, Out: w.plan.Frames(), Copy: true}}}
	w.made.Codec = "h264"
	w.tally = w.newTally()
	if err := w.addCopiedTrack(); err != nil {
		return err
	}
	if t := w.source.audio; t != nil {
		w.sound = w.newSoundRun(t, w.origins[w.input].audio)
		if w.lane, err = w.movie.addCopy(t); err != nil {
			return err
		}
	}
	w.movie.keepFront(w.plan.Frames(), w.plan.Rate.Sample(w.plan.Frames(), media.SampleRate)/aacFrame+4, w.source.size)
	w.out = w.newAssembler()
	w.out.delay = int64(trackDelay(w.source.video))
	return w.movie.start()
}

// copy copies all packets. Errors: errNotWhole.
func (w *wholeCopy) copy() error {
	for {
		t, err := w.source.next()
		switch {
		case errors.Is(err, io.EOF):
			return w.end()
		case err != nil:
			return err
		case t == w.source.video:
			err = w.picture(w.source.packet)
		default:
			err = w.heard(w.source.packet)
		}
		if err != nil {
			return err
		}
	}
}

// picture writes a packet of the picture, whose frame is the only one that shows it and is not
// decoded after it is shown.
func (w *wholeCopy) picture(p *astiav.Packet) error {
	w.coded.packets.times = append(w.coded.packets.times, p.Pts())
	n := len(w.coded.Frames)
	if !w.coded.add(p, w.grid) || len(w.coded.Sync) == 0 {
		return errNotWhole
	}
	frame := w.coded.Frames[n]
	if frame < 0 || frame >= int64(len(w.seen)) || w.seen[frame] || frame < int64(n)-w.out.delay {
		return errNotWhole
	}
	w.seen[frame] = true
	own, err := w.coded.carried(p, n == 0, false)
	if err != nil {
		return err
	}
	w.progress(int64(n))
	return w.out.write(own, frame)
}

// heard writes a packet of the sound.
func (w *wholeCopy) heard(p *astiav.Packet) error {
	if heard := w.sound.add(p); w.sound.broken {
		return errNotWhole
	} else if !heard {
		return nil
	}
	w.tally.heard(float64(p.Pts()-w.sound.origin) / float64(w.sound.end-w.sound.origin))
	return w.movie.write(w.lane, soundCopy(p, w.sound.origin))
}

// end ends the tracks, once nothing is missing.
func (w *wholeCopy) end() error {
	if err := context.Cause(w.ctx); err != nil {
		return err
	}
	if w.out.at != w.plan.Frames() || w.sound != nil && !w.sound.whole() {
		return errNotWhole
	}
	if w.sound != nil {
		if err := w.movie.end(w.lane); err != nil {
			return err
		}
	}
	return w.movie.end(w.track)
}

// settle notes down what was made, and what the check of it wants to know.
func (w *wholeCopy) settle() {
	w.coded.begins = w.seen
	w.parts[0].Last = len(w.coded.Frames)
	w.made.Copied = w.plan.Frames()
}
