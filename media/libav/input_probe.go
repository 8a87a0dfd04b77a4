package libav

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// origin is clip time 0 of a recording, in the time base of each of its tracks.
type origin struct {
	video, audio int64
	first        int64 // PTS of the first frame, in the time base of its track
}

// survey is what the first packets of a recording say.
type survey struct {
	origin             origin
	hasVideo, hasAudio bool        // a frame of the track could be decoded
	stamps             []int64     // sorted PTS of the first frames, in the time base of the video track
	orient             orientation // orientation that the first frame itself carries, as in photos
	turn               orientation // of the video track
	interlaced         bool        // the first frame is
}

// Limits of a survey: packets to read, frames from which to measure the rate, seconds to read one
// track in search of the other, and frames by which packets may be out of order.
const (
	surveyPackets = 20000
	surveyFrames  = 300
	surveySeconds = 10
	reordered     = 16
)

// probe inspects a recording and decodes only its first frames. DurationMS is what the container
// claims; Ingest returns the measured one. Errors: *MediaError for a fault of the file; the error
// of reading it; the cause of ctx.
func probe(ctx context.Context, path string) (media.Info, error) {
	s, err := openUntrusted(ctx, path)
	if err != nil {
		return media.Info{}, err
	}
	defer s.close()
	v, err := takeSurvey(s, surveyFrames)
	if err != nil {
		return media.Info{}, err
	}
	return s.info(v)
}

// locate returns clip time 0 of a recording.
func locate(ctx context.Context, path string) (survey, error) {
	s, err := openUntrusted(ctx, path)
	if err != nil {
		return survey{}, err
	}
	defer s.close()
	v, err := takeSurvey(s, 0)
	if s.video != nil && !s.isStill() {
		v.turn = trackOrientation(s.video)
	}
	return v, err
}

// scout is one track during a survey, until its first frame is decoded.
type scout struct {
	decoder *decoder
	first   int64       // PTS of the first frame, noPTS until it is known
	newest  int64       // time stamp of the newest packet
	orient  orientation // of the first frame

	interlaced bool // the first frame is
}

func (c *scout) seconds(pts int64) float64 { return float64(pts) * c.decoder.track.base.Float64() }

// decode looks for the first frame in the next packet, nil at the end.
func (c *scout) decode(p *astiav.Packet, f *astiav.Frame) {
	if c.first != noPTS {
		return
	}
	c.decoder.send(p)
	for {
		ok, err := c.decoder.receive(f)
		if !ok || err != nil {
			return
		}
		if pts := framePTS(f); pts != noPTS {
			c.first, c.orient, c.interlaced = pts, frameOrientation(f), isInterlaced(f)
			return
		}
	}
}

// takeSurvey reads from the start until it knows the first frame of both tracks and the given number of
// frame time stamps. The position of the source is undefined afterwards.
func takeSurvey(s *source, frames int) (survey, error) {
	scouts := map[*track]*scout{}
	for _, t := range []*track{s.video, s.audio} {
		if t != nil {
			d, err := newDecoder(s, t, 1)
			if err != nil {
				return survey{}, err
			}
			defer d.close()
			scouts[t] = &scout{decoder: d, first: noPTS, newest: noPTS}
		}
	}

	frame := astiav.AllocFrame()
	defer frame.Free()
	var v survey
	ended := false
	for range surveyPackets {
		t, err := s.next()
		if ended = errors.Is(err, io.EOF); ended {
			for _, c := range scouts {
				c.decode(nil, frame)
			}
			break
		}

		if err != nil {
			return survey{}, err
		}
		c := scouts[t]
		c.decode(s.packet, frame)
		if pts := packetTime(s.packet); pts != noPTS {
			c.newest = max(c.newest, pts)
			if t == s.video && len(v.stamps) < frames && !s.packet.Flags().Has(astiav.PacketFlagDiscard) {
				v.stamps = append(v.stamps, pts)
			}
		}

		if surveyed(scouts, s, len(v.stamps) >= frames) {
			break
		}
	}

	slices.Sort(v.stamps)
	if n := len(v.stamps); !ended && n > 2*reordered {
		v.stamps = v.stamps[:n-reordered] // frames between these are in packets that were not read
	}
	return v, v.setOrigin(s, scouts)
}

// surveyed reports that reading further would add nothing.
func surveyed(scouts map[*track]*scout, s *source, enough bool) bool {
	all, far := true, false
	for _, c := range scouts {
		if c.first == noPTS {
			all = false
		} else if c.seconds(c.newest)-c.seconds(c.first) > surveySeconds {
			far = true
		}
	}

	return far || (all && (enough || s.video == nil))
}

// setOrigin derives clip time 0 from the first frames.
func (v *survey) setOrigin(s *source, scouts map[*track]*scout) error {
	known := func(t *track) bool { return t != nil && scouts[t].first != noPTS }
	v.hasVideo, v.hasAudio = known(s.video), known(s.audio)
	switch {
	case v.hasVideo && v.hasAudio:
		videoScout, audioScout := scouts[s.video], scouts[s.audio]
		if videoScout.seconds(videoScout.first) <= audioScout.seconds(audioScout.first) {
			v.origin.video = videoScout.first
			v.origin.audio = astiav.RescaleQ(videoScout.first, s.video.base, s.audio.base)
		} else {
			v.origin.video = astiav.RescaleQ(audioScout.first, s.audio.base, s.video.base)
			v.origin.audio = audioScout.first
		}
	case v.hasVideo:
		v.origin.video = scouts[s.video].first
		if s.audio != nil {
			v.origin.audio = astiav.RescaleQ(v.origin.video, s.video.base, s.audio.base)
		}
	case v.hasAudio:
		v.origin.audio = scouts[s.audio].first
		if s.video != nil {
			v.origin.video = astiav.RescaleQ(v.origin.audio, s.audio.base, s.video.base)
		}
	default:
		return mediaErrorf(
			"nothing in this recording can be decoded: it is damaged or its beginning is missing; upload it again",
		)
	}

	v.origin.first = v.origin.video
	if v.hasVideo {
		c := scouts[s.video]
		v.origin.first, v.orient, v.interlaced = c.first, c.orient, c.interlaced
	}

	return nil
}

// info returns everything that is known about a source.
func (s *source) info(v survey) (media.Info, error) {
	info := media.Info{Format: s.name, ContentType: s.contentType(), Timecode: s.timecode()}
	if v.hasVideo {
		video := s.videoInfo(v)
		info.Video = &video
	}

	if v.hasAudio {
		info.Audio = &media.AudioInfo{
			Codec:      s.audio.name,
			SampleRate: s.audio.params.SampleRate(),
			Channels:   s.audio.params.ChannelLayout().Channels(),
			BitRate:    s.audio.params.BitRate(),
		}
		info.TimeReference = s.timeReference(s.audio.params.SampleRate())
		info.AudioTracks = s.audioTracks()
	}

	info.DurationMS = s.claimedMS(info, v)
	return info, nil
}

// audioTracks returns the audio tracks of a file that has several.
func (s *source) audioTracks() (list []media.AudioTrack) {
	for _, stream := range s.format.Streams() {
		params := stream.CodecParameters()
		if params.MediaType() != astiav.MediaTypeAudio || params.ChannelLayout().Channels() < 1 {
			continue
		}
		list = append(list, media.AudioTrack{
			Stream: stream.Index(), Channels: params.ChannelLayout().Channels(), SampleRate: params.SampleRate(),
			Played: stream.Index() == s.audio.index,
		})
	}

	if len(list) < 2 {
		return nil
	}
	return list
}

func (s *source) videoInfo(v survey) media.VideoInfo {
	p := s.video.params
	t := trackOrientation(s.video)
	if s.isStill() {
		t = v.orient
	}
	aspect := s.format.GuessSampleAspectRatio(s.video.stream, nil)
	video := media.VideoInfo{
		Codec:       s.video.name,
		RotationDeg: t.deg,
		Still:       s.isStill(),
		BitRate:     p.BitRate(),
		Interlaced:  v.interlaced,
		StartUS:     astiav.RescaleQ(v.origin.first-v.origin.video, s.video.base, astiav.NewRational(1, 1e6)),
	}
	space := usualSpace(p.ColorSpace(), p.Width(), p.Height())
	video.Converted = space != astiav.ColorSpaceBt709 || p.ColorRange() == astiav.ColorRangeJpeg
	video.Width, video.Height = displaySize(p.Width(), p.Height(), aspect.Num(), aspect.Den(), t)
	trc := int(p.ColorTransferCharacteristic())
	video.HDR = trc == transferPQ || trc == transferHLG
	average := s.video.stream.AvgFrameRate()
	if steady, num, den := steadyRate(v.stamps, s.video.base); steady {
		video.Rate = tidyRate(num, den)
	} else if len(v.stamps) > 3 {
		video.VariableRate = true
		video.Rate = variableRate(average.Float64(), s.video.stream.RFrameRate().Float64())
	} else {
		video.Rate = tidyRate(int64(average.Num()), int64(average.Den()))
	}

	return video
}

// steadyRate reports whether sorted time stamps are evenly spaced, and at which rate. A coarse time
// base (a millisecond in Matroska) makes each stamp imprecise, but not their average.
func steadyRate(pts []int64, base astiav.Rational) (steady bool, num, den int64) {
	if len(pts) < 4 {
		return false, 0, 0
	}
	n, span := int64(len(pts)-1), pts[len(pts)-1]-pts[0]
	if span <= 0 {
		return false, 0, 0
	}
	step := float64(span) / float64(n)
	for i := range pts {
		want := float64(pts[0]) + step*float64(i)
		if math.Abs(float64(pts[i])-want) > max(1.5, step/5) {
			return false, 0, 0
		}
	}

	return true, n * int64(base.Den()), span * int64(base.Num())
}

// tidyRate snaps a measured rate to a standard one, otherwise to a whole number within 0.1 %,
// otherwise to a thousandth. Coarse time stamps carry no more precision than that, and the exact
// fraction can be too large for encoders.
func tidyRate(num, den int64) media.Rate {
	rate := media.SnapRate(num, den)
	if slices.Contains(media.StandardRates, rate) || (rate.Den <= 1001 && rate.Num <= 1_000_000) {
		return rate
	}
	value := rate.Float()
	if whole := math.Round(value); whole >= 1 && math.Abs(value-whole)/whole < 0.001 {
		return media.Rate{Num: int64(whole), Den: 1}
	}
	return media.SnapRate(max(1, int64(math.Round(value*1000))), 1000)
}

// variableRate chooses the grid for frames that are not evenly spaced. It takes the standard rate
// closest to the average, or to the rate that the container claims if that is close to the average.
// It never chooses a rate that would lose much motion.
func variableRate(average, believed float64) media.Rate {
	if believed > 0 && believed <= media.MaxRate.Float()*1.001 && math.Abs(believed/average-1) < 0.25 {
		average = believed
	}
	nearest := slices.MinFunc(media.StandardRates, func(a, b media.Rate) int {
		return cmp.Compare(math.Abs(a.Float()/average-1), math.Abs(b.Float()/average-1))
	})
	switch {
	case math.Abs(nearest.Float()/average-1) < 0.03:
		return nearest
	case average > 30:
		return media.Rate{Num: 60, Den: 1}
	}

	return media.Rate{Num: 30, Den: 1}
}

// claimedMS returns the length that the container claims, rounded to the video's frame grid if
// there is video.
func (s *source) claimedMS(info media.Info, v survey) int64 {
	t := s.video
	if info.Video == nil {
		t = s.audio
	}
	seconds := s.headerSeconds()
	if d := t.stream.Duration(); d > 0 {
		seconds = float64(d) * t.base.Float64()
		if start := t.stream.StartTime(); start != noPTS {
			first := v.origin.audio
			if info.Video != nil {
				first = v.origin.video
			}
			seconds += max(0, float64(start-first)*t.base.Float64())
		}
	}

	ms := int64(math.Round(min(seconds, maxSeconds) * 1000))
	if info.Video == nil {
		return ms
	}
	return info.Video.Rate.MS(max(1, info.Video.Rate.Frame(ms)))
}

// contentType returns the media type of the recording.
func (s *source) contentType() string {
	kind := "video/"
	if s.video == nil {
		kind = "audio/"
	}
	switch s.name {
	case "mov":
		if s.tag("major_brand") == "qt  " && s.video != nil {
			return "video/quicktime"
		}
		return kind + "mp4"
	case "matroska":
		for _, t := range []*track{s.video, s.audio} {
			if t != nil && !slices.Contains([]string{"vp8", "vp9", "av1", "opus", "vorbis"}, t.name) {
				return kind + "x-matroska"
			}
		}

		return kind + "webm"
	case "avi":
		return "video/x-msvideo"
	case "mpegts":
		return "video/mp2t"
	case "mp3":
		return "audio/mpeg"
	case "wav", "flac", "aac":
		return "audio/" + s.name
	case "ogg":
		return kind + "ogg"
	case "gif":
		return "image/gif"
	case "png_pipe", "webp_pipe", "bmp_pipe":
		return "image/" + s.name[:len(s.name)-len("_pipe")]
	case "jpeg_pipe":
		return "image/jpeg"
	}

	return kind + "octet-stream"
}

// timecode returns the timecode of the first frame: that of the video, otherwise that of the file
// or of any other track.
func (s *source) timecode() string {
	lists := []*astiav.Dictionary{s.format.Metadata()}
	if s.video != nil {
		lists = append([]*astiav.Dictionary{s.video.stream.Metadata()}, lists...)
	}
	for _, stream := range s.format.Streams() {
		lists = append(lists, stream.Metadata())
	}
	for _, list := range lists {
		if list == nil {
			continue
		}
		if entry := list.Get("timecode", nil, 0); entry != nil {
			return entry.Value()
		}
	}

	return ""
}

// timeReference returns the first sample of a Broadcast Wave file since midnight, 0 if the file
// states none within a day.
func (s *source) timeReference(rate int) int64 {
	samples, err := strconv.ParseInt(s.tag("time_reference"), 10, 64)
	if err != nil || s.name != "wav" || samples < 0 || samples >= 24*3600*int64(rate) {
		return 0
	}
	return samples
}

// tag returns a metadata entry of the file, or "".
func (s *source) tag(name string) string {
	tags := s.format.Metadata()
	if tags == nil {
		return ""
	}
	if entry := tags.Get(name, nil, 0); entry != nil {
		return entry.Value()
	}
	return ""
}
