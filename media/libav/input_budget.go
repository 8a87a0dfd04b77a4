package libav

import "roughcut/media"

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
)

// budget is the work that a pass over a recording has taken.
type budget struct {
	pixels      int64
	bytes       int64
	first, last float64 // seconds of the video; first is negative before the first frame
}

// limitWork starts the budget of a pass that reads the source once from start to end, and limits
// the CPU time of the call that reads it.
func (s *source) limitWork(m *meter, c *cpuClock) {
	s.budget = &budget{first: -1}
	limit := media.ReadingCPU(s.size)
	m.limitCPU(c, limit, mediaErrorf(
		"reading this recording took more than %d minutes of processor time; "+
			"it may be damaged, convert it to H.264 and upload it again",
		int(limit.Minutes()),
	))
}

// spend charges a packet of a track to the budget of the pass. Errors: *MediaError if that exceeds
// it.
func (s *source) spend(t *track, pts, bytes int64) error {
	b := s.budget
	if b == nil {
		return nil
	}
	if b.bytes += bytes; b.bytes > burstBytes+repeatFactor*s.size {
		return mediaErrorf(
			"this file uses the same data again and again: its tracks have over %d MB, but the file has %d MB; "+
				"convert it to H.264 and upload it again",
			b.bytes>>20, s.size>>20,
		)
	}

	if t == s.video {
		return s.spendFrame(t, pts)
	}
	return nil
}

// spendFrame charges the pixels of a frame. The time stamps of an animation do not count, because
// they need no bytes.
func (s *source) spendFrame(t *track, pts int64) error {
	b := s.budget
	pixels := int64(t.params.Width()) * int64(t.params.Height())
	b.pixels += pixels
	if pts != noPTS && s.name != "gif" {
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
