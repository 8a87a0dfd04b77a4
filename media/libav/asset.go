package libav

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// looked is what is known of an asset before anything is made of it.
type looked struct {
	asset    media.Asset
	survey   survey
	measured measured
	playable bool // browsers play it as it is
	doubtful bool // what its packets tell of its length cannot be believed
}

// measured is what the packets of a file tell, all of them read and none decoded.
type measured struct {
	videoEnd, audioEnd int64      // when the last packet ends, in the unit of its track; noPTS without one
	keys               []keyframe // in the order of the file
	stamped            bool       // every packet has its time
}

// keyframe is a picture that can be decoded without others.
type keyframe struct {
	pts   int64
	clean bool // and so can all that follow it in the file
}

// doubtfulMS is how much longer than its container claims a recording may be by its packets, before
// they are decoded to find out.
const doubtfulMS = 10_000

// Asset looks at a file of the library: it measures how long it really is, leaves a poster, and
// where browsers cannot play the file as it is a proxy like that of Ingest; where it is sound alone
// its outline, for which it is decoded. progress, which may be nil, is called with 0 to 1, never
// less than before, from one goroutine at a time. When it fails, none of the files is left. Errors:
// as Render.
func (e *Engine) Asset(
	ctx context.Context,
	request media.AssetRequest,
	progress func(fraction float64),
) (media.Asset, error) {
	share := 0.05 // of the progress, that reading takes
	l, err := e.lookAt(ctx, request.Path, part(progress, 0, share))
	if err != nil {
		return media.Asset{}, err
	}
	proxied, outlined := request.ProxyPath != "" && !l.playable, request.Outline && l.asset.Kind == media.KindAudio
	if proxied || outlined {
		in := media.IngestRequest{Path: request.Path}
		if proxied {
			in.ProxyPath = request.ProxyPath
		}
		made, err := e.Ingest(ctx, in, part(progress, share, 0.99))
		switch {
		case err != nil && (proxied || ctx.Err() != nil):
			return media.Asset{}, err
		case proxied:
			l.asset.Info.DurationMS = made.Info.DurationMS
		}
		if outlined {
			l.asset.Outline = media.OutlineOf(made.Peaks)
		}
	}
	if request.PosterPath != "" && l.asset.Kind != media.KindAudio {
		if err := e.poster(ctx, l, request.Path, request.PosterPath); err != nil {
			if request.ProxyPath != "" && !l.playable {
				os.Remove(request.ProxyPath)
			}
			return media.Asset{}, err
		}
	}
	part(progress, 0, 1)(1)
	return l.asset, nil
}

// part returns what reports the part of a progress that goes from one fraction to another.
func part(progress func(float64), from, to float64) func(float64) {
	if progress == nil {
		return func(float64) {}
	}
	return func(fraction float64) { progress(from + (to-from)*fraction) }
}

// lookAt finds out what a file holds and how long it is.
func (e *Engine) lookAt(ctx context.Context, path string, progress func(float64)) (looked, error) {
	ctx, m := newMeter(ctx, progress, e.stall)
	defer m.close()
	l, err := e.lookInto(ctx, path, m)
	if err != nil {
		return looked{}, because(ctx, err)
	}
	if l.doubtful {
		made, err := e.Ingest(ctx, media.IngestRequest{Path: path}, nil)
		if err != nil {
			return looked{}, err
		}
		l.asset.Info.DurationMS = made.Info.DurationMS
	}
	m.beat(1)
	return l, nil
}

func (e *Engine) lookInto(ctx context.Context, path string, m *meter) (l looked, err error) {
	s, err := openUntrusted(ctx, path)
	if err != nil {
		return l, err
	}
	defer s.close()
	if l.survey, err = e.survey(s, surveyPictures); err != nil {
		return l, err
	}
	info, err := s.info(l.survey)
	if err != nil {
		return l, err
	}
	l.asset = media.Asset{Info: info, Kind: kindOf(info), ContentType: info.ContentType, SizeBytes: s.size}
	l.playable = s.playable(info)
	if s.isStill() {
		l.asset.Info.DurationMS = 0
		return l, nil
	}
	again, err := openUntrusted(ctx, path)
	if err != nil {
		return l, err
	}
	defer again.close()
	switch {
	case !l.survey.hasVideo:
		again.only(again.audio)
	case !l.survey.hasAudio:
		again.only(again.video)
	}
	if l.measured, err = again.measure(m); err != nil {
		return l, err
	}
	l.settle(again)
	return l, nil
}

// settle makes the length of a recording that which its packets tell, as Ingest would find it.
func (l *looked) settle(s *source) {
	info, claimed := &l.asset.Info, l.asset.Info.DurationMS
	sound := int64(0)
	if s.audio != nil && l.measured.audioEnd != noPTS {
		sound = astiav.RescaleQ(l.measured.audioEnd-l.survey.origin.audio, s.audio.base, astiav.NewRational(1, 1000))
	}
	info.DurationMS = sound
	if info.Video != nil && l.measured.videoEnd != noPTS {
		frames := max(1, newGrid(s.video, l.survey.origin, info.Video.Rate).index(l.measured.videoEnd))
		if heard := info.Video.Rate.Frame(sound); heard > frames+info.Video.Rate.Frame(longTailMS) {
			frames = heard
		}
		info.DurationMS = info.Video.Rate.MS(frames)
	}
	l.doubtful = info.DurationMS <= 0 || info.DurationMS > maxSeconds*1000 ||
		claimed > 0 && info.DurationMS > claimed+doubtfulMS
}

func kindOf(info media.Info) string {
	switch {
	case info.Video == nil:
		return media.KindAudio
	case info.Video.Still || info.Format == "gif":
		return media.KindImage
	}
	return media.KindVideo
}

// measure reads all packets of a source that was just opened.
func (s *source) measure(m *meter) (measured, error) {
	r := measured{videoEnd: noPTS, audioEnd: noPTS, stamped: true}
	isClean := cleanKeys(s.video)
	for {
		t, err := s.next()
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		m.beat(min(0.99, s.position()))
		p := s.packet
		r.stamped = r.stamped && p.Pts() != noPTS
		pts := packetTime(p)
		if pts == noPTS || p.Flags().Has(astiav.PacketFlagDiscard) {
			continue
		}
		if end := pts + p.Duration(); t == s.audio {
			r.audioEnd = max(r.audioEnd, end)
		} else {
			r.videoEnd = max(r.videoEnd, end)
			if p.Flags().Has(astiav.PacketFlagKey) {
				r.keys = append(r.keys, keyframe{pts, isClean(packetData(p))})
			}
		}
	}
}

// playable reports that browsers play a file as it is: the common ground of those in use.
func (s *source) playable(info media.Info) bool {
	in := func(t *track, names ...string) bool { return t == nil || slices.Contains(names, t.name) }
	if info.Video == nil {
		s.only(s.audio)
	} else if info.Audio == nil {
		s.only(s.video)
	}
	switch info.ContentType {
	case "image/gif", "image/png", "image/jpeg", "image/webp", "image/bmp":
		return true
	case "video/mp4", "video/quicktime": // which differ in little but the name
		return in(s.video, "h264") && s.plainPicture() && in(s.audio, "aac", "mp3")
	case "video/webm":
		return in(s.video, "vp8", "vp9") && s.plainPicture() && in(s.audio, "opus", "vorbis")
	case "audio/mp4":
		return in(s.audio, "aac")
	case "audio/mpeg", "audio/aac", "audio/flac":
		return in(s.audio, "mp3", "aac", "flac")
	case "audio/wav":
		return in(s.audio, "pcm_s16le", "pcm_u8", "pcm_s24le", "pcm_f32le")
	}
	return false
}

// plainPicture reports 8-bit 4:2:0, which every player decodes.
func (s *source) plainPicture() bool {
	if s.video == nil {
		return false
	}
	f := s.video.params.PixelFormat()
	return f == astiav.PixelFormatYuv420P || f == astiav.PixelFormatYuvj420P
}
