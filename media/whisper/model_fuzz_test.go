package whisper

import (
	"bytes"
	"io"
	"os"
	"testing"

	"roughcut/media/mediatest"
)

// A model file is described, or refused with a reason, from its headers alone.
func FuzzCheckModel(f *testing.F) {
	file, err := os.Open(mediatest.Model(f))
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	head := make([]byte, 64<<10)
	if _, err := io.ReadFull(file, head); err != nil {
		f.Fatal(err)
	}
	for _, n := range []int{0, 10, 44, 52, 4096, len(head)} {
		f.Add(head[:n])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		info, err := verify(bytes.NewReader(data), int64(len(data)))
		if (err == nil && (info.AudioLayers < 1 || info.TextLayers < 1 || info.Width < 1 || info.Quantization == "")) ||
			(err != nil && err.Error() == "") {
			t.Errorf("%+v, %v", info, err)
		}
	})
}
