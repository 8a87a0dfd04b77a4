package audio

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"roughcut/media"
)

// A speech file begins with speechMagic. After it come the samples, without the runs of silence of
// at least speechGapBytes. Then come the sections, each with its position and length in bytes of
// audio, and at last the length of the audio and the number of sections. All numbers have 8 bytes,
// little-endian. Files of earlier versions are only samples.
const (
	speechMagic     = "Roughcut speech\x01"
	speechGapBytes  = 256 * speechBytesPerMS
	speechEntrySize = 16

	speechBytesPerMS = 2 * media.SpeechSampleRate / 1000
	mostSpeechBytes  = 24 * 3600 * 1000 * speechBytesPerMS
)

// speechSection is a part of the audio that is stored.
type speechSection struct{ at, bytes int64 }

// SpeechWriter writes a speech file: mono audio at SpeechSampleRate. Long silence takes no space on
// any file system. A SpeechWriter is not safe for concurrent use.
type SpeechWriter struct {
	file     *os.File
	out      *bufio.Writer
	sections []speechSection
	at       int64 // bytes of audio so far, with silence
	silent   int64 // bytes of silence at the end that are not stored yet
}

// CreateSpeech creates a speech file. A file that is there is replaced.
func CreateSpeech(path string) (*SpeechWriter, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the speech file: %w", err)
	}
	return &SpeechWriter{file: file, out: bufio.NewWriterSize(file, 64<<10)}, nil
}

// Write appends whole signed 16-bit little-endian samples.
func (w *SpeechWriter) Write(samples []byte) error {
	sound := len(bytes.TrimLeft(samples, "\x00"))
	lead := (len(samples) - sound) &^ 1 // the first byte of a sample may be 0
	w.Silence(int64(lead / 2))
	if sound == 0 {
		return nil
	}
	samples = samples[lead:]
	tail := (len(samples) - len(bytes.TrimRight(samples, "\x00"))) &^ 1
	err := w.store(samples[:len(samples)-tail])
	w.Silence(int64(tail / 2))
	if err != nil {
		return fmt.Errorf("writing the speech file: %w", err)
	}
	return nil
}

// Silence appends samples of silence.
func (w *SpeechWriter) Silence(samples int64) {
	w.at += 2 * samples
	w.silent += 2 * samples
}

// store stores sound, and the silence before it unless that is long.
func (w *SpeechWriter) store(sound []byte) error {
	if len(w.sections) == 0 {
		if _, err := w.out.WriteString(speechMagic); err != nil {
			return err
		}
	}

	if len(w.sections) == 0 || w.silent >= speechGapBytes {
		w.sections = append(w.sections, speechSection{at: w.at})
	} else if err := w.add(make([]byte, w.silent)); err != nil {
		return err
	}

	w.silent = 0
	w.at += int64(len(sound))
	return w.add(sound)
}

// add appends stored bytes to the last section.
func (w *SpeechWriter) add(stored []byte) error {
	w.sections[len(w.sections)-1].bytes += int64(len(stored))
	_, err := w.out.Write(stored)
	return err
}

// Finish completes the file with at most the given number of samples. Without any, the file stays
// empty. Nothing can be written after it.
func (w *SpeechWriter) Finish(most int64) error {
	if err := w.finish(min(w.at, 2*most)); err != nil {
		return fmt.Errorf("writing the speech file: %w", err)
	}
	return nil
}

func (w *SpeechWriter) finish(length int64) error {
	if err := w.out.Flush(); err != nil || length <= 0 {
		return errors.Join(err, w.file.Truncate(0))
	}
	stored := int64(len(speechMagic))
	kept := w.sections[:0]
	for _, s := range w.sections {
		if s.bytes = min(s.bytes, length-s.at); s.bytes > 0 {
			kept = append(kept, s)
			stored += s.bytes
		}
	}

	end := []byte{}
	if len(w.sections) == 0 {
		end = append(end, speechMagic...)
		stored = 0
	}

	for _, s := range kept {
		end = binary.LittleEndian.AppendUint64(end, uint64(s.at))
		end = binary.LittleEndian.AppendUint64(end, uint64(s.bytes))
	}

	end = binary.LittleEndian.AppendUint64(end, uint64(length))
	end = binary.LittleEndian.AppendUint64(end, uint64(len(kept)))
	if err := w.file.Truncate(stored); err != nil {
		return err
	}
	_, err := w.file.WriteAt(end, stored)
	return err
}

// Close closes the file.
func (w *SpeechWriter) Close() error { return w.file.Close() }

// SpeechFile reads a speech file as signed 16-bit little-endian mono audio at SpeechSampleRate.
// Silence that the file does not store reads as zeros. It is safe for concurrent use.
type SpeechFile struct {
	file     *os.File
	sections []speechSection
	offsets  []int64 // of the sections in the file
	size     int64
}

// OpenSpeech opens a speech file, of earlier versions too. It fails if the file is damaged.
func OpenSpeech(path string) (*SpeechFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the speech audio: %w", err)
	}
	f := &SpeechFile{file: file}
	if err := f.readSections(); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the speech audio: %w", err), file.Close())
	}
	return f, nil
}

var errSpeechDamaged = errors.New("the file is damaged; delete the clip and upload the recording again")

// readSections reads the end of the file, which tells where the sections are. A file of an earlier
// version is one section.
func (f *SpeechFile) readSections() error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	magic := make([]byte, len(speechMagic))
	n, err := f.file.ReadAt(magic, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(magic[:n]) != speechMagic {
		f.sections, f.offsets, f.size = []speechSection{{0, info.Size()}}, []int64{0}, info.Size()
		return nil
	}

	last := info.Size() - speechEntrySize
	if last < int64(len(speechMagic)) {
		return errSpeechDamaged
	}
	totals, err := f.readNumbers(last, 2)
	if err != nil {
		return err
	}
	length, sections := totals[0], totals[1]
	if sections > (last-int64(len(speechMagic)))/speechEntrySize || length > mostSpeechBytes || length%2 != 0 {
		return errSpeechDamaged
	}
	table := last - sections*speechEntrySize
	entries, err := f.readNumbers(table, 2*sections)
	if err != nil {
		return err
	}
	f.size = length
	return f.placeSections(entries, table)
}

// readNumbers reads n numbers at a position of the file. It limits those that are too large.
func (f *SpeechFile) readNumbers(at, n int64) ([]int64, error) {
	raw := make([]byte, 8*n)
	if _, err := f.file.ReadAt(raw, at); err != nil {
		return nil, err
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(min(binary.LittleEndian.Uint64(raw[8*i:]), math.MaxInt64))
	}
	return out, nil
}

// placeSections lists the sections. Their samples fill the file from speechMagic to the table, in
// order and without overlap in the audio.
func (f *SpeechFile) placeSections(entries []int64, table int64) error {
	offset, played := int64(len(speechMagic)), int64(0)
	for entry := range slices.Chunk(entries, 2) {
		s := speechSection{at: entry[0], bytes: entry[1]}
		if s.at < played || s.at > f.size || s.bytes > f.size-s.at || s.bytes > table-offset {
			return errSpeechDamaged
		}
		f.sections, f.offsets = append(f.sections, s), append(f.offsets, offset)
		offset, played = offset+s.bytes, s.at+s.bytes
	}

	if offset != table {
		return errSpeechDamaged
	}
	return nil
}

// Size returns the length of the audio in bytes.
func (f *SpeechFile) Size() int64 { return f.size }

// Reader returns a reader of the audio from its start.
func (f *SpeechFile) Reader() io.Reader { return io.NewSectionReader(f, 0, f.size) }

// ReadAt implements io.ReaderAt.
func (f *SpeechFile) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 {
		return 0, errors.New("reading the speech audio: negative position")
	}
	n := int(max(0, min(int64(len(p)), f.size-at)))
	to := p[:n]
	clear(to)
	end := at + int64(n)
	first, _ := slices.BinarySearchFunc(f.sections, at, func(s speechSection, at int64) int {
		if s.at+s.bytes <= at {
			return -1
		}
		return 1
	})
	for i := first; i < len(f.sections) && f.sections[i].at < end; i++ {
		s := f.sections[i]
		from, until := max(s.at, at), min(s.at+s.bytes, end)
		if from >= until {
			continue
		}
		if _, err := f.file.ReadAt(to[from-at:until-at], f.offsets[i]+from-s.at); err != nil {
			return 0, fmt.Errorf("reading the speech audio: %w", err)
		}
	}

	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Close closes the file.
func (f *SpeechFile) Close() error { return f.file.Close() }
