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

// ModelInfo describes a model file, from its header.
type ModelInfo struct {
	Name         string `json:"name"` // file name without "ggml-" and the extension
	SizeBytes    int64  `json:"size_bytes"`
	Multilingual bool   `json:"multilingual"`
	Languages    int    `json:"languages"`    // how many it knows, in the order of Whisper; 1 is English
	AudioLayers  int    `json:"audio_layers"` // 4 tiny, 6 base, 12 small, 24 medium, 32 large
	TextLayers   int    `json:"text_layers"`
	Width        int    `json:"width"`        // size of a hidden state
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
	quantVersionFactor = 1000 // the thousands of Format are the quantization version
	minVocab           = 51864
	multilingualVocab  = 51865
	withoutLanguages   = 51766 // size of the vocabulary without the tokens of languages
)

// blockFormat is the block size of a tensor type, in numbers and in bytes.
type blockFormat struct{ numbers, bytes int64 }

// tensorFormat returns the block format of a ggml tensor type. ok is false for an unknown type.
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

// quantizationName returns the name of a format number of a model file.
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

// CheckModel reads a complete model file without loading it. It rejects files that would crash
// whisper.cpp: files of another type, impossible dimensions, and incomplete downloads. The error
// says what to do.
func CheckModel(path string) (ModelInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return ModelInfo{}, fmt.Errorf("no speech model at %s; put a ggml Whisper model there", path)
		}
		return ModelInfo{}, fmt.Errorf("open speech model: %w", err)
	}

	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return ModelInfo{}, fmt.Errorf("open speech model: %w", err)
	}
	if !stat.Mode().IsRegular() {
		return ModelInfo{}, fmt.Errorf("%s is not a file; specify the path of a ggml Whisper model", path)
	}
	info, err := verify(f, stat.Size())
	if err != nil {
		return ModelInfo{}, fmt.Errorf("%s cannot be used as a speech model: %w", path, err)
	}
	info.Name = ModelName(path)
	return info, nil
}

// ModelName returns the file name of a model without the parts that all model names share.
func ModelName(path string) string {
	base := filepath.Base(path)
	return strings.TrimPrefix(strings.TrimSuffix(base, filepath.Ext(base)), "ggml-")
}

// verify validates the parts of a model of size bytes.
func verify(r io.ReadSeeker, size int64) (ModelInfo, error) {
	in := &modelReader{file: r, buf: bufio.NewReaderSize(r, 1<<16), size: size}
	var h header
	if err := in.read(&h); err != nil || h.Magic != ggmlMagic {
		return ModelInfo{}, errors.New("it is not a ggml file; get a model named ggml-….bin")
	}
	quantization, known := quantizationName(h.Format % quantVersionFactor)
	if !known {
		return ModelInfo{}, fmt.Errorf(
			"its format number %d is unknown; convert the model again or get another one", h.Format)
	}

	if err := h.validate(); err != nil {
		return ModelInfo{}, err
	}
	if err := in.skipFiltersAndVocabulary(h); err != nil {
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
		return ModelInfo{}, errTruncated
	}
	languages := 1
	if h.Vocab >= multilingualVocab {
		languages = int(h.Vocab) - withoutLanguages
	}
	return ModelInfo{
		SizeBytes:    size,
		Multilingual: languages > 1,
		Languages:    languages,
		AudioLayers:  int(h.AudioLayer),
		TextLayers:   int(h.TextLayer),
		Width:        int(h.AudioState),
		Quantization: quantization,
	}, nil
}

var errTruncated = errors.New("the file is incomplete; download it again")

// validate rejects dimensions that no Whisper model has.
func (h header) validate() error {
	switch {
	case h.Vocab < minVocab || h.Vocab > 60000,
		h.AudioCtx < 1 || h.AudioCtx > 1500, h.TextCtx < 1 || h.TextCtx > 4096,
		h.AudioState != h.TextState || h.AudioState < 1 || h.AudioState > 8192,
		h.AudioHead < 1 || h.AudioState%h.AudioHead != 0, h.TextHead < 1 || h.TextState%h.TextHead != 0,
		h.AudioLayer < 1 || h.AudioLayer > 128, h.TextLayer < 1 || h.TextLayer > 128,
		h.Mels != 80 && h.Mels != 128:
		return errors.New("it does not contain a Whisper model; get a ggml Whisper model")
	}

	return nil
}

// modelReader reads and skips forward through a model file. at is its position.
type modelReader struct {
	file     io.ReadSeeker
	buf      *bufio.Reader
	at, size int64
}

// read fills a value of fixed size from little-endian bytes.
func (r *modelReader) read(value any) error {
	n := int64(binary.Size(value))
	if n > r.size-r.at {
		return errTruncated
	}
	if err := binary.Read(r.buf, binary.LittleEndian, value); err != nil {
		return fmt.Errorf("read it: %w", err)
	}
	r.at += n
	return nil
}

// skip skips n bytes.
func (r *modelReader) skip(n int64) error {
	if n < 0 || n > r.size-r.at {
		return errTruncated
	}
	r.at += n
	if n <= int64(r.buf.Buffered()) {
		_, err := r.buf.Discard(int(n))
		return err
	}

	if _, err := r.file.Seek(r.at, io.SeekStart); err != nil {
		return fmt.Errorf("read it: %w", err)
	}
	r.buf.Reset(r.file)
	return nil
}

// skipFiltersAndVocabulary validates and skips the mel filter bank and the vocabulary.
func (r *modelReader) skipFiltersAndVocabulary(h header) error {
	var filters struct{ Mels, FFT int32 }
	if err := r.read(&filters); err != nil {
		return err
	}
	if filters.Mels != h.Mels || filters.FFT < 1 || filters.FFT > 4096 {
		return errors.New("its filter bank is damaged; download it again")
	}
	if err := r.skip(4 * int64(filters.Mels) * int64(filters.FFT)); err != nil {
		return err
	}
	var words int32
	if err := r.read(&words); err != nil {
		return err
	}
	if words < 1 || words > h.Vocab {
		return errors.New("its vocabulary is damaged; download it again")
	}
	for range words {
		var length uint32
		if err := r.read(&length); err != nil {
			return err
		}
		if length > 4096 {
			return errors.New("its vocabulary is damaged; download it again")
		}
		if err := r.skip(int64(length)); err != nil {
			return err
		}
	}

	return nil
}

// skipTensor validates the header of one tensor and skips its data.
func (r *modelReader) skipTensor() error {
	var head struct{ Dims, NameBytes, Kind int32 }
	if err := r.read(&head); err != nil {
		return err
	}
	format, ok := tensorFormat(head.Kind)
	if !ok || head.Dims < 1 || head.Dims > 4 || head.NameBytes < 1 || head.NameBytes > 256 {
		return errors.New("one of its tensors is damaged; download it again")
	}
	numbers := int64(1)
	for range head.Dims {
		var n int32
		if err := r.read(&n); err != nil {
			return err
		}
		if n < 1 || numbers > r.size*32/int64(n) {
			return errTruncated
		}
		numbers *= int64(n)
	}

	if err := r.skip(int64(head.NameBytes)); err != nil {
		return err
	}
	return r.skip(numbers / format.numbers * format.bytes)
}
