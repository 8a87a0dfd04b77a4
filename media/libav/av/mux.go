package av

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/asticode/go-astiav"
)

// Muxers, by libav's names.
const (
	MuxerMP4 = "mp4"
	MuxerM4A = "ipod"
	muxerMOV = "mov"
	muxerWAV = "wav"

	muxerOpus = "opus"
	muxerFLAC = "flac"
)

// Muxer writes a video, or a file of audio alone. Several goroutines may write packets of its
// tracks; the muxer interleaves them by DTS. Finish or Abort ends it.
type Muxer struct {
	ctx     context.Context
	path    string
	file    *os.File
	io      *fileIO
	format  *astiav.FormatContext
	indexed bool // MP4 and its relatives, which have one index and tags for codecs
	unwatch func() bool
	alive   func() // called when bytes were written

	mu       sync.Mutex
	wake     *sync.Cond
	tracks   []*muxTrack
	throttle bool // a track that is far ahead waits for the others
	// bytes reserved for the index before the media data; 0: the index is moved to the front at the
	// end, which rewrites the file
	indexBytes   int64
	chapterBytes int64 // of the chapters and tags in the index, at most
	isMOV        bool
	isBroadcast  bool  // WAV with a time reference
	hasComments  bool  // FLAC and Ogg, whose tags are Vorbis comments
	fail         error // the first error of the file
}

// muxTrack is a track of a muxer.
type muxTrack struct {
	stream *astiav.Stream
	base   astiav.Rational // of the packets that Write gets
	queue  []*astiav.Packet
	bytes  int
	ended  bool
}

// How far one track may be ahead of another: in packets if tracks can wait for each other, in bytes
// if they cannot.
const (
	maxAheadPackets = 256
	maxAheadBytes   = 32 << 20
)

// CreateMuxer creates a file of a format at path. With throttle, Write blocks a track that is far
// ahead, which is safe only if the tracks are made independently of each other. Without throttle,
// tracks that are far apart are interleaved less well. alive is called whenever bytes were written.
func CreateMuxer(ctx context.Context, path, format string, throttle bool, alive func()) (*Muxer, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the video: %w", err)
	}
	m := &Muxer{ctx: ctx, path: path, file: file, throttle: throttle, alive: alive}
	m.indexed = slices.Contains([]string{MuxerMP4, MuxerM4A, muxerMOV}, format)
	m.isMOV = format == muxerMOV
	m.hasComments = format == muxerOpus || format == muxerFLAC
	m.wake = sync.NewCond(&m.mu)
	m.unwatch = context.AfterFunc(ctx, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.wake.Broadcast()
	})
	absolute, err := filepath.Abs(path)
	if err == nil {
		err = checkMuxer(format)
	}
	if err == nil {
		m.format, err = astiav.AllocOutputFormatContext(nil, format, "file:"+absolute)
	}
	if err == nil {
		m.io, err = newFileIO(m.format, m, 256<<10, true)
	}
	if err != nil {
		m.Abort()
		return nil, fmt.Errorf("creating the video: %w", err)
	}

	return m, nil
}

// Add adds a track of packets whose times are in base. fill sets its parameters. Add all tracks
// before Start.
func (m *Muxer) Add(fill func(*astiav.CodecParameters) error, base, rate astiav.Rational) (track int, err error) {
	stream := m.format.NewStream(nil)
	if stream == nil {
		return 0, errors.New("cannot add a track to the video")
	}
	if err := fill(stream.CodecParameters()); err != nil {
		return 0, fmt.Errorf("adding a track to the video: %w", err)
	}
	stream.SetTimeBase(base)
	if rate.Num() > 0 {
		stream.SetAvgFrameRate(rate)
		stream.SetRFrameRate(rate)
		stream.SetSampleAspectRatio(astiav.NewRational(1, 1))
	}

	m.tracks = append(m.tracks, &muxTrack{stream: stream, base: base})
	return len(m.tracks) - 1, nil
}

// HEVCTag is the tag of an HEVC track, hvc1. It promises that no packet brings parameter sets.
// Apple's players need it.
const HEVCTag astiav.CodecTag = 'h' | 'v'<<8 | 'c'<<16 | '1'<<24

// AddCopy adds a track for the packets of another file. Add all tracks before Start.
func (m *Muxer) AddCopy(from *Track) (track int, err error) {
	stream := m.format.NewStream(nil)
	if stream == nil {
		return 0, errors.New("cannot add a track to the video")
	}
	params := stream.CodecParameters()
	if err := from.Params.Copy(params); err != nil {
		return 0, fmt.Errorf("adding a track to the video: %w", err)
	}
	setUnpadded(stream)
	params.SetCodecTag(0)
	if from.Name == "hevc" && m.indexed {
		params.SetCodecTag(HEVCTag)
	}
	stream.SetTimeBase(from.Base)
	stream.SetAvgFrameRate(from.Stream.AvgFrameRate())
	stream.SetSampleAspectRatio(from.Stream.SampleAspectRatio())
	m.tracks = append(m.tracks, &muxTrack{stream: stream, base: from.Base})
	return len(m.tracks) - 1, nil
}

// Failed reports whether the file could not be written.
func (m *Muxer) Failed() bool { return m.fail != nil }

// Stream returns the stream of a track.
func (m *Muxer) Stream(track int) *astiav.Stream { return m.tracks[track].stream }

// SetExtraData replaces the decoder configuration of a track.
func (m *Muxer) SetExtraData(track int, data []byte) error {
	return m.tracks[track].stream.CodecParameters().SetExtraData(data)
}

// SetTag sets the tag of a track whose codec has more than one. Only MP4 and its relatives have
// tags.
func (m *Muxer) SetTag(track int, tag astiav.CodecTag) {
	if m.indexed {
		m.tracks[track].stream.CodecParameters().SetCodecTag(tag)
	}
}

// Maximum size of the index in bytes. Each video frame has its size, offset, duration, composition
// offset, chunk, sync flag and dependency flags. Each audio packet has its size, offset, duration
// and chunk. indexRest covers everything else except decoder configurations.
const (
	indexVideoPacket = 4 + 8 + 8 + 8 + 12 + 4 + 1
	indexAudioPacket = 4 + 8 + 8 + 12
	indexRest        = 64 << 10
	indexShare       = 100 // reserved space is at most 1/indexShare of the file
)

// ReserveIndex reserves space for the index before the media data, so that the file need not be
// written twice. It does so only if the space costs at most 1/indexShare of the file, which has at
// least the given number of bytes. Call it before Start, after all tracks are added.
func (m *Muxer) ReserveIndex(videoPackets, audioPackets, bytes int64) {
	room := indexRest + m.chapterBytes + videoPackets*indexVideoPacket + audioPackets*indexAudioPacket
	for _, l := range m.tracks {
		room += 2 * int64(len(l.stream.CodecParameters().ExtraData()))
	}
	if m.indexed && room <= bytes/indexShare && room <= math.MaxInt32 {
		m.indexBytes = room
	}
}

// Start writes the header.
func (m *Muxer) Start() error {
	var front [][2]string
	switch {
	case m.indexBytes > 0:
		front = [][2]string{{"moov_size", strconv.FormatInt(m.indexBytes, 10)}}
	case m.indexed:
		front = [][2]string{{"movflags", "+faststart"}}
	case m.isBroadcast:
		front = [][2]string{{"write_bext", "1"}}
	default:
		// The priming of Opus has negative times, which the codec delay of Matroska stands for.
		// Without this option, libav would move the video back instead.
		front = [][2]string{{"avoid_negative_ts", "disabled"}}
	}

	options, err := dictionary(front)
	if err != nil {
		return err
	}
	defer options.Free()
	return m.because(m.format.WriteHeader(options), "writing the video")
}

// Write queues a packet of a track and writes the packets that can be written. It takes ownership
// of the packet.
func (m *Muxer) Write(track int, p *astiav.Packet) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.tracks[track]
	for m.throttle && m.fail == nil && m.ctx.Err() == nil && len(l.queue) >= maxAheadPackets {
		m.wake.Wait()
	}
	if err := m.stopped(); err != nil {
		p.Free()
		return err
	}

	p.SetStreamIndex(track)
	p.RescaleTs(l.base, l.stream.TimeBase())
	l.queue = append(l.queue, p)
	l.bytes += p.Size()
	return m.drain()
}

// End says that a track gets no more packets.
func (m *Muxer) End(track int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.stopped(); err != nil {
		return err
	}
	m.tracks[track].ended = true
	return m.drain()
}

func (m *Muxer) stopped() error {
	if m.fail != nil {
		return m.fail
	}
	return context.Cause(m.ctx)
}

// drain writes packets in DTS order while it is known which comes next.
func (m *Muxer) drain() error {
	defer m.wake.Broadcast()
	for {
		next := m.nextTrack()
		if next == nil {
			return nil
		}
		p := next.queue[0]
		next.queue[0] = nil
		next.queue = next.queue[1:]
		next.bytes -= p.Size()
		err := m.format.WriteFrame(p)
		p.Free()
		if err = m.because(err, "writing the video"); err != nil {
			m.fail = err
			return err
		}
	}
}

// nextTrack returns the track whose packet must be written next, nil if that is not known yet.
func (m *Muxer) nextTrack() *muxTrack {
	var best *muxTrack
	for _, l := range m.tracks {
		if len(l.queue) == 0 {
			if !l.ended && !m.overfull() {
				return nil
			}
			continue
		}

		if best == nil || earlier(l, best) {
			best = l
		}
	}

	return best
}

func (m *Muxer) overfull() bool {
	total := 0
	for _, l := range m.tracks {
		total += l.bytes
	}
	return total > maxAheadBytes
}

func earlier(a, b *muxTrack) bool {
	x, y := a.queue[0].Dts(), b.queue[0].Dts()
	return float64(x)*a.stream.TimeBase().Float64() < float64(y)*b.stream.TimeBase().Float64()
}

// Finish writes the index and closes the file. Call it after all writers have ended. It returns the
// size of the file in bytes.
func (m *Muxer) Finish(ctx context.Context) (size int64, err error) {
	m.mu.Lock()
	m.ctx = ctx
	m.mu.Unlock()
	if err := m.stopped(); err != nil {
		return 0, err
	}
	if err := m.because(m.format.WriteTrailer(), "writing the end of the video"); err != nil {
		return 0, err
	}
	stat, err := m.file.Stat()
	if err != nil {
		return 0, fmt.Errorf("writing the video: %w", err)
	}
	m.free()
	if err := m.file.Close(); err != nil {
		return 0, fmt.Errorf("writing the video: %w", err)
	}
	return stat.Size(), nil
}

// Abort closes the muxer and removes its file. It may follow a failed Finish.
func (m *Muxer) Abort() {
	m.free()
	m.file.Close()
	os.Remove(m.path)
}

func (m *Muxer) free() {
	if m.unwatch != nil {
		m.unwatch()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.tracks {
		for _, p := range l.queue {
			p.Free()
		}
		l.queue = nil
	}

	if m.format != nil {
		m.format.Free()
		m.format = nil
	}

	if m.io != nil {
		m.io.free()
		m.io = nil
	}
}

// because prefers the error of the file to libav's error.
func (m *Muxer) because(err error, doing string) error {
	if m.fail != nil {
		return m.fail
	}
	if err != nil {
		return Because(m.ctx, fmt.Errorf("%s: %w", doing, systemError(err)))
	}
	return nil
}

// readFile always fails: to move the index to the front, libav opens the file itself.
func (m *Muxer) readFile([]byte) (int, error) { return 0, astiav.ErrEio }

func (m *Muxer) writeFile(b []byte) (int, error) {
	if m.ctx.Err() != nil {
		return 0, astiav.ErrExit
	}
	m.alive()
	n, err := m.file.Write(b)
	if err != nil {
		if m.fail == nil {
			m.fail = fmt.Errorf("writing the video: %w", err)
		}
		return 0, astiav.ErrEio
	}

	return n, nil
}

func (m *Muxer) seekFile(offset int64, whence int) (int64, error) {
	if whence == avseekSize {
		stat, err := m.file.Stat()
		if err != nil {
			return 0, astiav.ErrEio
		}
		return stat.Size(), nil
	}

	at, err := m.file.Seek(offset, whence&3)
	if err != nil {
		return 0, astiav.ErrEio
	}
	return at, nil
}
