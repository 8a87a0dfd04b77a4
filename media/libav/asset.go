package libav

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// inspection holds the properties of an asset that are known before any file is made from it.
type inspection struct {
	asset    media.Asset
	survey   av.Survey
	measured measured
	playable bool // browsers play the file directly
	doubtful bool // the length that the packets imply is implausible
}

// measured is what the packets of a file say. All of them are read and none is decoded.
type measured struct {
	videoEnd, audioEnd int64      // end of the last packet, in the time base of its track; av.NoPTS if it has none
	keys               []keyframe // in file order
	stamped            bool       // every packet has a PTS
}

// keyframe is a picture that decodes without others.
type keyframe struct {
	pts   int64
	clean bool // all pictures that follow in the file decode from here on
}

// doubtfulMS is how much longer, in milliseconds, the packets of a recording may be than the length
// that it claims. Beyond that, the length is measured by decoding.
const doubtfulMS = 10_000

// Asset inspects a file of the library and measures its length. It writes a poster, and a proxy as
// Ingest does if browsers cannot play the file directly. For an audio file it decodes the audio and
// returns its outline if the request asks for one. progress may be nil. Asset calls it with rising
// fractions from 0 to 1, from one goroutine at a time. On failure no file is left. Errors: as
// Render.
func (e *Engine) Asset(
	ctx context.Context,
	request media.AssetRequest,
	progress func(fraction float64),
) (media.Asset, error) {
	share := 0.05 // of the progress: reading packets
	l, err := e.inspect(ctx, request.Path, subProgress(progress, 0, share))
	if err != nil {
		return media.Asset{}, err
	}

	proxied, outlined := request.ProxyPath != "" && !l.playable, request.Outline && l.asset.Kind == media.KindAudio
	if proxied || outlined {
		in := media.IngestRequest{Path: request.Path}
		if proxied {
			in.ProxyPath = request.ProxyPath
		}
		made, err := e.Ingest(ctx, in, subProgress(progress, share, 0.99))
		isFatal := proxied || ctx.Err() != nil // an asset needs no outline
		switch {
		case err != nil && isFatal:
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

	subProgress(progress, 0, 1)(1)
	return l.asset, nil
}

// subProgress returns a function that scales progress from 0 to 1 into the range between from and
// to.
func subProgress(progress func(float64), from, to float64) func(float64) {
	if progress == nil {
		return func(float64) {}
	}
	return func(fraction float64) { progress(from + (to-from)*fraction) }
}

// inspect reads the contents of a file and measures its length.
func (e *Engine) inspect(ctx context.Context, path string, progress func(float64)) (inspection, error) {
	ctx, m := av.NewMeter(ctx, progress, e.stall)
	defer m.Close()
	l, err := e.inspectFile(ctx, path, m)
	if err != nil {
		return inspection{}, av.Because(ctx, err)
	}
	if l.doubtful {
		made, err := e.Ingest(ctx, media.IngestRequest{Path: path, SkipLevels: true}, nil)
		if err != nil {
			return inspection{}, err
		}
		l.asset.Info.DurationMS = made.Info.DurationMS
	}

	m.Beat(1)
	return l, nil
}

func (e *Engine) inspectFile(ctx context.Context, path string, m *av.Meter) (l inspection, err error) {
	s, err := av.Open(ctx, path)
	if err != nil {
		return l, err
	}
	defer s.Close()
	if l.survey, err = av.TakeSurvey(s, av.SurveyFrames); err != nil {
		return l, err
	}
	info, err := s.Info(l.survey)
	if err != nil {
		return l, err
	}

	l.asset = media.Asset{Info: info, Kind: kindOf(info), ContentType: info.ContentType, SizeBytes: s.Size}
	l.playable = isPlayable(s, info)
	if s.IsStill() {
		l.asset.Info.DurationMS = 0
		return l, nil
	}

	again, err := av.Open(ctx, path, l.survey.Heard...)
	if err != nil {
		return l, err
	}
	defer again.Close()
	again.LimitWork(m, e.clock)
	switch {
	case !l.survey.HasVideo:
		again.Only(again.Audio)
	case !l.survey.HasAudio:
		again.Only(again.Video)
	}

	if l.measured, err = measureAsset(again, m); err != nil {
		return l, err
	}
	l.setDuration(again)
	return l, nil
}

// setDuration sets the length of a recording from its packets, by the rules of Ingest.
func (l *inspection) setDuration(s *av.Source) {
	info, claimed := &l.asset.Info, l.asset.Info.DurationMS
	audioMS := int64(0)
	if s.Audio != nil && l.measured.audioEnd != av.NoPTS {
		audioMS = astiav.RescaleQ(l.measured.audioEnd-l.survey.Origin.Audio, s.Audio.Base, astiav.NewRational(1, 1000))
	}
	info.DurationMS = audioMS
	if info.Video != nil && l.measured.videoEnd != av.NoPTS {
		frames := max(1, av.NewGrid(s.Video, l.survey.Origin, info.Video.Rate).Index(l.measured.videoEnd))
		if heard := info.Video.Rate.Frame(audioMS); heard > frames+info.Video.Rate.Frame(longTailMS) {
			frames = heard
		}
		info.DurationMS = info.Video.Rate.MS(frames)
	}

	l.doubtful = info.DurationMS <= 0 || info.DurationMS > av.MaxSeconds*1000 ||
		(claimed > 0 && info.DurationMS > claimed+doubtfulMS)
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

// measureAsset reads all packets of a newly opened source.
func measureAsset(s *av.Source, m *av.Meter) (measured, error) {
	r := measured{videoEnd: av.NoPTS, audioEnd: av.NoPTS, stamped: true}
	isClean := s.CleanKeyframes()
	for {
		t, err := s.Next()
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		m.Beat(min(0.99, s.Position()))
		p := s.Packet
		r.stamped = r.stamped && p.Pts() != av.NoPTS
		pts := av.PacketTime(p)
		if pts == av.NoPTS || p.Flags().Has(astiav.PacketFlagDiscard) {
			continue
		}
		length := min(p.Duration(), int64(av.MaxSeconds/t.Base.Float64()))
		if end := pts + length; t == s.Audio {
			r.audioEnd = max(r.audioEnd, end)
		} else {
			r.videoEnd = max(r.videoEnd, end)
			if p.Flags().Has(astiav.PacketFlagKey) {
				r.keys = append(r.keys, keyframe{pts, isClean(av.PacketData(p), p.Size())})
			}
		}
	}
}

// isPlayable reports whether every current browser plays a file directly.
func isPlayable(s *av.Source, info media.Info) bool {
	in := func(t *av.Track, names ...string) bool { return t == nil || slices.Contains(names, t.Name) }
	if info.Video == nil {
		s.Only(s.Audio)
	} else if info.Audio == nil {
		s.Only(s.Video)
	}

	switch info.ContentType {
	case "image/gif", "image/png", "image/jpeg", "image/webp", "image/bmp":
		return true
	case "video/mp4", "video/quicktime": // these differ in little but the name
		return in(s.Video, "h264") && plain420(s) && in(s.Audio, "aac", "mp3")
	case "video/webm":
		return in(s.Video, "vp8", "vp9") && plain420(s) && in(s.Audio, "opus", "vorbis")
	case "audio/mp4":
		return in(s.Audio, "aac")
	case "audio/mpeg", "audio/aac", "audio/flac":
		return in(s.Audio, "mp3", "aac", "flac")
	case "audio/wav":
		return in(s.Audio, "pcm_s16le", "pcm_u8", "pcm_s24le", "pcm_f32le")
	}

	return false
}

// plain420 reports 8-bit 4:2:0, which every player decodes.
func plain420(s *av.Source) bool {
	if s.Video == nil {
		return false
	}
	f := s.Video.Params.PixelFormat()
	return f == astiav.PixelFormatYuv420P || f == astiav.PixelFormatYuvj420P
}
