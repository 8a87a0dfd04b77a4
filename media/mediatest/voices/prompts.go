package voices

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// rate is the sample rate of all audio of this package, in hertz.
const rate = media.SpeechSampleRate

// Utterance is one phrase of a prompt, cut to its edges.
type Utterance struct {
	Voice  string // the folder of the prompts without its path
	Prompt string // the name of the file without its extension
	Part   int    // counts the phrases of a prompt from 0
	PCM    []int16
}

// MS returns the duration in milliseconds.
func (u Utterance) MS() int64 { return int64(len(u.PCM)) * 1000 / rate }

// soundsFolder contains one folder for each voice.
const soundsFolder = "/usr/share/asterisk/sounds"

// generation changes when the cache must be written again.
const generation = 2

// leastBytes is the size of the shortest prompt that is read: one second. Shorter prompts are
// single words and letters.
const leastBytes = rate / 2

// loaded keeps the utterances of several voices, because a test process needs them often.
type loaded struct {
	once    sync.Once
	all     []Utterance
	missing []string // voices without files
	err     error
}

var (
	library        = sync.OnceValue(func() *loaded { return &loaded{} })
	heldOutLibrary = sync.OnceValue(func() *loaded { return &loaded{} })
	actedLibrary   = sync.OnceValue(func() *loaded { return &loaded{} })
)

// load reads the files of each voice, once. It ends the test if a voice has none, as
// mediatest.Missing does.
func (l *loaded) load(t testing.TB, packages []string, files func() (map[string][]string, error)) []Utterance {
	t.Helper()
	mediatest.Needs(t, "ffmpeg")
	folder := mediatest.CacheDir(t)
	l.once.Do(func() {
		found, err := files()
		for _, voice := range sortedKeys(found) {
			if len(found[voice]) == 0 {
				l.missing = append(l.missing, voice)
			}
		}

		if l.err = err; err == nil && l.missing == nil {
			l.all, l.err = loadAll(folder, found)
		}
	})
	if l.err != nil {
		t.Fatalf("reading the recorded voices: %v", l.err)
	}
	if l.missing != nil {
		mediatest.Missing(t, "a recorded voice ("+strings.Join(l.missing, ", ")+")", packages...)
	}
	return l.all
}

// loadPrompts returns the phrases of voices whose packages are named after languages.
func (l *loaded) loadPrompts(t testing.TB, names []string) []Utterance {
	t.Helper()
	var packages []string
	for _, voice := range names {
		packages = append(packages, "asterisk-core-sounds-"+voice[:2]+"-g722")
	}
	return l.load(t, packages, func() (map[string][]string, error) {
		files := map[string][]string{}
		for _, voice := range names {
			found, err := promptFiles(filepath.Join(soundsFolder, voice))
			if err != nil {
				return nil, err
			}
			files[voice] = found
		}

		return files, nil
	})
}

// Load returns the phrases of the voices of Names, sorted by voice, prompt and part. It ends the
// test if one is not installed, as mediatest.Missing does.
func Load(t testing.TB) []Utterance {
	t.Helper()
	return library().loadPrompts(t, Names())
}

// Names returns the voices that train networks and set bounds and tables, sorted. They come from
// Debian's packages for English, Spanish and French. Other installed voices do not count, because
// each voice changes the recordings of a test.
func Names() []string { return []string{"en_US_f_Allison", "es_MX_f_Allison", "fr_CA_f_June"} }

// heldOut are the voices of HeldOut.
func heldOut() []string { return []string{"it_IT_m_Carlo", "ru_RU_f_IvrvoiceRU"} }

// HeldOut returns the voices that grade the detectors, sorted. They come from Debian's packages for
// Italian and Russian. No network, bound or table may be derived from these voices, because a voice
// cannot grade a detector that it trained. TrainingTalk refuses them. Unless both are installed,
// HeldOut ends the test, as mediatest.Missing does.
func HeldOut(t testing.TB) []string {
	t.Helper()
	loadHeldOut(t)
	return heldOut()
}

// loadHeldOut returns the phrases of the voices of HeldOut.
func loadHeldOut(t testing.TB) []Utterance {
	t.Helper()
	return heldOutLibrary().loadPrompts(t, heldOut())
}

func loadAll(cache string, files map[string][]string) ([]Utterance, error) {
	var all []Utterance
	for _, voice := range sortedKeys(files) {
		sum := sha256.Sum256([]byte(fmt.Sprint(generation, files[voice])))
		found, err := fromCache(filepath.Join(cache, fmt.Sprintf("voice-%x", sum[:10])), func() ([]Utterance, error) {
			return readVoice(voice, files[voice])
		})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}

	return all, nil
}

// promptFiles returns the prompts below a folder that are long enough to be a sentence.
func promptFiles(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil // the voice is not installed
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".g722" || strings.Contains(path, "/silence/") {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() >= leastBytes && !isSound(path) {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// isSound reports whether a prompt is not speech. The monkeys cry the same twice.
func isSound(path string) bool {
	name := filepath.Base(path)
	return strings.Contains(name, "beep") || strings.Contains(name, "2tone") || name == "tt-monkeys.g722"
}

// fromCache returns the utterances of a cache file, or makes the file.
func fromCache(path string, make func() ([]Utterance, error)) (found []Utterance, err error) {
	if data, err := os.ReadFile(path); err == nil {
		if found, err = decodeUtterances(data); err == nil {
			return found, nil
		}
	}

	if found, err = make(); err != nil {
		return nil, err
	}
	data, err := encodeUtterances(found)
	if err != nil {
		return nil, err
	}
	part, err := os.CreateTemp(filepath.Dir(path), "making-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(part.Name())
	if _, err = part.Write(data); err == nil {
		err = part.Close()
	}
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	return found, err
}

type cacheEntry struct {
	Voice, Prompt string
	Part, Samples int
}

// encodeUtterances writes an index as one line of JSON, then the samples.
func encodeUtterances(all []Utterance) ([]byte, error) {
	var index []cacheEntry
	for _, u := range all {
		index = append(index, cacheEntry{u.Voice, u.Prompt, u.Part, len(u.PCM)})
	}
	head, err := json.Marshal(index)
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(append(head, '\n'))
	for _, u := range all {
		out.Write(rawBytes(u.PCM))
	}
	return out.Bytes(), nil
}

func decodeUtterances(data []byte) (all []Utterance, err error) {
	head, rest, _ := bytes.Cut(data, []byte("\n"))
	var index []cacheEntry
	if err := json.Unmarshal(head, &index); err != nil {
		return nil, err
	}
	for _, e := range index {
		if len(rest) < 2*e.Samples {
			return nil, fmt.Errorf("the cache ends inside %s", e.Prompt)
		}
		all = append(all, Utterance{e.Voice, e.Prompt, e.Part, samplesOf(rest[:2*e.Samples])})
		rest = rest[2*e.Samples:]
	}

	return all, nil
}

// readVoice decodes prompts and cuts them into phrases.
func readVoice(voice string, files []string) (all []Utterance, err error) {
	for batch := range slices.Chunk(files, 40) {
		decoded, err := decodeFiles(batch)
		if err != nil {
			return nil, err
		}
		for i, pcm := range decoded {
			name := strings.TrimSuffix(filepath.Base(batch[i]), filepath.Ext(batch[i]))
			if folder := filepath.Base(filepath.Dir(batch[i])); folder != voice {
				name = folder + "/" + name
			}
			for part, s := range phrases(pcm) {
				all = append(all, Utterance{voice, name, part, pcm[s.from:s.to]})
			}
		}
	}

	slices.SortFunc(all, func(a, b Utterance) int {
		return cmp.Or(strings.Compare(a.Prompt, b.Prompt), cmp.Compare(a.Part, b.Part))
	})
	return all, nil
}

// decodeFiles decodes audio files with one call of ffmpeg.
func decodeFiles(files []string) ([][]int16, error) {
	work, err := os.MkdirTemp("", "voices-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	args := []string{"-v", "error", "-nostdin"}
	var outputs []string
	for i, f := range files {
		if filepath.Ext(f) == ".g722" {
			args = append(args, "-f", "g722") // the file does not show its format
		}
		args = append(args, "-i", f)
		out := filepath.Join(work, fmt.Sprint(i))
		outputs = append(outputs, "-map", fmt.Sprint(i), "-f", "s16le", "-ac", "1", "-ar", fmt.Sprint(rate), out)
	}

	if out, err := exec.Command("ffmpeg", append(args, outputs...)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("decoding prompts with ffmpeg: %w\n%s", err, out)
	}
	var decoded [][]int16
	for i := range files {
		raw, err := os.ReadFile(filepath.Join(work, fmt.Sprint(i)))
		if err != nil {
			return nil, err
		}
		decoded = append(decoded, samplesOf(raw))
	}

	return decoded, nil
}

func samplesOf(raw []byte) []int16 {
	pcm := make([]int16, len(raw)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	return pcm
}

func rawBytes(pcm []int16) []byte {
	raw := make([]byte, 0, 2*len(pcm))
	for _, s := range pcm {
		raw = binary.LittleEndian.AppendUint16(raw, uint16(s))
	}
	return raw
}
