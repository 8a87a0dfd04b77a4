package av

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

// LimitWork starts the budget of a pass that reads the source once from start to end, and limits
// the CPU time of the call that reads it.
func (s *Source) LimitWork(m *Meter, c *CPUClock) {
	s.budget = &budget{first: -1}
	limit := media.ReadingCPU(s.Size)
	m.LimitCPU(c, limit, Errorf(
		"reading this recording took more than %d minutes of processor time; "+
			"it may be damaged, convert it to H.264 and upload it again",
		int(limit.Minutes()),
	))
}

// Spend charges a packet of a track to the budget of the pass. Errors: *MediaError if that exceeds
// it.
func (s *Source) Spend(t *Track, pts, bytes int64) error {
	b := s.budget
	if b == nil {
		return nil
	}
	if b.bytes += bytes; b.bytes > burstBytes+repeatFactor*s.Size {
		return Errorf(
			"this file uses the same data again and again: its tracks have over %d MB, but the file has %d MB; "+
				"convert it to H.264 and upload it again",
			b.bytes>>20, s.Size>>20,
		)
	}

	if t == s.Video {
		return s.spendFrame(t, pts)
	}
	return nil
}

// spendFrame charges the pixels of a frame. The time stamps of an animation do not count, because
// they need no bytes.
func (s *Source) spendFrame(t *Track, pts int64) error {
	b := s.budget
	pixels := int64(t.Params.Width()) * int64(t.Params.Height())
	b.pixels += pixels
	if pts != NoPTS && s.Name != "gif" {
		seconds := min(max(0, float64(pts)*t.Base.Float64()), MaxSeconds)
		if b.first < 0 {
			b.first = seconds
		}
		b.last = max(b.last, seconds)
	}

	if allowed := maxBurstPixels + int64((b.last-max(0, b.first))*fastestRate*float64(pixels)); b.pixels <= allowed {
		return nil
	}
	if s.Name == "gif" {
		return Errorf(
			"this animation has too many frames for its size of %d x %d; scale it down and upload it again",
			t.Params.Width(), t.Params.Height(),
		)
	}

	return Errorf(
		"this video has more than %d frames a second; convert it to at most 240 and upload it again", fastestRate,
	)
}
