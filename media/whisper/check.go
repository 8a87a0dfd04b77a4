package whisper

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ModelInfo is what the head of a model file says.
type ModelInfo struct {
	Name         string `json:"name"` // file name without "ggml-" and its ending
	SizeBytes    int64  `json:"size_bytes"`
	Multilingual bool   `json:"multilingual"`
	AudioLayers  int    `json:"audio_layers"` // 4 tiny, 6 base, 12 small, 24 medium, 32 large
	TextLayers   int    `json:"text_layers"`
	Width        int    `json:"width"`        // numbers in a hidden state
	Quantization string `json:"quantization"` // "f16", "q5_0", …
}

// header is the fixed part of a ggml Whisper file, in file order.
type header struct {
	Magic                                                 uint32
	Vocab                                                 int32
	AudioCtx, AudioState, AudioHead, AudioLayer           int32
	TextCtx, TextState, TextHead, TextLayer, Mels, Format int32
}

const (
	ggmlMagic          = 0x67676d6c
	quantVersionFactor = 1000 // Format holds the version of the quantisation in its thousands
	minVocab           = 51864
	multilingualVocab  = 51865
)

// blockFormat is how a tensor type packs its numbers: bytes for each block of so many.
type blockFormat struct{ numbers, bytes int64 }

// tensorFormat returns how ggml's tensor type packs numbers.
func tensorFormat(kind int32) (blockFormat, bool) {
	switch kind {
	case 0:
		return blockFormat{1, 4}, true // f32
	case 1, 30:
		return blockFormat{1, 2}, true // f16, bf16
	case 2:
		return blockFormat{32, 18}, true // q4_0
	case 3:
		return blockFormat{32, 20}, true // q4_1
	case 6:
		return blockFormat{32, 22}, true // q5_0
	case 7:
		return blockFormat{32, 24}, true // q5_1
	case 8:
		return blockFormat{32, 34}, true // q8_0
	case 10:
		return blockFormat{256, 84}, true // q2_k
	case 11:
		return blockFormat{256, 110}, true // q3_k
	case 12:
		return blockFormat{256, 144}, true // q4_k
	case 13:
		return blockFormat{256, 176}, true // q5_k
	case 14:
		return blockFormat{256, 210}, true // q6_k
	}
	return blockFormat{}, false
}

// quantizationName names a file's format number.
func quantizationName(format int32) (string, bool) {
	names := map[int32]string{
		0:  "f32",
		1:  "f16",
		2:  "q4_0",
		3:  "q4_1",
		7:  "q8_0",
		8:  "q5_0",
		9:  "q5_1",
		10: "q2_k",
		11: "q3_k",
		12: "q4_k",
		13: "q5_k",
		14: "q6_k",
		24: "bf16",
	}
	name, ok := names[format]
	return name, ok
}

// CheckModel reads a model file from end to end without loading it, and finds what whisper.cpp
// would crash on: another kind of file, impossible dimensions, a download that stopped early. The
// error says what to do.
func CheckModel(path string) (ModelInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return ModelInfo{}, fmt.Errorf("there is no speech model at %s; put a ggml Whisper model there", path)
		}
		return ModelInfo{}, fmt.Errorf("open speech model: %w", err)
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return ModelInfo{}, fmt.Errorf("open speech model: %w", err)
	}
	if !stat.Mode().IsRegular() {
		return ModelInfo{}, fmt.Errorf("%s is not a file; give the path of a ggml Whisper model", path)
	}
	info, err := check(f, stat.Size())
	if err != nil {
		return ModelInfo{}, fmt.Errorf("%s cannot be used as a speech model: %w", path, err)
	}
	info.Name = modelName(path)
	return info, nil
}

// modelName returns the last part of a path without what every model's name has.
func modelName(path string) string {
	base := filepath.Base(path)
	return strings.TrimPrefix(strings.TrimSuffix(base, filepath.Ext(base)), "ggml-")
}

// check walks through the parts of a model of size bytes.
func check(r io.ReadSeeker, size int64) (ModelInfo, error) {
	in := &walker{r: r, buf: bufio.NewReaderSize(r, 1<<16), size: size}
	var h header
	if err := in.read(&h); err != nil || h.Magic != ggmlMagic {
		return ModelInfo{}, errors.New("it is no ggml file; get a model named ggml-….bin")
	}
	quantization, known := quantizationName(h.Format % quantVersionFactor)
	if !known {
		return ModelInfo{}, fmt.Errorf("its format number %d is unknown; convert it anew or get another one", h.Format)
	}
	if err := h.check(); err != nil {
		return ModelInfo{}, err
	}
	if err := in.skipFiltersAndWords(h); err != nil {
		return ModelInfo{}, err
	}
	tensors := 0
	for in.at < size {
		if err := in.skipTensor(); err != nil {
			return ModelInfo{}, err
		}
		tensors++
	}
	if want := 10 + 15*int(h.AudioLayer) + 24*int(h.TextLayer); tensors < want-6 {
		return ModelInfo{}, errCutShort
	}
	return ModelInfo{
		SizeBytes:    size,
		Multilingual: h.Vocab >= multilingualVocab,
		AudioLayers:  int(h.AudioLayer),
		TextLayers:   int(h.TextLayer),
		Width:        int(h.AudioState),
		Quantization: quantization,
	}, nil
}

var errCutShort = errors.New("the file ends too early; download it again")

// check refuses dimensions that no Whisper model has.
func (h header) check() error {
	switch {
	case h.Vocab < minVocab || h.Vocab > 60000,
		h.AudioCtx < 1 || h.AudioCtx > 1500, h.TextCtx < 1 || h.TextCtx > 4096,
		h.AudioState != h.TextState || h.AudioState < 1 || h.AudioState > 8192,
		h.AudioHead < 1 || h.AudioState%h.AudioHead != 0, h.TextHead < 1 || h.TextState%h.TextHead != 0,
		h.AudioLayer < 1 || h.AudioLayer > 128, h.TextLayer < 1 || h.TextLayer > 128,
		h.Mels != 80 && h.Mels != 128:
		return errors.New("it does not hold a Whisper model; it may be a model for something else, or damaged")
	}
	return nil
}

// walker reads and skips forward through a model file, counting where it is.
type walker struct {
	r        io.ReadSeeker
	buf      *bufio.Reader
	at, size int64
}

// read fills a value of fixed size, little endian.
func (w *walker) read(value any) error {
	n := int64(binary.Size(value))
	if n > w.size-w.at {
		return errCutShort
	}
	if err := binary.Read(w.buf, binary.LittleEndian, value); err != nil {
		return fmt.Errorf("reading it: %w", err)
	}
	w.at += n
	return nil
}

// skip moves n bytes on.
func (w *walker) skip(n int64) error {
	if n < 0 || n > w.size-w.at {
		return errCutShort
	}
	w.at += n
	if n <= int64(w.buf.Buffered()) {
		_, err := w.buf.Discard(int(n))
		return err
	}
	if _, err := w.r.Seek(w.at, io.SeekStart); err != nil {
		return fmt.Errorf("reading it: %w", err)
	}
	w.buf.Reset(w.r)
	return nil
}

// skipFiltersAndWords checks the mel filter bank and the list of words.
func (w *walker) skipFiltersAndWords(h header) error {
	var filters struct{ Mels, FFT int32 }
	if err := w.read(&filters); err != nil {
		return err
	}
	if filters.Mels != h.Mels || filters.FFT < 1 || filters.FFT > 4096 {
		return errors.New("its filter bank is damaged; download it again")
	}
	if err := w.skip(4 * int64(filters.Mels) * int64(filters.FFT)); err != nil {
		return err
	}
	var words int32
	if err := w.read(&words); err != nil {
		return err
	}
	if words < 1 || words > h.Vocab {
		return errors.New("its list of words is damaged; download it again")
	}
	for range words {
		var length uint32
		if err := w.read(&length); err != nil {
			return err
		}
		if length > 4096 {
			return errors.New("its list of words is damaged; download it again")
		}
		if err := w.skip(int64(length)); err != nil {
			return err
		}
	}
	return nil
}

// skipTensor checks one tensor's head and moves past its numbers.
func (w *walker) skipTensor() error {
	var head struct{ Dims, NameBytes, Kind int32 }
	if err := w.read(&head); err != nil {
		return err
	}
	format, ok := tensorFormat(head.Kind)
	if !ok || head.Dims < 1 || head.Dims > 4 || head.NameBytes < 1 || head.NameBytes > 256 {
		return errors.New("a table in it is damaged; download it again")
	}
	numbers := int64(1)
	for range head.Dims {
		var n int32
		if err := w.read(&n); err != nil {
			return err
		}
		if n < 1 || numbers > w.size*32/int64(n) {
			return errCutShort
		}
		numbers *= int64(n)
	}
	return errors.Join(w.skip(int64(head.NameBytes)), w.skip(numbers/format.numbers*format.bytes))
}
