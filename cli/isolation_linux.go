package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"roughcut/media"
	"roughcut/media/libav"
	"roughcut/media/whisper"
	"roughcut/pipeline"
	"roughcut/pipeline/sandbox"
	"roughcut/store"
)

// addEngineCommand adds the hidden command that answers one call of an isolated engine.
func addEngineCommand(root *cobra.Command) {
	root.AddCommand(&cobra.Command{
		Use:    sandbox.Name,
		Short:  "Answer one call of a server",
		Hidden: true,
		Args:   usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return sandbox.Serve(sandbox.Local{
				Media: localEngine, Speech: localSpeech, Encoder: libav.New().ChooseEncoder, Graphics: whisper.Graphics,
			})
		},
	})
}

func localEngine(c sandbox.ChunkCache, encoder media.EncoderChoice) sandbox.MediaEngine {
	return chunkEngine(c.Dir, c.BudgetBytes, func() media.EncoderChoice { return encoder })
}

func localSpeech(path string, threads int, graphics bool) (pipeline.Model, error) {
	if !graphics {
		whisper.DisableVulkan() // without Landlock, a driver that crashes would load nevertheless
	}
	model, err := whisper.Open(path, threads, graphics)
	if err != nil {
		return nil, err
	}
	return speechModel{model}, nil
}

// childGraphics returns a function that looks for the graphics processor that transcribes in a
// child process.
func childGraphics() func() (string, error) {
	engine := sandbox.New(sandbox.Options{Executable: "/proc/self/exe", Environment: engineEnvironment()})
	return func() (string, error) { return engine.Graphics(context.Background()) }
}

// isolatedEngines returns engines that run each call in a child process.
func isolatedEngines(s settings, data *store.Store, speech Speech) engines {
	o := sandbox.Options{
		Executable:  "/proc/self/exe",
		Environment: engineEnvironment(),
		Fonts:       fontFiles(),
		Encoder:     s.Encoder,
		MemoryBytes: engineMemory(),
	}
	if s.ChunkCacheMB > 0 {
		o.Chunks = sandbox.ChunkCache{Dir: data.ChunkDir(), BudgetBytes: s.ChunkCacheMB << 20}
		o.TrimChunks = libav.NewChunkCache(o.Chunks.Dir, o.Chunks.BudgetBytes).Trim
	}

	engine := sandbox.New(o)
	find := func() (path, name string, err error) {
		if path, err = speech.intact(); err != nil || path == "" {
			return "", "", err
		}
		return path, whisper.ModelName(path), nil
	}
	log := newLogger(s.LogLevel)
	failed := func(err error) {
		log.Warn("speech recognition failed on the graphics processor, so the CPU repeats it", "error", err)
	}
	transcriber := sandbox.Speech{
		Engine: engine, Find: find, Failed: failed,
		Threads: whisper.Threads, Graphics: speech.Device.usesGraphics,
	}
	return engines{engine, engine.Encoder, engine, transcriber}
}

// engineMemory returns the memory that all engines share: three quarters of the machine's, or of
// what the container or the service may use. 0 stands for an unknown one.
func engineMemory() int64 {
	memory, err := memlimit.FromSystem()
	if limit, limitErr := memlimit.FromCgroup(); limitErr == nil && (err != nil || limit < memory) {
		memory, err = limit, nil
	}
	if err != nil {
		return 0
	}
	return int64(memory) / 4 * 3
}

// engineEnvironment returns the variables that engines use: fonts, languages, libraries and
// graphics processors. The others can hold secrets of the server.
func engineEnvironment() (out []string) {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case name == "HOME", name == "LANG", name == "TZ", name == "LD_LIBRARY_PATH", name == "LIBVA_DRIVER_NAME",
			name == "VK_DRIVER_FILES", name == "VK_ICD_FILENAMES", name == "GGML_VK_VISIBLE_DEVICES",
			name == "GGML_DISABLE_VULKAN",
			strings.HasPrefix(name, "LC_"), strings.HasPrefix(name, "XDG_"), strings.HasPrefix(name, "FONTCONFIG_"):
			out = append(out, v)
		}
	}

	return out
}

// fontFiles returns the files and folders that fontconfig searches for fonts and its cache.
func fontFiles() []string {
	return append(
		xdg.FontDirs,
		"/etc/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig",
		filepath.Join(xdg.Home, ".fonts"), filepath.Join(xdg.Home, ".fonts.conf"),
		filepath.Join(xdg.ConfigHome, "fontconfig"), filepath.Join(xdg.CacheHome, "fontconfig"),
	)
}

// checkIsolation tells how engines run, and what the kernel lacks to confine them.
func checkIsolation(_ context.Context, s settings) []finding {
	if !s.isolated() {
		return checkInProcess(s, "Set ENGINE_ISOLATION to process.")
	}
	return checkWalls(sandbox.Supported())
}

// checkWalls tells what the kernel lacks to confine engines. The filter of system calls also closes
// what Landlock leaves open before its version 6: emptying files, and signals.
func checkWalls(support sandbox.Support) []finding {
	const advice = "Use a kernel with Landlock (Linux 5.13 or later) and seccomp, and allow both in containers."
	switch {
	case support.Landlock == 0 && !support.Seccomp:
		return warning("engines",
			"Jobs run in child processes. This kernel has neither Landlock nor seccomp, so a hole in a decoder "+
				"reaches everything that the server does.",
			advice)
	case support.Landlock == 0:
		return warning("engines",
			"Jobs run in child processes. This kernel has no Landlock, so they can read and change all files of "+
				"the server.",
			advice)
	case !support.Seccomp:
		return warning("engines",
			"Jobs run in child processes. This kernel cannot filter system calls, so they can use the network, "+
				"change the permissions of files, and stop other processes of the server.",
			advice)
	default:
		return passed(
			"engines",
			"jobs run in child processes without network and other files (Landlock %d, seccomp)", support.Landlock,
		)
	}
}
