package av

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// Origin is clip time 0 of a recording, in the time base of each of its tracks.
type Origin struct {
	Video, Audio int64
	first        int64 // PTS of the first frame, in the time base of its track
}

// Survey is what the first packets of a recording say.
type Survey struct {
	Origin             Origin
	bases              [2]astiav.Rational // of the video and of the audio track that is heard
	HasVideo, HasAudio bool               // a frame of the track could be decoded
	Heard              []int              // numbers of the audio tracks that are heard, as in Open; nil without any
	damaged            []int              // numbers of the audio tracks that do not decode
	stamps             []int64            // sorted PTS of the first frames, in the time base of the video track
	orient             Orientation        // orientation that the first frame itself carries, as in photos
	Turn               Orientation        // of the video track
	interlaced         bool               // the first frame is
	timecode           string             // that the first frame itself carries, as in MPEG-2
	Tags               Tags               // of Locate
	IsFloat            bool               // the audio is PCM in floating point, which can exceed full scale; of Locate
}

// Limits of a survey: packets to read, frames for measuring the rate, seconds to read of one track
// in search of the other, how many frames packets may be out of order, and the highest frame rate.
const (
	surveyPackets = 20000
	SurveyFrames  = 300
	surveySeconds = 10
	Reordered     = 16
	mostRate      = 1000
)

// Probe inspects a recording and decodes only its first frames. DurationMS is what the container
// claims; Ingest returns the measured one. Errors: *MediaError for a fault of the file; the error
// of reading it; the cause of ctx.
func Probe(ctx context.Context, path string) (media.Info, error) {
	s, err := Open(ctx, path)
	if err != nil {
		return media.Info{}, err
	}
	defer s.Close()
	v, err := TakeSurvey(s, SurveyFrames)
	if err != nil {
		return media.Info{}, err
	}
	return s.Info(v)
}

// Locate returns clip time 0 of a recording. heard is as in Open.
func Locate(ctx context.Context, path string, heard ...int) (Survey, error) {
	s, err := Open(ctx, path, heard...)
	if err != nil {
		return Survey{}, err
	}
	defer s.Close()
	v, err := TakeSurvey(s, 0)
	if s.Video != nil && !s.IsStill() {
		v.Turn = TrackOrientation(s.Video)
	}
	if len(heard) > 0 {
		v.Heard = heard
	}
	v.Tags = s.Tags()
	v.IsFloat = s.Audio != nil && strings.HasPrefix(s.Audio.Name, "pcm_f")
	return v, err
}

// scout is one track during a survey, until its first frame is decoded.
type scout struct {
	decoder *Decoder
	first   int64 // PTS of the first frame, NoPTS until it is known
	newest  int64 // time stamp of the newest packet
	packets int
	orient  Orientation // of the first frame

	interlaced bool   // the first frame is
	timecode   string // of groupTimecode
}

func (c *scout) seconds(pts int64) float64 { return float64(pts) * c.decoder.track.Base.Float64() }

// decode looks for the first frame in the next packet, nil at the end.
func (c *scout) decode(p *astiav.Packet, f *astiav.Frame) {
	if c.first != NoPTS {
		return
	}
	c.decoder.Send(p)
	for {
		ok, err := c.decoder.Receive(f)
		if !ok || err != nil {
			return
		}
		if pts := framePTS(f); pts != NoPTS {
			c.first, c.orient, c.interlaced = pts, frameOrientation(f), IsInterlaced(f)
			c.timecode = groupTimecode(f)
			return
		}
	}
}

// TakeSurvey reads from the start until it knows the first frame of the video and of all audio
// tracks, and the given number of frame time stamps. Unless the caller of Open has chosen the audio
// track, the source then reads the first one that can be decoded. The position of the source is
// undefined afterwards. With a number, the origin is aligned to the frame rate: see Align.
func TakeSurvey(s *Source, frames int) (Survey, error) {
	var v Survey
	scouts := map[*Track]*scout{}
	s.further = s.audioTracks
	for _, t := range append([]*Track{s.Video}, s.audioTracks...) {
		if t == nil {
			continue
		}
		d, err := NewDecoder(s, t, 1)
		if err != nil && t != s.Video && len(s.audioTracks) > 1 {
			v.damaged = append(v.damaged, t.number)
			continue
		}

		if err != nil {
			return Survey{}, err
		}
		defer d.Close()
		t.Stream.SetDiscard(astiav.DiscardDefault)
		scouts[t] = &scout{decoder: d, first: NoPTS, newest: NoPTS}
	}

	frame := astiav.AllocFrame()
	defer frame.Free()
	ended := false
	for range surveyPackets {
		t, err := s.Next()
		if ended = errors.Is(err, io.EOF); ended {
			for _, c := range scouts {
				c.decode(nil, frame)
			}
			break
		}

		if err != nil {
			return Survey{}, err
		}
		c := scouts[t]
		if c == nil {
			continue
		}
		c.packets++
		c.decode(s.Packet, frame)
		if pts := PacketTime(s.Packet); pts != NoPTS {
			c.newest = max(c.newest, pts)
			if t == s.Video && len(v.stamps) < frames && !s.Packet.Flags().Has(astiav.PacketFlagDiscard) {
				v.stamps = append(v.stamps, pts)
			}
		}

		if isSurveyed(scouts, s, len(v.stamps) >= frames) {
			break
		}
	}

	slices.Sort(v.stamps)
	if n := len(v.stamps); !ended && n > 2*Reordered {
		v.stamps = v.stamps[:n-Reordered] // frames between these are in packets that were not read
	}
	if err := v.setOrigin(s, scouts); err != nil || frames == 0 || !v.HasVideo || s.IsStill() {
		return v, err
	}
	v.Align(s.videoInfo(v).Rate)
	return v, nil
}

// hearDecodable makes the source read the first audio track that can be decoded, unless the caller
// of Open has chosen one. It returns the first one that can be decoded, the default one if none
// can. Clip time 0 depends on that track, so it stays when other tracks are heard.
func (v *Survey) hearDecodable(s *Source, scouts map[*Track]*scout) (reference *Track, err error) {
	s.further = nil
	for _, t := range s.audioTracks {
		t.Stream.SetDiscard(astiav.DiscardAll)
		c := scouts[t]
		decodes := c != nil && c.first != NoPTS
		if c != nil && !decodes && c.packets > 0 {
			v.damaged = append(v.damaged, t.number)
		}
		if decodes && reference == nil {
			reference = t
		}
	}

	if len(s.audioTracks) == 0 {
		return nil, nil
	}
	reference = cmp.Or(reference, s.audioTracks[0])
	heard := reference
	if s.chosen {
		heard = s.Audio
	}
	v.Heard = []int{heard.number}
	return reference, s.hear(heard.number)
}

// Hear makes the source read another audio track, by its number. Errors: ErrChanged.
func (v *Survey) Hear(s *Source, number int) error {
	origin, err := v.OriginOf(s, number)
	if err != nil {
		return err
	}
	v.Origin.Audio, v.Heard = origin, []int{number}
	if err := s.hear(number); err != nil {
		return err
	}
	v.bases[1] = s.Audio.Base
	return nil
}

// OriginOf returns clip time 0 in the time base of an audio track, by its number. Errors:
// ErrChanged.
func (v *Survey) OriginOf(s *Source, number int) (int64, error) {
	for _, t := range s.audioTracks {
		if t.number == number {
			return astiav.RescaleQ(v.Origin.Audio, s.Audio.Base, t.Base), nil
		}
	}

	return 0, ErrChanged()
}

// isSurveyed reports that reading further would add nothing.
func isSurveyed(scouts map[*Track]*scout, s *Source, enough bool) bool {
	all, far := true, false
	for _, c := range scouts {
		if c.first == NoPTS {
			all = false
		} else if c.seconds(c.newest)-c.seconds(c.first) > surveySeconds {
			far = true
		}
	}

	return far || (all && (enough || s.Video == nil))
}

// Align moves clip time 0, by half a frame at most, so that the first frame is exactly on the grid
// of a rate. Otherwise the video would be early or late against the audio where the audio starts
// first.
func (v *Survey) Align(rate media.Rate) {
	if !v.HasVideo || rate.Num <= 0 {
		return
	}
	frame := astiav.NewRational(int(rate.Den), int(rate.Num))
	v.StartAt(rate, astiav.RescaleQ(v.Origin.first-v.Origin.Video, v.bases[0], frame))
}

// StartAt moves clip time 0 so that the first frame is at a frame of the grid of a rate.
func (v *Survey) StartAt(rate media.Rate, frame int64) {
	grid, fine := astiav.NewRational(int(rate.Den), int(rate.Num)), astiav.NewRational(1, 1e9)
	zero := astiav.RescaleQ(v.Origin.first, v.bases[0], fine) - astiav.RescaleQ(frame, grid, fine)
	v.Origin.Video = astiav.RescaleQ(zero, fine, v.bases[0])
	if v.HasAudio {
		v.Origin.Audio = astiav.RescaleQ(zero, fine, v.bases[1])
	}
}

// setOrigin derives clip time 0 from the first frames.
func (v *Survey) setOrigin(s *Source, scouts map[*Track]*scout) error {
	audio, err := v.hearDecodable(s, scouts)
	if err != nil {
		return err
	}
	known := func(t *Track) bool { return t != nil && scouts[t] != nil && scouts[t].first != NoPTS }
	v.HasVideo, v.HasAudio = known(s.Video), known(audio)
	switch {
	case v.HasVideo && v.HasAudio:
		videoScout, audioScout := scouts[s.Video], scouts[audio]
		if videoScout.seconds(videoScout.first) <= audioScout.seconds(audioScout.first) {
			v.Origin.Video = videoScout.first
			v.Origin.Audio = astiav.RescaleQ(videoScout.first, s.Video.Base, audio.Base)
		} else {
			v.Origin.Video = astiav.RescaleQ(audioScout.first, audio.Base, s.Video.Base)
			v.Origin.Audio = audioScout.first
		}
	case v.HasVideo:
		v.Origin.Video = scouts[s.Video].first
		if audio != nil {
			v.Origin.Audio = astiav.RescaleQ(v.Origin.Video, s.Video.Base, audio.Base)
		}
	case v.HasAudio:
		v.Origin.Audio = scouts[audio].first
		if s.Video != nil {
			v.Origin.Video = astiav.RescaleQ(v.Origin.Audio, audio.Base, s.Video.Base)
		}
	default:
		return Errorf(
			"nothing in this recording can be decoded: it is damaged or its beginning is missing; upload it again",
		)
	}

	if audio != nil {
		v.Origin.Audio = astiav.RescaleQ(v.Origin.Audio, audio.Base, s.Audio.Base)
		v.bases[1] = s.Audio.Base
	}

	v.Origin.first = v.Origin.Video
	if v.HasVideo {
		c := scouts[s.Video]
		v.bases[0] = s.Video.Base
		v.Origin.first, v.orient, v.interlaced = c.first, c.orient, c.interlaced
		v.timecode = c.timecode
	}

	return nil
}

// Info returns everything that is known about a source.
func (s *Source) Info(v Survey) (media.Info, error) {
	info := media.Info{Format: s.Name, ContentType: s.contentType(), Timecode: cmp.Or(s.timecode(), v.timecode)}
	if v.HasVideo {
		info.Video = new(s.videoInfo(v))
	}

	if v.HasAudio {
		info.Audio = &media.AudioInfo{
			Codec:      s.Audio.Name,
			SampleRate: s.Audio.Params.SampleRate(),
			Channels:   s.Audio.Params.ChannelLayout().Channels(),
			BitRate:    s.Audio.Params.BitRate(),
		}
		info.TimeReference = s.timeReference(s.Audio.Params.SampleRate())
	}

	info.AudioTracks = s.listAudioTracks(v)
	info.DurationMS = s.claimedMS(info, v)
	info.Chapters = s.chapters(v, MaxSeconds*1000)
	return info, nil
}

// listAudioTracks returns all audio tracks of a file.
func (s *Source) listAudioTracks(v Survey) (list []media.AudioTrack) {
	for _, stream := range s.Format.Streams() {
		params := stream.CodecParameters()
		if params.MediaType() != astiav.MediaTypeAudio {
			continue
		}
		index, tags := stream.Index(), stream.Metadata()
		decodes := slices.ContainsFunc(s.audioTracks, func(t *Track) bool { return t.index == index }) &&
			!slices.Contains(v.damaged, len(list))
		list = append(list, media.AudioTrack{
			Stream: index, Channels: params.ChannelLayout().Channels(), SampleRate: params.SampleRate(),
			BitRate: params.BitRate(), Codec: params.CodecID().Name(),
			Language: trackLanguage(tags), Title: trackTitle(tags),
			Played: v.HasAudio && index == s.Audio.index, Undecodable: !decodes,
		})
	}

	return list
}

// trackLanguage returns the language that the tags of a track state; it may be empty.
func trackLanguage(tags *astiav.Dictionary) string {
	language := tagOf(tags, "language")
	if language == "und" { // undetermined, after ISO 639-2
		return ""
	}
	return language
}

// trackTitle returns the title that the tags of a track state; it may be empty. MP4 has it as the
// name of the handler, where muxers without a title write the kind of the track.
func trackTitle(tags *astiav.Dictionary) string {
	title := cmp.Or(tagOf(tags, "title"), tagOf(tags, "handler_name"))
	if handler := strings.ToLower(title); strings.Contains(handler, "handler") || handler == "sound media" {
		return ""
	}
	return title
}

func (s *Source) videoInfo(v Survey) media.VideoInfo {
	p := s.Video.Params
	t := TrackOrientation(s.Video)
	if s.IsStill() {
		t = v.orient
	}
	aspect := s.Format.GuessSampleAspectRatio(s.Video.Stream, nil)
	video := media.VideoInfo{
		Codec:       s.Video.Name,
		RotationDeg: t.Deg,
		Still:       s.IsStill(),
		BitRate:     p.BitRate(),
		Interlaced:  v.interlaced,
		StartUS:     astiav.RescaleQ(v.Origin.first-v.Origin.Video, s.Video.Base, astiav.NewRational(1, 1e6)),
	}
	space := usualSpace(p.ColorSpace(), p.Width(), p.Height())
	video.Converted = space != astiav.ColorSpaceBt709 || p.ColorRange() == astiav.ColorRangeJpeg
	video.Width, video.Height = displaySize(p.Width(), p.Height(), aspect.Num(), aspect.Den(), t)
	trc := int(p.ColorTransferCharacteristic())
	video.HDR = trc == TransferPQ || trc == transferHLG
	average := s.Video.Stream.AvgFrameRate()
	if steady, num, den := steadyRate(v.stamps, s.Video.Base); steady {
		video.Rate = tidyRate(num, den)
	} else if len(v.stamps) > 3 {
		video.VariableRate = true
		video.Rate = variableRate(average.Float64(), s.Video.Stream.RFrameRate().Float64())
	} else {
		video.Rate = tidyRate(int64(average.Num()), int64(average.Den()))
	}

	if !video.Still && video.Rate.Num > 0 {
		video.Aligned = true
		frame := astiav.NewRational(int(video.Rate.Den), int(video.Rate.Num))
		start := astiav.RescaleQ(v.Origin.first-v.Origin.Video, s.Video.Base, frame)
		video.StartUS = astiav.RescaleQ(start, frame, astiav.NewRational(1, 1e6))
	}

	return video
}

// steadyRate reports whether sorted time stamps are evenly spaced, and returns their rate. A coarse
// time base (a millisecond in Matroska) makes each stamp imprecise, but not their average.
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
// fraction can be too large for encoders. A rate beyond media.MaxRate becomes a whole number, at
// most mostRate.
func tidyRate(num, den int64) media.Rate {
	if measured := (media.Rate{Num: num, Den: den}); den > 0 && measured.Exceeds(media.MaxRate) {
		return media.Rate{Num: int64(math.Round(min(measured.Float(), mostRate))), Den: 1}
	}
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
	case average > media.MaxRate.Float():
		return tidyRate(int64(math.Round(min(average, mostRate))), 1)
	case average > 120:
		return media.MaxRate
	case average > 60:
		return media.Rate{Num: 120, Den: 1}
	case average > 30:
		return media.Rate{Num: 60, Den: 1}
	}

	return media.Rate{Num: 30, Den: 1}
}

// claimedMS returns the length that the container claims, rounded to the video's frame grid if
// there is video.
func (s *Source) claimedMS(info media.Info, v Survey) int64 {
	t := s.Video
	if info.Video == nil {
		t = s.Audio
	}
	seconds := s.HeaderSeconds()
	if d := t.Stream.Duration(); d > 0 && s.clock == nil {
		seconds = float64(d) * t.Base.Float64()
		if start := t.Stream.StartTime(); start != NoPTS {
			first := v.Origin.Audio
			if info.Video != nil {
				first = v.Origin.Video
			}
			seconds += max(0, float64(start-first)*t.Base.Float64())
		}
	}

	ms := int64(math.Round(min(seconds, MaxSeconds) * 1000))
	if info.Video == nil {
		return ms
	}
	return info.Video.Rate.MS(max(1, info.Video.Rate.Frame(ms)))
}

// contentType returns the media type of the recording.
func (s *Source) contentType() string {
	c, ok := media.ContainerNamed(s.Name)
	if !ok {
		return "application/octet-stream"
	}
	kind := "video"
	if s.Video == nil {
		kind = "audio"
	}
	usual := c.ContentType(kind)
	switch {
	case s.Name == "mov" && s.Video != nil && s.tag("major_brand") == "qt  ":
		return media.TypeQuickTime
	case s.Name == "matroska" && s.hasOnly("vp8", "vp9", "av1", "opus", "vorbis"):
		return kind + strings.TrimPrefix(media.TypeWebM, "video")
	case s.Name == "asf" && s.Video != nil && strings.HasPrefix(s.Video.Name, "wmv"):
		return media.TypeWMV
	}

	return usual
}

// hasOnly reports whether all tracks that are read have one of the codecs.
func (s *Source) hasOnly(codecs ...string) bool {
	return !slices.ContainsFunc([]*Track{s.Video, s.Audio}, func(t *Track) bool {
		return t != nil && !slices.Contains(codecs, t.Name)
	})
}

// timecode returns the timecode of the first frame as the container states it. The video track has
// precedence over the file, and the file over all other tracks.
func (s *Source) timecode() string {
	lists := []*astiav.Dictionary{s.Format.Metadata()}
	if s.Video != nil {
		lists = append([]*astiav.Dictionary{s.Video.Stream.Metadata()}, lists...)
	}
	for _, stream := range s.Format.Streams() {
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
func (s *Source) timeReference(rate int) int64 {
	samples, err := strconv.ParseInt(s.tag("time_reference"), 10, 64)
	if err != nil || s.Name != "wav" || samples < 0 || samples >= 24*3600*int64(rate) {
		return 0
	}
	return samples
}

// tag returns a metadata entry of the file, or "".
func (s *Source) tag(name string) string { return tagOf(s.Format.Metadata(), name) }
