package av

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/bitstream"
)

// Limits of a recording. The length limit applies to decoded time, because headers can lie.
const (
	maxStreams     = 32
	maxSide        = 8192
	maxPixels      = 8192 * 4320
	maxStillPixels = 64 << 20
	MaxSeconds     = 12 * 3600

	maxPackets = 48_000_000 // 12 hours of 240 frames and of 800 audio packets a second

	ioBufferSize   = 64 << 10
	probeBytes     = 16 << 20
	analyzeMicros  = "10000000"
	maxReadRetries = 64
)

// decoderFor returns the name of the decoder for a codec. ok is false for a codec that Roughcut
// does not read.
func decoderFor(codec string) (decoder string, ok bool) {
	c, ok := media.CodecNamed(codec)
	return c.DecoderName(), ok
}

// Source is an opened recording. One goroutine at a time may use it. Close frees it.
type Source struct {
	ctx         context.Context
	file        *os.File
	at, Size    int64 // position and size of the file
	io          *fileIO
	Format      *astiav.FormatContext
	interrupter *astiav.IOInterrupter
	unwatch     func() bool
	readErr     error // the error of reading the file itself, if any
	Packet      *astiav.Packet
	packets     int // read so far
	kept        keptPackets
	budget      *budget // of a pass from start to end; nil for others
	clock       *clock  // nil unless time stamps need a repair

	Name         string   // short name of the container
	Video, Audio *Track   // nil if the recording has none
	audioTracks  []*Track // all that have a decoder, the default ones first
	further      []*Track // audio tracks that are read in addition
	chosen       bool     // the caller of Open has chosen Audio
	firstAudio   int      // number of the first audio track that libav sees
	Skipped      *Track   // whose packets are not read; may be nil
	hidden       []int64  // offsets of the names of boxes that libav must not see
	listedData   []byte   // of data, which one goroutine at a time calls
	stated       []statement
}

// Track is a stream of a source that is read.
type Track struct {
	Stream *astiav.Stream
	Params *astiav.CodecParameters
	index  int
	number int // of an audio track among those of the file, from 0
	Base   astiav.Rational
	codec  *astiav.Codec
	Name   string           // of the codec
	inBand bitstream.Frames // of the last parameter sets in packets
	stated statement        // of the container
	joins  []int64          // PTS at which the recording continues with another clock
}

// Open opens a recording of unknown origin. See openOnly.
func Open(ctx context.Context, path string, heard ...int) (*Source, error) {
	return openOnly(ctx, path, astiav.MediaTypeUnknown, heard)
}

// openTrack opens the video or the audio of a recording. libav reads and keeps no index of the
// other one if the container has an index for each. Errors: as Open; ErrChanged if the
// track is missing.
func openTrack(ctx context.Context, path string, kind astiav.MediaType, heard []int) (*Source, *Track, error) {
	s, err := openOnly(ctx, path, kind, heard)
	if err != nil {
		return nil, nil, err
	}
	t := s.Video
	if kind == astiav.MediaTypeAudio {
		t = s.Audio
	}
	if t == nil {
		s.Close()
		return nil, nil, ErrChanged()
	}

	s.Only(t)
	return s, t, nil
}

// openOnly opens a recording of unknown origin, without the audio of an MP4 or MOV if kind is
// video, and without its video if kind is audio. heard are the numbers of the audio tracks that are
// heard, from 0 in the order of the file. The source reads the first of them, or the default track
// without any. No other function of this package opens input. libav gets callbacks for the open
// file, no protocol, and only the allowed containers and codecs. Canceling ctx ends the returned
// source. Errors: ErrChanged if the file lacks the audio track.
func openOnly(ctx context.Context, path string, kind astiav.MediaType, heard []int) (*Source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the recording: %w", err)
	}
	s := &Source{ctx: ctx, file: file}
	if kind != astiav.MediaTypeUnknown {
		s.hideOthers(kind, heard)
	}
	err = s.open()
	if err == nil && len(heard) > 0 && kind != astiav.MediaTypeVideo {
		s.chosen = true
		err = s.hear(heard[0])
	}

	if err != nil {
		s.Close()
		return nil, Because(ctx, err)
	}

	return s, nil
}

// hear selects an audio track by its number. Errors: ErrChanged without it.
func (s *Source) hear(number int) error {
	i := slices.IndexFunc(s.audioTracks, func(t *Track) bool { return t.number == number })
	if i < 0 {
		return ErrChanged()
	}
	if s.Audio != nil {
		s.Audio.Stream.SetDiscard(astiav.DiscardAll)
	}
	s.Audio = s.audioTracks[i]
	s.Audio.Stream.SetDiscard(astiav.DiscardDefault)
	return nil
}

// ReadToo makes the source read a further audio track, by its number. Errors: ErrChanged without
// it.
func (s *Source) ReadToo(number int) (*Track, error) {
	i := slices.IndexFunc(s.audioTracks, func(t *Track) bool { return t.number == number })
	if i < 0 {
		return nil, ErrChanged()
	}
	t := s.audioTracks[i]
	t.Stream.SetDiscard(astiav.DiscardDefault)
	s.further = append(s.further, t)
	return t, nil
}

// hideOthers hides the video from libav if kind is audio, and the audio if kind is video. Of
// several audio tracks it leaves the first one that is heard. Damaged files and those without a
// track of the kind stay as they are.
func (s *Source) hideOthers(kind astiav.MediaType, heard []int) {
	wanted, other := "vide", "soun"
	if kind == astiav.MediaTypeAudio {
		wanted, other = other, wanted
	}
	isWanted := func(t bitstream.Track) bool { return t.Handler == wanted }
	stat, err := s.file.Stat()
	if err != nil || !stat.Mode().IsRegular() || !s.looksLikeMP4() {
		return
	}
	tracks, ok := bitstream.Tracks(s.file, stat.Size())
	if !ok || !slices.ContainsFunc(tracks, isWanted) {
		return
	}

	number, unheard := 0, []int64{}
	for _, t := range tracks {
		if t.Handler == other {
			s.hidden = append(s.hidden, t.KindAt)
		}
		if isWanted(t) {
			if len(heard) > 0 && number != heard[0] {
				unheard = append(unheard, t.KindAt)
			}
			number++
		}
	}

	if kind == astiav.MediaTypeAudio && len(heard) > 0 && len(unheard) == number-1 {
		s.hidden, s.firstAudio = append(s.hidden, unheard...), heard[0]
	}
}

func (s *Source) open() error {
	stat, err := s.file.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("opening the recording: %w", err)
	case !stat.Mode().IsRegular():
		return Errorf("this is not a regular file; choose a recording")
	case stat.Size() == 0:
		return Errorf(
			"this file is empty: the recording or its upload was interrupted at the start; upload it again",
		)
	}

	s.Size = stat.Size()
	s.interrupter = astiav.NewIOInterrupter()
	s.unwatch = context.AfterFunc(s.ctx, s.interrupter.Interrupt)
	s.Packet = astiav.AllocPacket()
	if err := s.openContainer(); err != nil {
		return err
	}
	s.findClock()
	if err := s.checkMemoryEarly(); err != nil {
		return err
	}
	if read, err := s.checkFirstPackets(); err != nil {
		return err
	} else if read {
		s.closeContainer()
		s.at = 0
		if err := s.openContainer(); err != nil {
			return err
		}
	}

	s.stated = s.statements()
	if err := s.Format.FindStreamInfo(nil); err != nil {
		return s.openError(err)
	}
	return s.selectTracks()
}

// openContainer opens the container with the limits of untrusted files.
func (s *Source) openContainer() (err error) {
	s.Format = astiav.AllocFormatContext()
	if s.io, err = newFileIO(s.Format, s, ioBufferSize, false); err != nil {
		return err
	}
	s.Format.SetIOInterrupter(s.interrupter)

	options, err := dictionary([][2]string{
		{"protocol_whitelist", ""},
		{"format_whitelist", allowedFormats},
		{"codec_whitelist", allowedDecoders},
		{
			"probesize",
			strconv.Itoa(probeBytes),
		},
		{"formatprobesize", "1048576"},
		{"analyzeduration", analyzeMicros},
		{"max_streams", "128"},
	})
	if err != nil {
		return err
	}
	defer options.Free()
	if err := s.Format.OpenInput("", nil, options); err != nil {
		return s.openError(err)
	}

	if n := s.Format.NbStreams(); n > maxStreams {
		return Errorf(
			"this file has %d tracks, but at most %d are supported; remove some and upload it again",
			n,
			maxStreams,
		)
	}

	s.Name, _, _ = strings.Cut(s.Format.InputFormat().Name(), ",")
	return nil
}

// closeContainer frees what openContainer opened.
func (s *Source) closeContainer() {
	if s.Format != nil {
		s.Format.CloseInput()
		s.Format = nil
	}

	if s.io != nil {
		s.io.free()
		s.io = nil
	}
}

// openError turns libav's error for a file that it cannot open into one that tells the owner what
// to do.
func (s *Source) openError(err error) error {
	if s.readErr != nil {
		return fmt.Errorf("reading the recording: %w", s.readErr)
	}
	if s.looksLikeMP4() {
		return Errorf(
			"this recording is truncated: its index is missing, because the recording or its upload was interrupted; " +
				"upload it again, or repair it with the tool that recorded it",
		)
	}

	if errors.Is(err, astiav.ErrExit) {
		return err
	}
	return errNoMedia()
}

// looksLikeMP4 reports whether the file starts like an MP4 or MOV.
func (s *Source) looksLikeMP4() bool {
	var head [12]byte
	if _, err := s.file.ReadAt(head[:], 0); err != nil {
		return false
	}
	return bitstream.IsMP4(head[:])
}

// selectTracks selects the video and the audio track to read, and refuses sizes and codecs of the
// video that are not supported. Tracks that the file marks as default come first. It skips audio
// tracks without a decoder, and refuses a recording whose audio tracks all lack one.
func (s *Source) selectTracks() error {
	var refused error
	numbers := map[int]int{} // of audio tracks, by index
	for _, stream := range s.Format.Streams() {
		if stream.CodecParameters().MediaType() == astiav.MediaTypeAudio {
			numbers[stream.Index()] = s.firstAudio + len(numbers)
		}
	}

	streams := s.Format.Streams()
	slices.SortStableFunc(streams, func(a, b *astiav.Stream) int { return cmp.Compare(streamRank(a), streamRank(b)) })
	for _, stream := range streams {
		stream.SetDiscard(astiav.DiscardAll)
		kind := stream.CodecParameters().MediaType()
		cover := stream.DispositionFlags().Has(astiav.DispositionFlagAttachedPic) ||
			stream.DispositionFlags().Has(astiav.DispositionFlagTimedThumbnails)
		wanted := (kind == astiav.MediaTypeVideo && s.Video == nil && !cover) || kind == astiav.MediaTypeAudio
		if !wanted {
			continue
		}

		t := s.trackOf(stream, numbers[stream.Index()])
		switch {
		case kind == astiav.MediaTypeVideo:
			if err := s.selectVideo(t); err != nil {
				return err
			}
		case t.codec == nil:
			refused = cmp.Or(refused, refusedCodec(kind, t.Name))
		default:
			s.audioTracks = append(s.audioTracks, t)
		}
	}

	switch {
	case len(s.audioTracks) > 0:
		return s.hear(s.audioTracks[0].number)
	case refused != nil:
		return refused
	case s.Video == nil:
		return errNoMedia()
	}

	return nil
}

// trackOf returns the track of a stream; number is that of an audio track. Its codec is nil without
// a decoder.
func (s *Source) trackOf(stream *astiav.Stream, number int) *Track {
	params := stream.CodecParameters()
	name := params.CodecID().Name()
	decoder, _ := decoderFor(name)
	return &Track{
		Stream: stream,
		Params: params,
		index:  stream.Index(),
		number: number,
		Base:   stream.TimeBase(),
		Name:   name,
		codec:  astiav.FindDecoderByName(decoder),
		stated: s.statementOf(stream),
		joins:  s.clock.joins(),
	}
}

// selectVideo makes a track the video to read.
func (s *Source) selectVideo(t *Track) error {
	if t.codec == nil {
		return refusedCodec(astiav.MediaTypeVideo, t.Name)
	}
	if err := s.checkSize(t.Params.Width(), t.Params.Height()); err != nil {
		return err
	}
	if err := s.checkMemory(t); err != nil {
		return err
	}

	t.stated.complete(t.Stream)
	s.Video = t
	t.Stream.SetDiscard(astiav.DiscardDefault)
	return nil
}

func streamRank(stream *astiav.Stream) int {
	if stream.DispositionFlags().Has(astiav.DispositionFlagDefault) {
		return 0
	}
	return 1
}

func refusedCodec(kind astiav.MediaType, name string) error {
	title, part, target := media.CodecTitle(name), "audio", "AAC"
	if name == "none" || name == "" {
		title = "an unknown format"
	}
	if kind == astiav.MediaTypeVideo {
		part, target = "video", "H.264"
	}

	return Errorf(
		"the %s of this recording is encoded as %s, which is not supported; convert it to %s and upload it again",
		part, title, target,
	)
}

// IsStill reports a container of single images.
func (s *Source) IsStill() bool { return strings.HasSuffix(s.Name, "_pipe") }

func (s *Source) checkSize(width, height int) error {
	limit := maxPixels
	if s.IsStill() {
		limit = maxStillPixels
	} else if max(width, height) > maxSide {
		limit = 0
	}

	if width*height > limit {
		return Errorf(
			"the video is %d x %d pixels, but at most 8192 x 4320 are supported; scale it down and upload it again",
			width,
			height,
		)
	}

	return nil
}

// Only selects one track. The source then skips the packets of the other.
func (s *Source) Only(t *Track) {
	if s.Video != nil && s.Video != t {
		s.Video.Stream.SetDiscard(astiav.DiscardAll)
		s.Video = nil
	}

	if s.Audio != nil && s.Audio != t {
		s.Audio.Stream.SetDiscard(astiav.DiscardAll)
		s.Audio = nil
	}
}

// Next reads the next packet of a selected track into s.packet, which stays valid until the next
// call. Errors: io.EOF at the end, including the early end of a truncated file; the cause of a
// cancelled context; the error of reading the file.
func (s *Source) Next() (*Track, error) {
	if err := context.Cause(s.ctx); err != nil {
		return nil, err
	}
	if t, ok, err := s.replay(); err != nil {
		return nil, err
	} else if ok {
		return t, s.Spend(t, PacketTime(s.Packet), int64(s.Packet.Size()))
	}

	for range maxReadRetries {
		for {
			s.Packet.Unref()
			if err := context.Cause(s.ctx); err != nil {
				return nil, err
			}
			err := s.Format.ReadFrame(s.Packet)
			if s.readErr != nil {
				return nil, Because(s.ctx, fmt.Errorf("reading the recording: %w", s.readErr))
			}
			if IsEOF(err) {
				s.kept.ended = s.kept.keeping
				return nil, io.EOF
			}

			if err != nil {
				break
			}
			if s.packets++; s.packets > maxPackets {
				return nil, Errorf("this recording has more than %d packets; split it", maxPackets)
			}
			s.clock.repair(s.Packet)
			t := s.selected(s.Packet.StreamIndex())
			if t == nil {
				continue
			}
			if t == s.Video {
				if err := s.checkPacket(t); err != nil {
					return nil, err
				}
			}

			s.keepPacket(t)
			return t, s.Spend(t, PacketTime(s.Packet), int64(s.Packet.Size()))
		}
	}

	return nil, io.EOF
}

// selected returns the selected track with an index among the streams, nil without one.
func (s *Source) selected(stream int) *Track {
	for _, t := range append([]*Track{s.Video, s.Audio}, s.further...) {
		if t != nil && t != s.Skipped && t.index == stream {
			return t
		}
	}

	return nil
}

// seekTo seeks so that the next packets of t start at a keyframe packet at or before pts.
// Containers without an index cannot guarantee this.
func (s *Source) seekTo(t *Track, pts int64) error {
	if s.clock != nil {
		return Because(s.ctx, s.clock.seek(s, t, pts))
	}
	if err := s.Format.SeekFrame(t.index, pts, astiav.NewSeekFlags(astiav.SeekFlagBackward)); err != nil {
		return Because(s.ctx, err)
	}
	return nil
}

// keyframeBefore looks up, in the container's index, the keyframe that decoding must start with to
// reach the frame shown at pts. ok is false if the index does not say: MPEG-TS has no index,
// Matroska loads its index at the first seek, and a fragmented MP4 has one index per fragment.
func (s *Source) keyframeBefore(t *Track, pts int64) (key int64, ok bool) {
	switch s.Name {
	case "mov", "matroska", "avi":
		return indexedKeyframe(t.Stream, pts)
	}

	return 0, false
}

// CleanKeyframes returns a function that takes the packet of a keyframe of the video track, or its
// first bytes, and its size. It reports whether all frames that follow in the file can be decoded
// from that packet on. It returns nil without a video track.
func (s *Source) CleanKeyframes() func(packet []byte, whole int) bool {
	if s.Video == nil {
		return nil
	}
	return bitstream.CleanKeyframes(s.Video.Name, s.Video.Params.ExtraData())
}

// Position returns the progress of reading, 0 to 1.
func (s *Source) Position() float64 {
	return float64(s.at) / float64(s.Size)
}

// HeaderSeconds returns the length that the container claims, 0 if it claims none.
func (s *Source) HeaderSeconds() float64 {
	if s.clock != nil {
		return s.clock.seconds()
	}
	return max(0, float64(s.Format.Duration())/1e6)
}

func (s *Source) readFile(b []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, astiav.ErrExit
	}
	n, err := s.file.ReadAt(b, s.at)
	if n > 0 {
		const free = "free" // a box without content (ISO/IEC 14496-12, 8.1.2)
		for _, at := range s.hidden {
			for i := range int64(len(free)) {
				if k := at + i - s.at; k >= 0 && k < int64(n) {
					b[k] = free[i]
				}
			}
		}

		s.at += int64(n)
		return n, nil
	}

	if errors.Is(err, io.EOF) {
		return 0, astiav.ErrEof
	}
	if err != nil {
		s.readErr = err
	}
	return 0, astiav.ErrEio
}

// writeFile always fails: recordings are only read.
func (s *Source) writeFile([]byte) (int, error) { return 0, astiav.ErrEio }

// avseekSize is the whence value that libav passes to ask for the size of a file.
const avseekSize = 0x10000

func (s *Source) seekFile(offset int64, whence int) (int64, error) {
	if whence == avseekSize {
		return s.Size, nil
	}
	switch whence & 3 {
	case io.SeekCurrent:
		offset += s.at
	case io.SeekEnd:
		offset += s.Size
	}

	if offset < 0 {
		return 0, astiav.ErrEio
	}
	s.at = offset
	return offset, nil
}

// Close frees the source, even one that was only partly opened.
func (s *Source) Close() {
	if s.unwatch != nil {
		s.unwatch()
	}
	if s.Packet != nil {
		s.Packet.Free()
	}
	s.kept.drop()
	s.closeContainer()
	if s.interrupter != nil {
		s.interrupter.Free()
	}
	s.file.Close()
}
