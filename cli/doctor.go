package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"roughcut/media/libav"
	"roughcut/media/whisper"
	"roughcut/server/mail"
	"roughcut/store"
)

// How a finding is to be taken.
const (
	wellOK      = "ok"
	wellWarning = "warning" // something that one can do without
	wellFailed  = "failed"
)

// finding is what one check of the doctor says.
type finding struct {
	Check   string `json:"check"`
	State   string `json:"state"`
	Code    string `json:"code,omitempty"` // of a broken invariant
	Message string `json:"message"`
	Advice  string `json:"advice,omitempty"` // what to do
	err     error  // what decides the exit code, where it is not 1
}

func doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the settings, the data directory and what the program needs, and say what to do",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := loadSettings(cmd.Flags())
			if err != nil {
				return err
			}
			findings := examine(cmd.Context(), settings)
			if err := printFindings(cmd, findings, asJSON); err != nil {
				return err
			}
			return verdict(findings)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// examine makes every check, each whatever the others found.
func examine(ctx context.Context, s settings) (all []finding) {
	for _, check := range []func(context.Context, settings) []finding{checkSettings, checkData, checkReferences, checkDisk, checkCodecs, checkModel, checkSites, checkMail, checkWindow} {
		all = append(all, check(ctx, s)...)
	}
	return all
}

func printFindings(cmd *cobra.Command, findings []finding, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		text := json.NewEncoder(out)
		text.SetIndent("", "  ")
		return text.Encode(findings)
	}
	for _, f := range findings {
		line := fmt.Sprintf("%-8s  %-8s  %s", f.Check, f.State, f.Message)
		if f.Advice != "" {
			line += "\n                    " + f.Advice
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// verdict is an error when something failed; it keeps what decides the exit code.
func verdict(findings []finding) error {
	failed := 0
	var cause error
	for _, f := range findings {
		if f.State == wellFailed {
			failed++
			cause = errors.Join(cause, f.err)
		}
	}
	switch {
	case failed == 0:
		return nil
	case cause != nil:
		return cause
	}
	return fmt.Errorf("%d findings need attention", failed)
}

func ok(check, format string, args ...any) []finding {
	return []finding{{Check: check, State: wellOK, Message: fmt.Sprintf(format, args...)}}
}

// checkSettings looks at what loading them cannot tell.
func checkSettings(_ context.Context, s settings) []finding {
	if _, err := parseNetworks(s.TrustedProxies); err != nil {
		return []finding{
			{
				Check:   "settings",
				State:   wellFailed,
				Message: err.Error(),
				Advice:  "Put TRUSTED_PROXIES right; roughcut config print shows where it comes from.",
				err:     err,
			},
		}
	}
	host, _, _ := strings.Cut(s.ListenAddr, ":")
	if ip, err := netip.ParseAddr(host); s.owner() && (err != nil || !ip.IsLoopback()) && host != "localhost" {
		return []finding{
			{
				Check:   "settings",
				State:   wellWarning,
				Message: fmt.Sprintf("Owner mode listens on %s, which others may reach.", s.ListenAddr),
				Advice:  "Whoever has the launch address is the owner: set LISTEN_ADDR to 127.0.0.1:8420, or take PLAN_MODE=metered for several people.",
			},
		}
	}
	if !s.owner() && s.BaseURL == "" {
		return []finding{
			{
				Check:   "settings",
				State:   wellWarning,
				Message: "BASE_URL is not set, so links in mails name the host that the request named.",
				Advice:  "Set BASE_URL to the public address, such as https://cut.example.org.",
			},
		}
	}
	return ok("settings", "in order")
}

// checkData opens the data directory, which no server may hold meanwhile, and checks every
// invariant.
func checkData(ctx context.Context, s settings) (all []finding) {
	failed := func(err error, advice string) []finding {
		return []finding{{Check: "data", State: wellFailed, Message: err.Error(), Advice: advice, err: err}}
	}
	if _, err := os.Stat(s.DataDir); errors.Is(err, os.ErrNotExist) {
		return ok("data", "%s is not there yet; the first start makes it", s.DataDir)
	}
	data, err := store.Open(ctx, s.storeOptions(newLogger(s.LogLevel)))
	if errors.Is(err, store.ErrInUse) {
		return failed(err, "Stop the server to have its data checked.")
	}
	if err != nil {
		return failed(err, "")
	}
	findings, err := data.Check(ctx)
	if err = errors.Join(err, data.Close()); err != nil {
		return failed(err, "")
	}
	for _, f := range findings {
		all = append(all, finding{Check: "data", State: wellFailed, Code: f.Code, Message: f.Message,
			Advice: "Keep a copy of the data directory as it is, and restore the newest backup into an empty one."})
	}
	if len(all) > 0 {
		return all
	}
	return ok("data", "%s is sound", s.DataDir)
}

// checkReferences looks for the recordings that stay where they are: one that is not there is no
// damage, but its exports fail.
func checkReferences(ctx context.Context, s settings) (all []finding) {
	if _, err := os.Stat(s.DataDir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	data, err := store.Open(ctx, s.storeOptions(newLogger(s.LogLevel)))
	if err != nil {
		return nil // checkData says why
	}
	list, err := data.LinkedFiles()
	if err = errors.Join(err, data.Close()); err != nil {
		return []finding{{Check: "files", State: wellFailed, Message: err.Error()}}
	}
	for _, r := range list {
		if state := r.State(); state != store.LinkedFilePresent {
			all = append(
				all,
				finding{
					Check:   "files",
					State:   wellWarning,
					Code:    "reference_" + state,
					Message: fmt.Sprintf("The recording %s is %s.", r.Path, state),
					Advice:  "Exports of its project wait for it: put it back, connect its disk, or say on its clip in the editor where it is now.",
				},
			)
		}
	}
	if len(all) > 0 || len(list) == 0 {
		return all
	}
	return ok("files", "all %d recordings that stay where they are are there", len(list))
}

func checkDisk(_ context.Context, s settings) []finding {
	free, err := store.DiskFree(s.DataDir)
	if err != nil {
		return []finding{{Check: "disk", State: wellFailed, Message: err.Error()}}
	}
	if floor := s.StorageMinFreeMB << 20; free < floor {
		return []finding{
			{
				Check: "disk",
				State: wellFailed,
				Message: fmt.Sprintf(
					"%d MB are free; uploads and exports stop below %d MB.",
					free>>20,
					s.StorageMinFreeMB,
				),
				Advice: "Free some space, or lower STORAGE_MIN_FREE_MB.",
			},
		}
	} else if free < 10*floor {
		return []finding{
			{
				Check:   "disk",
				State:   wellWarning,
				Message: fmt.Sprintf("Only %d MB are free.", free>>20),
				Advice:  "An hour of footage takes a few GB: think of more space.",
			},
		}
	}
	return ok("disk", "%d MB are free", free>>20)
}

func checkCodecs(context.Context, settings) []finding {
	engine := libav.New()
	if missing := engine.Missing(); len(missing) > 0 {
		return []finding{
			{
				Check:   "codecs",
				State:   wellFailed,
				Message: "The linked libav has no " + strings.Join(missing, ", no ") + ".",
				Advice:  "Build with the FFmpeg that make brings along, without FFMPEG=system.",
			},
		}
	}
	return ok(
		"codecs",
		"%s with all that is needed",
		strings.ReplaceAll(strings.TrimSpace(engine.Version()), "\n", ", "),
	)
}

func checkModel(ctx context.Context, s settings) []finding {
	chosen := func() (string, error) {
		if _, err := os.Stat(s.DataDir); errors.Is(err, os.ErrNotExist) {
			return "", nil
		}
		data, err := store.Open(ctx, s.storeOptions(newLogger(s.LogLevel)))
		if err != nil {
			return "", nil //nolint:nilerr // checkData says why, and any other model is looked at all the same
		}
		name, err := data.SpeechModel()
		return name, errors.Join(err, data.Close())
	}
	path, err := Speech{Choice: s.SpeechModel, Chosen: chosen, Dir: s.modelsDir()}.path()
	if err == nil && path != "" {
		_, err = whisper.CheckModel(path)
	}
	switch {
	case err != nil:
		return []finding{
			{
				Check:   "model",
				State:   wellFailed,
				Message: err.Error(),
				Advice:  "Without a speech model only silences are found.",
			},
		}
	case path == "":
		return []finding{
			{
				Check:   "model",
				State:   wellWarning,
				Message: "No speech model is installed: only silences are found.",
				Advice: "Put a ggml Whisper model such as ggml-base.en.bin into " + filepath.Join(
					s.DataDir,
					"models",
				) + ".",
			},
		}
	}
	return ok("model", "%s", path)
}

// checkSites looks for yt-dlp, and for a JavaScript runtime, without which it cannot read YouTube.
func checkSites(ctx context.Context, s settings) []finding {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	version, err := exec.CommandContext(ctx, s.YtDlp, "--ignore-config", "--version").Output()
	if err != nil {
		return []finding{
			{
				Check:   "yt-dlp",
				State:   wellWarning,
				Message: fmt.Sprintf("yt-dlp cannot be run (%v), so nothing can be imported from video sites.", err),
				Advice:  "Install yt-dlp, or set YT_DLP to where it is; addresses of media files work without it.",
			},
		}
	}
	for _, runtime := range []string{"deno", "node", "bun", "qjs"} {
		if _, err := exec.LookPath(runtime); err == nil {
			return ok("yt-dlp", "%s with %s", strings.TrimSpace(string(version)), runtime)
		}
	}
	return []finding{
		{
			Check: "yt-dlp",
			State: wellWarning,
			Message: fmt.Sprintf(
				"yt-dlp %s finds no JavaScript runtime, which YouTube needs.",
				strings.TrimSpace(string(version)),
			),
			Advice: "Install deno.",
		},
	}
}

func checkMail(ctx context.Context, s settings) []finding {
	sender, err := mail.New(s.SMTPURL, s.MailFrom, filepath.Join(s.DataDir, "outbox"))
	if err != nil {
		return []finding{{Check: "mail", State: wellFailed, Message: err.Error(), Advice: "Put SMTP_URL right."}}
	}
	server, isServer := sender.(mail.SMTP)
	switch {
	case !isServer && s.owner():
		return ok("mail", "not needed in owner mode")
	case !isServer:
		return []finding{
			{
				Check: "mail",
				State: wellWarning,
				Message: "No mail server is set, so every mail is a file in " + filepath.Join(
					s.DataDir,
					"outbox",
				) + ".",
				Advice: "Set SMTP_URL, so that people can verify their addresses.",
			},
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := server.Check(ctx); err != nil {
		return []finding{
			{
				Check:   "mail",
				State:   wellFailed,
				Message: err.Error(),
				Advice:  "Mails wait in the queue meanwhile. Check host, port, user and password in SMTP_URL.",
			},
		}
	}
	return ok("mail", "the mail server answers")
}
