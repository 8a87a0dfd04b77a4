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

// inspection is what is known about an asset before any file is made from it.
type inspection struct {
	asset    media.Asset
	survey   survey
	measured measured
	playable bool // browsers play the file directly
	doubtful bool // the length that the packets imply is implausible
}

// measured is what the packets of a file say. All of them are read and none is decoded.
type measured struct {
	videoEnd, audioEnd int64      // end of the last packet, in the time base of its track; noPTS if it has none
	keys               []keyframe // in file order
	stamped            bool       // every packet has a PTS
}

// keyframe is a picture that decodes without others.
type keyframe struct {
	pts   int64
	clean bool // all pictures that follow in the file decode from here on
}

// doubtfulMS is the maximum by which the length from packets may exceed the claimed length. Beyond
// it the recording is decoded to measure its length.
const doubtfulMS = 10_000

// Asset inspects a file of the library and measures its length. It writes a poster, and a proxy
// like that of Ingest if browsers cannot play the file directly. For an audio file it decodes the
// audio and returns its outline if the request asks for one. progress may be nil. It is called with
// 0 to 1, never with less than before, from one goroutine at a time. On failure no file is left.
// Errors: as Render.
func (e *Engine) Asset(
	ctx context.Context,
	request media.AssetRequest,
	progress func(fraction float64),
) (media.Asset, error) {
	share := 0.05 // of the progress: reading packets
	l, err := e.inspect(ctx, request.Path, part(progress, 0, share))
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

// part returns a function that scales progress from 0 to 1 into the range between from and to.
func part(progress func(float64), from, to float64) func(float64) {
	if progress == nil {
		return func(float64) {}
	}
	return func(fraction float64) { progress(from + (to-from)*fraction) }
}

// inspect reads the contents of a file and measures its length.
func (e *Engine) inspect(ctx context.Context, path string, progress func(float64)) (inspection, error) {
	ctx, m := newMeter(ctx, progress, e.stall)
	defer m.close()
	l, err := e.inspectFile(ctx, path, m)
	if err != nil {
		return inspection{}, because(ctx, err)
	}
	if l.doubtful {
		made, err := e.Ingest(ctx, media.IngestRequest{Path: path, SkipLevels: true}, nil)
		if err != nil {
			return inspection{}, err
		}
		l.asset.Info.DurationMS = made.Info.DurationMS
	}

	m.beat(1)
	return l, nil
}

func (e *Engine) inspectFile(ctx context.Context, path string, m *meter) (l inspection, err error) {
	s, err := openUntrusted(ctx, path)
	if err != nil {
		return l, err
	}
	defer s.close()
	if l.survey, err = takeSurvey(s, surveyFrames); err != nil {
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
	again.limitWork(m, e.clock)
	switch {
	case !l.survey.hasVideo:
		again.only(again.audio)
	case !l.survey.hasAudio:
		again.only(again.video)
	}

	if l.measured, err = again.measure(m); err != nil {
		return l, err
	}
	l.setDuration(again)
	return l, nil
}

// setDuration sets the length of a recording from its packets, by the rules of Ingest.
func (l *inspection) setDuration(s *source) {
	info, claimed := &l.asset.Info, l.asset.Info.DurationMS
	audioMS := int64(0)
	if s.audio != nil && l.measured.audioEnd != noPTS {
		audioMS = astiav.RescaleQ(l.measured.audioEnd-l.survey.origin.audio, s.audio.base, astiav.NewRational(1, 1000))
	}
	info.DurationMS = audioMS
	if info.Video != nil && l.measured.videoEnd != noPTS {
		frames := max(1, newGrid(s.video, l.survey.origin, info.Video.Rate).index(l.measured.videoEnd))
		if heard := info.Video.Rate.Frame(audioMS); heard > frames+info.Video.Rate.Frame(longTailMS) {
			frames = heard
		}
		info.DurationMS = info.Video.Rate.MS(frames)
	}

	l.doubtful = info.DurationMS <= 0 || info.DurationMS > maxSeconds*1000 ||
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

// measure reads all packets of a newly opened source.
func (s *source) measure(m *meter) (measured, error) {
	r := measured{videoEnd: noPTS, audioEnd: noPTS, stamped: true}
	isClean := s.cleanKeyframes()
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
		length := min(p.Duration(), int64(maxSeconds/t.base.Float64()))
		if end := pts + length; t == s.audio {
			r.audioEnd = max(r.audioEnd, end)
		} else {
			r.videoEnd = max(r.videoEnd, end)
			if p.Flags().Has(astiav.PacketFlagKey) {
				r.keys = append(r.keys, keyframe{pts, isClean(packetData(p), p.Size())})
			}
		}
	}
}

// playable reports whether every current browser plays a file directly.
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
	case "video/mp4", "video/quicktime": // these differ in little but the name
		return in(s.video, "h264") && s.plain420() && in(s.audio, "aac", "mp3")
	case "video/webm":
		return in(s.video, "vp8", "vp9") && s.plain420() && in(s.audio, "opus", "vorbis")
	case "audio/mp4":
		return in(s.audio, "aac")
	case "audio/mpeg", "audio/aac", "audio/flac":
		return in(s.audio, "mp3", "aac", "flac")
	case "audio/wav":
		return in(s.audio, "pcm_s16le", "pcm_u8", "pcm_s24le", "pcm_f32le")
	}

	return false
}

// plain420 reports 8-bit 4:2:0, which every player decodes.
func (s *source) plain420() bool {
	if s.video == nil {
		return false
	}
	f := s.video.params.PixelFormat()
	return f == astiav.PixelFormatYuv420P || f == astiav.PixelFormatYuvj420P
}
