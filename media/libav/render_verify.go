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
	"golang.org/x/sync/errgroup"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// badExport is an export that does not match its plan. The text says how.
type badExport struct{ reason string }

func (b badExport) Error() string { return "the finished video failed its check: " + b.reason }

// Limits of the check. It compares up to verifiedChunks of the copied and cached chunks and the
// neighbors of copies, spread over the export. It decodes at most one frame per verifiedShare
// frames of the export, or verifiedPixels, which take half a second.
const (
	verifiedChunks = 8
	verifiedShare  = 30
	verifiedPixels = 250_000_000
)

// verify reads a finished export again. Every frame of the plan must have one packet, DTS must
// increase, and in a sample of chunks the first and last frames must match the recordings. Errors:
// badExport.
func (r *render) verify(path string) error {
	if err := r.verifyPackets(path); err != nil {
		return err
	}
	if h := r.hardware(); h != nil {
		return r.witnesses.Check(r.ctx, h, path, r.plan.Rate)
	}

	borders := r.sampleChunks()
	if len(borders) == 0 {
		return nil
	}

	made, err := av.OpenVideo(r.ctx, path, av.Origin{}, r.plan.Rate, 1)
	if err != nil {
		return err
	}
	if !r.hevc {
		made.SkipDisposable(4, func(frame int64) bool { return frame < r.plan.Frames() }, true)
	}
	defer made.Close()

	var source *av.VideoReader
	input := -1
	defer func() {
		if source != nil {
			source.Close()
		}
	}()

	for _, p := range borders {
		if p.Input != input {
			if source != nil {
				source.Close()
				source = nil
			}

			if source, err = r.openInput(p.Input, 1); err != nil {
				return err
			}
			input = p.Input
		}

		for _, frame := range r.checkedFrames(p) {
			if err := compareFrames(made, source, p, frame); err != nil {
				return err
			}
		}

		r.meter.Alive()
	}

	if made.Refused() > 0 {
		return badExport{fmt.Sprintf("%d packets cannot be decoded", made.Refused())}
	}
	r.result.VerifiedParts = len(borders)
	return nil
}

// sampleChunks selects the chunks to compare from copied and cached chunks and the neighbors of
// copies. It divides the export into sections and takes from each the chunk that needs the least
// decoding. It alternates between copied and other chunks where a section has both. It drops the
// most expensive chunks beyond the limit.
func (r *render) sampleChunks() []chunk {
	var all []chunk
	for i, p := range r.chunks {
		borders := (i > 0 && r.chunks[i-1].Copy) || (i+1 < len(r.chunks) && r.chunks[i+1].Copy)
		if p.Composited {
			continue
		}
		if p.Copy || ((p.cached || borders) && r.inputs[p.Input].packets != nil) {
			all = append(all, p)
		}
	}

	byCost := func(a, b chunk) int { return cmp.Compare(r.decodeCost(a), r.decodeCost(b)) }
	var some []chunk
	for i, n := 0, min(verifiedChunks, len(all)); i < n; i++ {
		group, turn := all[i*len(all)/n:(i+1)*len(all)/n], func(p chunk) bool { return p.Copy == (i%2 == 0) }
		if slices.ContainsFunc(group, turn) {
			group = slices.DeleteFunc(slices.Clone(group), func(p chunk) bool { return !turn(p) })
		}
		some = append(some, slices.MinFunc(group, byCost))
	}

	slices.SortStableFunc(some, byCost)
	left := max(verifiedPixels/int64(r.plan.Width*r.plan.Height), r.plan.Frames()/verifiedShare)
	for i, p := range some {
		if left -= r.decodeCost(p); left < 0 && i > 0 {
			some = some[:i]
			break
		}
	}

	slices.SortFunc(some, func(a, b chunk) int { return cmp.Compare(a.Start, b.Start) })
	return some
}

// checkedFrames returns the frames of a chunk to compare: the first and the last. The last frame of
// a copy shows whether the copy lacks packets that follow in the file. If the copy ends with the
// recording, no packets follow and only the first frame is compared.
func (r *render) checkedFrames(p chunk) []int64 {
	if p.Copy && p.Last == len(r.inputs[p.Input].Frames) {
		return []int64{p.In}
	}
	return []int64{p.In, p.Out - 1}
}

// decodeCost estimates how many frames must be decoded to compare the first and the last frame of a
// chunk, in the recording and in the export.
func (r *render) decodeCost(p chunk) int64 {
	in := r.inputs[p.Input]
	since := func(frame int64) int64 { // frames since the keyframe at or before a frame
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
	if len(r.checkedFrames(p)) == 1 {
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
	packets, err := av.OpenPackets(r.ctx, path, astiav.MediaTypeVideo)
	if err != nil && r.ctx.Err() == nil {
		return badExport{err.Error()}
	} else if err != nil {
		return err
	}

	defer packets.Close()
	grid := av.NewGrid(packets.Track, av.Origin{}, r.plan.Rate)
	seen := make([]bool, r.plan.Frames())
	storesDTS := packets.Source.Name != "matroska"
	last, count := int64(math.MinInt64), int64(0)
	err = packets.ReadSparing(func(p *astiav.Packet) error {
		frame := grid.Index(p.Pts())
		switch {
		case p.Pts() == av.NoPTS || frame < 0 || frame >= r.plan.Frames() || seen[frame]:
			return badExport{fmt.Sprintf("packet %d has the time of frame %d", count, frame)}
		case storesDTS && p.Dts() != av.NoPTS && p.Dts() <= last:
			return badExport{fmt.Sprintf("the DTS of packet %d does not increase", count)}
		}

		seen[frame], last = true, max(last, p.Dts())
		if count++; count%1000 == 0 {
			r.meter.Alive()
		}
		return nil
	})
	if err == nil && count != r.plan.Frames() {
		err = badExport{fmt.Sprintf("it has %d frames of %d", count, r.plan.Frames())}
	}
	return err
}

// compareFrames compares a frame of a chunk in the export with the recording. It decodes both at
// the same time.
func compareFrames(made, source *av.VideoReader, p chunk, frame int64) error {
	var want, got *astiav.Frame
	var gotErr error
	var group errgroup.Group
	group.Go(av.Safely(func() (err error) {
		want, _, err = source.At(frame)
		return err
	}))
	group.Go(av.Safely(func() error {
		got, _, gotErr = made.At(p.Start + frame - p.In)
		return nil
	}))
	if err := group.Wait(); err != nil {
		return err
	}
	if errors.Is(gotErr, io.EOF) {
		return badExport{fmt.Sprintf("frame %d cannot be decoded", p.Start+frame-p.In)}
	}
	if gotErr != nil {
		return gotErr
	}
	if got.Width() != want.Width() || got.Height() != want.Height() || got.PixelFormat() != want.PixelFormat() {
		return badExport{
			fmt.Sprintf(
				"frame %d is %d x %d pixels of %s",
				p.Start+frame-p.In,
				got.Width(), got.Height(), got.PixelFormat(),
			),
		}
	}

	db := av.LumaPSNR(want, got)
	isInexactCopy := p.Copy && !math.IsInf(db, 1)
	if isInexactCopy || db < av.VerifiedPSNR {
		return badExport{fmt.Sprintf("frame %d differs from the recording (%.1f dB)", p.Start+frame-p.In, db)}
	}
	return nil
}

// renderChecked renders and checks the result. If the hardware encoder fails or writes other frames
// than it got, it renders again with the software encoder. If the check of an export with copied
// or cached frames fails, it renders again in safe mode: everything re-encoded, nothing from the
// cache. Errors: badExport if that fails its check too; nothing is left at outPath then.
func (e *Engine) renderChecked(
	ctx context.Context,
	m *av.Meter,
	plan media.RenderPlan,
	outPath string,
) (media.RenderResult, error) {
	try, repeated, software := attempt{}, "", ""
	for {
		result, err := e.render(ctx, m, plan, outPath, try)
		var fault av.HardwareFault
		var bad badExport
		switch {
		case ctx.Err() != nil:
			return result, err
		case !try.software && errors.As(err, &fault):
			software, try.software = fault.Error(), true
		case !try.safe && errors.As(err, &bad):
			repeated, try.safe = bad.reason, true
		case !try.safe && errors.Is(err, errBadChunk):
			repeated, try.safe = errBadChunk.Error(), true
		default:
			result.RepeatedBecause = repeated
			result.SoftwareBecause = cmp.Or(software, result.SoftwareBecause)
			return result, err
		}
	}
}
