package voices

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// soundset holds recordings that accompany a voice.
type soundset struct {
	once   sync.Once
	sounds [][]float64
	err    error
}

var (
	musicSet  = sync.OnceValue(func() *soundset { return &soundset{} })
	objectSet = sync.OnceValue(func() *soundset { return &soundset{} })
)

// loadMusic returns the music on hold of Debian's asterisk-moh-opsound-g722.
func loadMusic(t testing.TB) [][]float64 {
	t.Helper()
	return musicSet().load(t, "asterisk-moh-opsound-g722", func() ([][]float64, error) {
		files, _ := filepath.Glob("/usr/share/asterisk/moh/*.g722")
		decoded, err := decodeFiles(files)
		var out [][]float64
		for _, pcm := range decoded {
			out = append(out, floats(pcm))
		}
		return out, err
	})
}

const objectFile = "/usr/share/games/openttd/baseset/opensfx/opensfx.cat"

// objectNames are the sounds of objects in OpenSFX: things that fall, break, tear or knock. The
// others are vehicles, animals, horns and audiences.
func objectNames() []string {
	return []string{
		"Electric sparking", "Road vehicle breakdown", "Train/ship breakdown", "Crash", "Cash till",
		"Plane wheels touching ground", "Splat (rail builds)", "Splat (terraform/non-rail builds", "Building bridge",
		"Toyland: Sugar mine (1)", "Toyland: Road vehicle breakdown", "Toyland: Toffee quarry",
		"Lumber mill: Crashing tree",
	}
}

// loadObjects returns the sounds of objects of Debian's openttd-opensfx.
func loadObjects(t testing.TB) [][]float64 {
	t.Helper()
	return objectSet().load(t, "openttd-opensfx", func() ([][]float64, error) {
		data, err := os.ReadFile(objectFile)
		if err != nil {
			return nil, nil
		}
		var out [][]float64
		for _, name := range objectNames() {
			sound, err := soundOf(data, name)
			if err != nil {
				return nil, err
			}
			out = append(out, sound)
		}
		return out, nil
	})
}

// load reads the sounds once. It skips the test if the package is not installed.
func (s *soundset) load(t testing.TB, name string, read func() ([][]float64, error)) [][]float64 {
	t.Helper()
	s.once.Do(func() { s.sounds, s.err = read() })
	if s.err != nil {
		t.Fatalf("reading the sounds of %s: %v", name, s.err)
	}
	if len(s.sounds) == 0 {
		t.Skipf("no sounds: install %s", name)
	}
	return s.sounds
}

// soundOf decodes one WAV file of a set of sounds. The file follows its title.
func soundOf(data []byte, name string) ([]float64, error) {
	title := bytes.Index(data, []byte(`"`+name+`"`))
	if title < 0 {
		return nil, fmt.Errorf("%s has no sound %s", objectFile, name)
	}
	start := title + bytes.Index(data[title:], []byte("RIFF"))
	if start < title || start+8 > len(data) {
		return nil, fmt.Errorf("%s: %s is not a WAV file", objectFile, name)
	}
	size := min(int(binary.LittleEndian.Uint32(data[start+4:]))+8, len(data)-start)
	cmd := exec.Command(
		"ffmpeg", "-v", "error", "-i", "pipe:0", "-f", "s16le", "-ac", "1", "-ar", fmt.Sprint(rate), "pipe:1",
	)
	cmd.Stdin = bytes.NewReader(data[start : start+size])
	raw, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("decoding %s with ffmpeg: %w", name, err)
	}
	return trimmed(floats(samplesOf(raw))), nil
}

// trimmed returns a sound without its quiet ends, at most two seconds long.
func trimmed(sound []float64) []float64 {
	most := 0.0
	for _, x := range sound {
		most = max(most, math.Abs(x))
	}
	from, to := 0, len(sound)
	for from < to && math.Abs(sound[from]) < most*gain(-40) {
		from++
	}
	for to > from && math.Abs(sound[to-1]) < most*gain(-40) {
		to--
	}
	return fitted(sound[from:to], 2*rate)
}

func floats(pcm []int16) []float64 {
	out := make([]float64, len(pcm))
	for i, x := range pcm {
		out[i] = float64(x) / 32768
	}
	return out
}
