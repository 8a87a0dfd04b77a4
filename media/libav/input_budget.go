package libav

import (
	"time"

	"roughcut/media"
)

// Limits of the work that one pass over a recording takes, however few bytes it has.
const (
	// Frames times their pixels, in addition to fastestRate: 24,000 frames of 1080p. Each frame is
	// decoded and scaled at full size.
	maxBurstPixels = 50_000_000_000
	fastestRate    = 300 // frames a second
	// A file can name the same bytes as the data of many frames. The data of all frames is at most
	// burstBytes and repeatFactor times the file.
	burstBytes   = 64 << 20
	repeatFactor = 4
	// packets between two looks at the clock
	clockPackets = 64
)

// budget is the work that a pass over a recording has taken.
type budget struct {
	started     time.Duration // of the processor time of the process
	pixels      int64
	bytes       int64
	first, last float64 // seconds of the video; first is negative before the first frame
}

// limitWork starts the budget of a pass that reads the source once from start to end.
func (s *source) limitWork() { s.budget = &budget{started: processTime(), first: -1} }

// spend charges the packet of a track to the budget of the pass. Errors: *MediaError if that
// exceeds it.
func (s *source) spend(t *track) error {
	b := s.budget
	if b == nil {
		return nil
	}
	if b.bytes += int64(s.packet.Size()); b.bytes > burstBytes+repeatFactor*s.size {
		return mediaErrorf(
			"this file uses the same data again and again: its tracks have over %d MB, but the file has %d MB; "+
				"convert it to H.264 and upload it again",
			b.bytes>>20, s.size>>20,
		)
	}
	if t == s.video {
		if err := s.spendFrame(t); err != nil {
			return err
		}
	}
	if s.packets%clockPackets != 0 {
		return nil
	}
	if limit := media.ReadingCPU(s.size); processTime()-b.started > limit {
		return mediaErrorf(
			"reading this recording took more than %d minutes of processor time; "+
				"it may be damaged, convert it to H.264 and upload it again",
			int(limit.Minutes()),
		)
	}
	return nil
}

// spendFrame charges the pixels of a frame. The time stamps of an animation do not count, because
// they need no bytes.
func (s *source) spendFrame(t *track) error {
	b := s.budget
	pixels := int64(t.params.Width()) * int64(t.params.Height())
	b.pixels += pixels
	if pts := packetTime(s.packet); pts != noPTS && s.name != "gif" {
		seconds := min(max(0, float64(pts)*t.base.Float64()), maxSeconds)
		if b.first < 0 {
			b.first = seconds
		}
		b.last = max(b.last, seconds)
	}
	if allowed := maxBurstPixels + int64((b.last-max(0, b.first))*fastestRate*float64(pixels)); b.pixels <= allowed {
		return nil
	}
	if s.name == "gif" {
		return mediaErrorf(
			"this animation has too many frames for its size of %d x %d; scale it down and upload it again",
			t.params.Width(), t.params.Height(),
		)
	}
	return mediaErrorf(
		"this video has more than %d frames a second; convert it to at most 240 and upload it again", fastestRate,
	)
}
