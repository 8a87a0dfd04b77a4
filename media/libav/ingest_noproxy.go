package libav

import (
	"math"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// Limits of a recording that needs no proxy, because browsers play it smoothly from any position.
const (
	noProxyLongSide    = 1920 // pixels
	noProxyShortSide   = 1088
	noProxyBitRate     = 30_000_000
	noProxyKeyframeGap = 2.5  // seconds between two keyframes
	noProxyOffsetMS    = 1    // between time 0 of the file and clip time 0
	noProxyLossMS      = 1000 // between the claimed and the measured length
)

// playsWithoutProxy reports whether browsers probably play a recording smoothly, judged by its
// headers and its first packets.
func playsWithoutProxy(s *av.Source, info media.Info, v av.Survey) bool {
	video := info.Video
	container := info.ContentType == "video/mp4" || info.ContentType == "video/quicktime"
	if video == nil || !container || (s.Audio != nil) != v.HasAudio || !isPlayable(s, info) ||
		(s.Audio != nil && s.Audio.Name != "aac") {
		return false
	}

	seconds := s.HeaderSeconds()
	aspect := s.Format.GuessSampleAspectRatio(s.Video.Stream, nil)
	return max(video.Width, video.Height) <= noProxyLongSide && min(video.Width, video.Height) <= noProxyShortSide &&
		aspect.Num() == aspect.Den() && !video.HDR && !video.Interlaced &&
		float64(s.Size)*8 <= noProxyBitRate*seconds &&
		math.Abs(float64(v.Origin.Video)*s.Video.Base.Float64()) < noProxyOffsetMS/1000.0
}
