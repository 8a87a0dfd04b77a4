package voices

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"roughcut/media/mediatest"
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
	// lastingSet holds applause, and then the sounds of lastingNames.
	lastingSet = sync.OnceValue(func() *soundset { return &soundset{} })
)

const musicFolder = "/usr/share/asterisk/moh"

// musicNames are the pieces of asterisk-moh-opsound-g722. The folder can hold music of others.
func musicNames() []string {
	return []string{
		"macroform-cold_day", "macroform-robot_dity", "macroform-the_simplicity", "manolo_camp-morning_coffee",
		"reno_project-system",
	}
}

// loadMusic returns the music on hold of Debian's asterisk-moh-opsound-g722.
func loadMusic(t testing.TB) [][]float64 {
	t.Helper()
	return musicSet().load(t, "asterisk-moh-opsound-g722", func() ([][]float64, error) {
		var files []string
		for _, name := range musicNames() {
			files = append(files, filepath.Join(musicFolder, name+".g722"))
		}
		if _, err := os.Stat(files[0]); err != nil {
			return nil, nil
		}
		decoded, err := decodeFiles(files)
		var out [][]float64
		for _, pcm := range decoded {
			out = append(out, floats(pcm))
		}
		return out, err
	})
}

const (
	objectPackage = "openttd-opensfx"
	objectFile    = "/usr/share/games/openttd/baseset/opensfx/opensfx.cat"
)

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

// applauseName is the sound of an audience in OpenSFX.
const applauseName = "Applause"

// lastingNames are sounds in OpenSFX that last for seconds and are neither music nor people.
func lastingNames() []string {
	return []string{
		"Steam train station departure", "Ship horn", "Propeller plane start", "Early jet take off", "Mining machinery",
		"Steam (of steam engine)", "Helicopter", "Truck/old bus start, pull away", "Modern bus start", "Jackhammer",
		"Sawmill", "Wind", "Lumber mill: Chainsaw", "Heavy wind", "Modern jet take off",
		"Maglev train station departure", "Monorail train station departure", "Level crossing",
	}
}

// loadObjects returns the sounds of objects of Debian's openttd-opensfx, at most two seconds each.
func loadObjects(t testing.TB) [][]float64 {
	t.Helper()
	return objectSet().load(t, objectPackage, func() ([][]float64, error) {
		return loadOpenSFX(objectNames(), 2*rate)
	})
}

// loadLasting returns a sound of applauseName or lastingNames.
func loadLasting(t testing.TB, name string) []float64 {
	t.Helper()
	names := append([]string{applauseName}, lastingNames()...)
	all := lastingSet().load(t, objectPackage, func() ([][]float64, error) { return loadOpenSFX(names, 10*rate) })
	return all[slices.Index(names, name)]
}

// loadOpenSFX returns sounds by their names, or none if the package is not installed.
func loadOpenSFX(names []string, longest int) (out [][]float64, err error) {
	data, err := os.ReadFile(objectFile)
	if err != nil {
		return nil, nil
	}
	for _, name := range names {
		sound, err := soundOf(data, name, longest)
		if err != nil {
			return nil, err
		}
		out = append(out, sound)
	}

	return out, nil
}

// load reads the sounds once. It ends the test if the package is not installed, as
// mediatest.Missing does.
func (s *soundset) load(t testing.TB, name string, read func() ([][]float64, error)) [][]float64 {
	t.Helper()
	mediatest.Needs(t, "ffmpeg")
	s.once.Do(func() { s.sounds, s.err = read() })
	if s.err != nil {
		t.Fatalf("reading the sounds of %s: %v", name, s.err)
	}
	if len(s.sounds) == 0 {
		mediatest.Missing(t, "a set of sounds", name)
	}
	return s.sounds
}

// soundOf decodes one WAV file of a set of sounds. The file follows its title.
func soundOf(data []byte, name string, longest int) ([]float64, error) {
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
	return trimmed(floats(samplesOf(raw)), longest), nil
}

// trimmed returns a sound without its quiet ends, with at most longest samples.
func trimmed(sound []float64, longest int) []float64 {
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
	return fitted(sound[from:to], longest)
}

func floats(pcm []int16) []float64 {
	out := make([]float64, len(pcm))
	for i, x := range pcm {
		out[i] = float64(x) / 32768
	}
	return out
}
