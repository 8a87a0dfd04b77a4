package e2e

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// asSeeds is the environment variable with the folder that TestSeeds fills for the page tests.
const asSeeds = "ROUGHCUT_SEEDS"

// seed is a data directory that many tests start from, each with its copy. Its media has
// been ingested, analyzed and rendered once.
type seed struct {
	Owner bool              `json:"owner"` // whether its server runs in owner mode
	Facts map[string]string `json:"facts"` // UUIDs that tests need, by name
}

// seedBuilder fills a data directory: an empty one, or a copy of the seed base.
type seedBuilder struct {
	base  string
	build func(t *testing.T, dir string, base seed) seed
}

// seeds are the builders by name.
var seeds = map[string]seedBuilder{
	"talk":     {build: seedTalk},
	"exported": {base: "talk", build: seedExported},
	"takes":    {build: seedTakes},
	"library":  {build: seedLibrary},
	"numbers":  {build: seedNumbers},
	"accounts": {build: seedAccounts},
	"untiled":  {build: seedUntiled},
	"garden":   {build: seedGarden},
	"shapes":   {build: seedShapes},
}

// seedFolder is a folder of seeds, which are built once.
type seedFolder struct {
	path string     // empty for a new temporary folder
	lock sync.Mutex // of the map
	made map[string]*builtSeed
}

// builtSeed is a seed whose lock is held while it is built.
type builtSeed struct {
	lock  sync.Mutex
	built bool
	seed
}

// add builds a seed, and first its base, unless the folder has it. Several seeds can be built at
// once.
func (f *seedFolder) add(t *testing.T, name string) seed {
	t.Helper()
	f.lock.Lock()
	if f.path == "" {
		var err error
		if f.path, err = os.MkdirTemp("", "roughcut-seeds-"); err != nil {
			t.Error(err)
		}
	}
	one := f.made[name]
	if one == nil {
		one = &builtSeed{}
		f.made[name] = one
	}
	f.lock.Unlock()
	one.lock.Lock()
	defer one.lock.Unlock()
	if !one.built {
		one.seed = f.build(t, name)
		one.built = true
	}
	return one.seed
}

func (f *seedFolder) build(t *testing.T, name string) seed {
	t.Helper()
	b := seeds[name]
	if b.build == nil {
		t.Fatalf("the seed %s does not exist", name)
	}
	dir := filepath.Join(f.path, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var base seed
	if b.base != "" {
		base = f.add(t, b.base)
		if err := copySeed(filepath.Join(f.path, b.base), dir); err != nil {
			t.Fatal(err)
		}
	}
	return b.build(t, dir, base)
}

// TestSeeds writes every seed, the footage of the page tests and a copy of this program to the
// folder that ROUGHCUT_SEEDS names. seeds.json describes them.
func TestSeeds(t *testing.T) {
	t.Parallel()
	path := os.Getenv(asSeeds)
	if path == "" {
		t.Skip("make test-pages writes the seeds and sets ROUGHCUT_SEEDS")
	}
	folder := &seedFolder{path: path, made: map[string]*builtSeed{}}
	t.Run("all", func(t *testing.T) {
		for name := range seeds {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				folder.add(t, name)
			})
		}
	})
	if t.Failed() {
		return
	}

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	files := filepath.Join(path, "files")
	if err := os.MkdirAll(files, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]string{
		"program":  self,
		"talk.mp4": shortTalk(t), // 640 x 360, some seconds with two cuts
		"tiny.mp4": tinyTalk(t),  // 320 x 180
		"variable.mp4": mediatest.Talk(t, mediatest.TalkOptions{
			Width: 320, Height: 180, Seconds: 6, GOP: 30, VideoOptions: bt709, Variable: true,
		}).Path,
		"bell.wav":  film(t, "bell.wav", "-f", "lavfi", "-i", "sine=frequency=1000:r=48000:d=3"),
		"logo.png":  drawing(t, 600, 400),
		"large.mp4": large(t, tinyTalk(t)),
		"model.bin": mediatest.Model(t),
	} {
		if err := linkOrCopy(source, filepath.Join(files, name)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.MarshalIndent(folder.made, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "seeds.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// large copies an MP4 and makes it so large that the page uploads it in parts. A trailing free box
// adds the size, which players skip.
func large(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const more = 120_000_000
	text = append(binary.BigEndian.AppendUint32(text, more), "free"...)
	larger := filepath.Join(t.TempDir(), "whole day.mp4")
	if err := os.WriteFile(larger, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(larger, int64(len(text)+more-8)); err != nil {
		t.Fatal(err)
	}
	return larger
}

// ownSeeds are the seeds that this program builds for its own tests. TestMain deletes them.
var ownSeeds = seedFolder{made: map[string]*builtSeed{}}

// startFrom returns a copy of a seed and its facts.
func startFrom(t *testing.T, name string) (dir string, facts map[string]string) {
	t.Helper()
	one := ownSeeds.add(t, name)
	dir = t.TempDir()
	if err := copySeed(filepath.Join(ownSeeds.path, name), dir); err != nil {
		t.Fatal(err)
	}
	return dir, one.Facts
}

// copySeed copies a data directory. Stored media never changes, so its files are hard links.
func copySeed(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		switch {
		case entry.IsDir():
			return os.MkdirAll(target, 0o700)
		case strings.HasPrefix(filepath.ToSlash(name), "media/"):
			return linkOrCopy(path, target)
		case entry.Type().IsRegular():
			return copyFile(path, target)
		}
		return nil // a socket of the server
	})
}

// linkOrCopy makes a hard link, or a copy where the file systems differ.
func linkOrCopy(from, to string) error {
	if err := os.Link(from, to); err == nil {
		return nil
	}
	return copyFile(from, to)
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		target.Close()
		return err
	}
	return target.Close()
}

// seedHeight is the frame height of filmed seeds, small because browsers and servers decode it in
// every test.
const seedHeight = 360

// kitchen is the name of the project of most seeds.
const kitchen = "Light in a small kitchen"

// findFaces looks for faces in the clips of a project, because otherwise the editor does it in each
// test.
func (c *client) findFaces(project string) {
	c.t.Helper()
	for _, clip := range call[list[record]](c, "GET", "/api/v1/projects/"+project+"/clips/", nil, 200).Items {
		call[any](c, "GET", "/api/v1/clips/"+clip.UUID+"/faces", nil, 200)
	}
}

// seedTalk is a talk that was analyzed with the test model, with captions of up to seven words.
func seedTalk(t *testing.T, dir string, _ seed) seed {
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	c := server.owner(t)
	project := c.guideProject(kitchen, filmSpeech(t, mediatest.Speak(t, guideScript), seedHeight), true)
	c.findFaces(project)
	server.stop()
	return seed{Owner: true, Facts: map[string]string{"project": project}}
}

// seedExported is seedTalk with one finished export.
func seedExported(t *testing.T, dir string, base seed) seed {
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	c := server.owner(t)
	project := base.Facts["project"]
	settings := map[string]any{"name": "Kitchen"}
	export := call[record](c, "POST", "/api/v1/projects/"+project+"/exports/", settings, 202).UUID
	comesTo(t, c, "/api/v1/projects/"+project+"/exports/", "completed")
	server.stop()
	return seed{Owner: true, Facts: map[string]string{"project": project, "export": export}}
}

// seedLibrary is a library with three images, a video and a sound, and no project.
func seedLibrary(t *testing.T, dir string, _ seed) seed {
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	facts := map[string]string{}
	add := func(name, path, contentType string) {
		facts[name] = c.asset(c.addAsset(path, contentType).UUID).UUID
	}
	for name, filter := range map[string]string{
		"window": "crop=330:400:90:70", "camera": "crop=380:300:940:60", "microphone": "crop=330:230:740:520",
	} {
		add(name, guideStill(t, name, filter), "image/png")
	}
	add("city", film(t, "city.mp4", "-i", tinyTalk(t), "-c", "copy"), "video/mp4")
	add("bell", film(t, "bell.wav", "-f", "lavfi", "-i", "sine=frequency=1000:r=48000:d=3"), "audio/wav")
	server.stop()
	return seed{Owner: true, Facts: facts}
}

// numbered films 200 frames at 25 frames per second. Each frame shows its number in eight squares,
// black or white, with the lowest bit on the left.
func numbered(t *testing.T, name string) string {
	t.Helper()
	squares := "color=c=gray:s=640x360:r=25:d=8"
	for bit := range 8 {
		squares += fmt.Sprintf(
			",drawbox=x=%d:y=0:w=80:h=360:c=black:t=fill:enable='not(mod(floor(n/%d)\\,2))'"+
				",drawbox=x=%d:y=0:w=80:h=360:c=white:t=fill:enable='mod(floor(n/%d)\\,2)'",
			80*bit, 1<<bit, 80*bit, 1<<bit,
		)
	}
	return film(
		t, name, "-f", "lavfi", "-i", squares, "-f", "lavfi", "-i", "sine=frequency=300:r=48000:d=8",
		"-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "50", "-c:a", "aac",
	)
}

// seedNumbers is a project of two clips of 8 s, whose frames show their numbers, with four cuts in
// the first one.
func seedNumbers(t *testing.T, dir string, _ seed) seed {
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	user := call[record](c, "GET", "/api/v1/users/me", nil, 200)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Numbers"}, 201)
	c.upload(project.UUID, numbered(t, "first.mp4"))
	c.clipsReady(project.UUID, 1)
	server.stop()

	heard := detect.Evidence{DurationMS: 8000, Words: gardenWords()}
	analyzeWith(t, dir, user.UUID, project.UUID, heard, func(clip string, result *store.AnalysisResult) {
		result.Edits = nil
		for _, startMS := range []int64{1000, 2019, 3021, 4999} { // before and after the middle of a frame
			result.Edits = append(result.Edits, store.DetectedEdit{
				ClipUUID: clip, Type: store.EditSilence, Span: media.Span{StartMS: startMS, EndMS: startMS + 400},
				Active: true, Reason: "Silence", Confidence: 0.9,
			})
		}
	})
	server = serve(t, dir, nil, "--owner")
	c = server.owner(t)
	c.upload(project.UUID, numbered(t, "second.mp4"))
	c.clipsReady(project.UUID, 2)
	c.findFaces(project.UUID)
	server.stop()
	return seed{Owner: true, Facts: map[string]string{"project": project.UUID}}
}

// accountPassword is the password of all accounts of the seed.
const accountPassword = "a long enough passphrase"

// seedAccounts has the accounts ada@, bob@ and carla@example.com. Ada is an admin.
func seedAccounts(t *testing.T, dir string, _ seed) seed {
	for i, name := range []string{"Ada", "Bob", "Carla"} {
		cmd := program(
			t.Context(), dir, "admin", "create-user", "--email", strings.ToLower(name)+"@example.com", "--name",
			name, "--username", strings.ToLower(name), "--password-stdin",
		)
		if i == 0 {
			cmd.Args = append(cmd.Args, "--admin")
		}
		cmd.Stdin = strings.NewReader(accountPassword + "\n")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	return seed{Facts: map[string]string{"password": accountPassword}}
}
