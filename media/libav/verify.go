package libav

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// badExport is an export that is not what its plan says; the text says in what.
type badExport struct{ reason string }

func (b badExport) Error() string { return "the finished video failed its check: " + b.reason }

// Of the parts that border on others which were made in another way, up to verifiedParts are looked
// at, spread over the export, as long as no more is decoded for that than a picture for each
// verifiedShare of the export, or verifiedPixels, which take half a second. Encoded pictures must
// be as near to what they show as verifiedPSNR, in dB of luma.
const (
	verifiedParts  = 8
	verifiedShare  = 30
	verifiedPixels = 250_000_000
	verifiedPSNR   = 30
)

// verify reads a finished export again: every frame of the plan has one packet, decoding times
// grow, and at a sample of borders the pictures are those of the recordings. Errors: badExport.
func (r *render) verify(path string) error {
	if err := r.verifyPackets(path); err != nil {
		return err
	}
	borders := r.borders()
	if len(borders) == 0 {
		return nil
	}
	made, err := openPictures(r.ctx, path, origin{}, r.plan.Rate, 1)
	if err != nil {
		return err
	}
	if !r.hevc {
		made.spare(4, func(int64) bool { return true })
	}
	defer made.close()
	var source *pictures
	input := -1
	defer func() {
		if source != nil {
			source.close()
		}
	}()
	for _, p := range borders {
		if p.Input != input {
			if source != nil {
				source.close()
				source = nil
			}
			if source, err = r.openPictures(p.Input, 1); err != nil {
				return err
			}
			input = p.Input
		}
		for _, frame := range r.looks(p) {
			if err := comparePictures(made, source, p, frame); err != nil {
				return err
			}
		}
		r.meter.alive()
	}
	if made.reader.decoder.refused > 0 {
		return badExport{fmt.Sprintf("%d packets could not be decoded", made.reader.decoder.refused)}
	}
	r.made.VerifiedParts = len(borders)
	return nil
}

// borders picks parts whose first and last pictures are looked at: copied ones and those beside
// them, where parts differ in how they were made. Of each of several stretches of the export it
// takes the part that takes the least decoding, in turn a copied one and one that is not, where it
// has both; it leaves out the dearest that are too much.
func (r *render) borders() []stretch {
	var all []stretch
	for i, p := range r.parts {
		beside := i > 0 && r.parts[i-1].Copy || i+1 < len(r.parts) && r.parts[i+1].Copy
		if p.Composited {
			continue
		}
		if p.Copy || (p.kept || beside) && r.inputs[p.Input].packets != nil {
			all = append(all, p)
		}
	}
	byCost := func(a, b stretch) int { return cmp.Compare(r.decoded(a), r.decoded(b)) }
	var some []stretch
	for i, n := 0, min(verifiedParts, len(all)); i < n; i++ {
		group, turn := all[i*len(all)/n:(i+1)*len(all)/n], func(p stretch) bool { return p.Copy == (i%2 == 0) }
		if slices.ContainsFunc(group, turn) {
			group = slices.DeleteFunc(slices.Clone(group), func(p stretch) bool { return !turn(p) })
		}
		some = append(some, slices.MinFunc(group, byCost))
	}
	slices.SortStableFunc(some, byCost)
	left := max(verifiedPixels/int64(r.plan.Width*r.plan.Height), r.plan.Frames()/verifiedShare)
	for i, p := range some {
		if left -= r.decoded(p); left < 0 && i > 0 {
			some = some[:i]
			break
		}
	}
	slices.SortFunc(some, func(a, b stretch) int { return cmp.Compare(a.Start, b.Start) })
	return some
}

// looks returns the frames of a part that are looked at: the first and the last. What follows the
// last one of a copy may be missed by it, but not where nothing follows.
func (r *render) looks(p stretch) []int64 {
	if p.Copy && p.Last == len(r.inputs[p.Input].Frames) {
		return []int64{p.In}
	}
	return []int64{p.In, p.Out - 1}
}

// decoded is about how many pictures it takes to look at the first and the last one of a part, in
// the recording and in the export.
func (r *render) decoded(p stretch) int64 {
	in := r.inputs[p.Input]
	since := func(frame int64) int64 { // the keyframe at or before a frame, in frames
		i, _ := slices.BinarySearchFunc(
			in.Sync,
			frame+1,
			func(packet int, frame int64) int { return cmp.Compare(in.Frames[packet], frame) },
		)
		if i == 0 {
			return frame
		}
		return frame - in.Frames[in.Sync[i-1]]
	}
	if len(r.looks(p)) == 1 {
		return since(p.In)
	}
	last, length := since(p.Out-1), p.Frames()-1
	recording := since(p.In) + min(last, length)
	if p.Copy {
		return recording + min(last, length)
	}
	return recording + length
}

func (r *render) verifyPackets(path string) error {
	packets, err := openPackets(r.ctx, path, true)
	if err != nil && r.ctx.Err() == nil {
		return badExport{err.Error()}
	} else if err != nil {
		return err
	}
	defer packets.close()
	grid := newGrid(packets.track, origin{}, r.plan.Rate)
	seen := make([]bool, r.plan.Frames())
	last, count := int64(math.MinInt64), int64(0)
	err = packets.all(func(p *astiav.Packet) error {
		frame := grid.index(p.Pts())
		switch {
		case p.Pts() == noPTS || frame < 0 || frame >= r.plan.Frames() || seen[frame]:
			return badExport{fmt.Sprintf("picture %d has the time of frame %d", count, frame)}
		case p.Dts() <= last:
			return badExport{fmt.Sprintf("the decoding time of picture %d does not grow", count)}
		}
		seen[frame], last = true, p.Dts()
		if count++; count%1000 == 0 {
			r.meter.alive()
		}
		return nil
	})
	if err == nil && count != r.plan.Frames() {
		err = badExport{fmt.Sprintf("it has %d pictures of %d", count, r.plan.Frames())}
	}
	return err
}

// comparePictures holds a frame of a part, as it is in the export, against the recording.
func comparePictures(made, source *pictures, p stretch, frame int64) error {
	want, _, err := source.at(frame)
	if err != nil {
		return err
	}
	got, _, err := made.at(p.Start + frame - p.In)
	if errors.Is(err, io.EOF) {
		return badExport{fmt.Sprintf("frame %d cannot be decoded", p.Start+frame-p.In)}
	}
	if err != nil {
		return err
	}
	if got.Width() != want.Width() || got.Height() != want.Height() || got.PixelFormat() != want.PixelFormat() {
		return badExport{
			fmt.Sprintf(
				"frame %d is %d x %d pixels of %s",
				p.Start+frame-p.In,
				got.Width(),
				got.Height(),
				got.PixelFormat(),
			),
		}
	}
	db := lumaPSNR(want, got)
	if p.Copy && !math.IsInf(db, 1) || db < verifiedPSNR {
		return badExport{fmt.Sprintf("frame %d shows another picture (%.1f dB)", p.Start+frame-p.In, db)}
	}
	return nil
}

// lumaPSNR compares the luma of two pictures of one size and format, in dB; +Inf where they are the
// same.
func lumaPSNR(a, b *astiav.Frame) float64 {
	x, xs := planeBytes(a, 0, a.Height())
	y, ys := planeBytes(b, 0, b.Height())
	width, size, peak := a.Width(), 1, 255.0 // size is bytes of a sample
	if a.PixelFormat() == astiav.PixelFormatYuv420P10Le {
		size, peak = 2, 1023
	}
	sum := int64(0)
	for row := range a.Height() {
		p, q := x[row*xs:row*xs+width*size], y[row*ys:row*ys+width*size]
		for i := 0; i < len(p); i += size {
			d := int64(p[i]) - int64(q[i])
			if size == 2 {
				d += int64(p[i+1])<<8 - int64(q[i+1])<<8
			}
			sum += d * d
		}
	}
	return 10 * math.Log10(peak*peak*float64(width*a.Height())/float64(sum))
}

// renderChecked renders, checks the result, and where the check fails renders again the safe way:
// everything encoded, nothing taken from the kept chunks. Errors: badExport where that fails its
// check too, after which nothing is left at outPath.
func (e *Engine) renderChecked(ctx context.Context, m *meter, plan media.RenderPlan, outPath string) (media.RenderResult, error) {
	made, err := e.render(ctx, m, plan, outPath, false)
	var bad badExport
	var why string
	switch {
	case errors.As(err, &bad):
		why = bad.reason
	case errors.Is(err, errBadChunk):
		why = errBadChunk.Error()
	default:
		return made, err
	}
	again, err := e.render(ctx, m, plan, outPath, true)
	again.RepeatedBecause = why
	return again, err
}
