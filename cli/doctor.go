package cli

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"roughcut/media"
	"roughcut/media/libav"
	"roughcut/media/whisper"
	"roughcut/pipeline/models"
	"roughcut/server/auth"
	"roughcut/server/mail"
	"roughcut/server/operator"
	"roughcut/store"
	"roughcut/store/fault"
)

// States of a finding.
const (
	stateOK      = "ok"
	stateWarning = "warning" // something optional is missing
	stateFailed  = "failed"
)

// finding is the result of one check.
type finding struct {
	Check   string `json:"check"`
	State   string `json:"state"`
	Code    string `json:"code,omitempty"` // of a broken invariant or a linked file
	Message string `json:"message"`
	Advice  string `json:"advice,omitempty"`
	err     error  // of a failed check
}

// doctorTimeout bounds each check that runs a program or connects to a server.
const doctorTimeout = 20 * time.Second

func doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and the data",
		Long: `Check the settings, the data directory, linked files, free disk space, codecs, the versions of libraries,
the fonts of captions, the speech model and its speed, yt-dlp, the mail server and the sign-in providers. The
desktop build also checks the video decoder of the window. Each problem comes with advice.

The command fails if a check fails. Warnings concern optional parts. A running server locks the data
directory, so its data is checked only while the server is stopped.`,
		Example: `  roughcut doctor
  roughcut doctor --json`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := operatorSettings(cmd)
			if err != nil {
				return err
			}
			findings := runChecks(cmd.Context(), settings)
			if err := printFindings(cmd, findings, asJSON); err != nil {
				return err
			}
			return verdict(findings)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// runChecks runs all checks. A failed check does not stop the others.
func runChecks(ctx context.Context, s settings) (all []finding) {
	for _, check := range []func(context.Context, settings) []finding{
		checkSettings, checkData, checkLinkedFiles, checkDisk, checkCodecs, checkEncoder, checkLibraries,
		checkIsolation, checkFonts, checkModel, checkSpeed, checkYtDlp, checkMail, checkProviders, checkWindow,
	} {
		all = append(all, check(ctx, s)...)
	}

	return all
}

func printFindings(cmd *cobra.Command, findings []finding, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		return printJSON(cmd, findings)
	}

	for _, f := range findings {
		line := fmt.Sprintf("%-9s  %-7s  %s", f.Check, f.State, f.Message)
		if f.Advice != "" {
			line += "\n                    " + f.Advice
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}

	return nil
}

// verdict returns an error if a check failed. It prefers errors with a specific exit code, such as
// the error for a damaged data directory.
func verdict(findings []finding) error {
	failures := 0
	var cause error
	for _, f := range findings {
		if f.State != stateFailed {
			continue
		}
		failures++
		if exitCode(f.err) != exitFailed {
			cause = errors.Join(cause, f.err)
		}
	}

	switch {
	case failures == 0:
		return nil
	case cause != nil:
		return cause
	case failures == 1:
		return errors.New("1 check failed")
	}

	return fmt.Errorf("%d checks failed", failures)
}

func passed(check, format string, args ...any) []finding {
	return []finding{{Check: check, State: stateOK, Message: fmt.Sprintf(format, args...)}}
}

func warning(check, message, advice string) []finding {
	return []finding{{Check: check, State: stateWarning, Message: message, Advice: advice}}
}

func failed(check string, err error, advice string) []finding {
	return []finding{{Check: check, State: stateFailed, Message: err.Error(), Advice: advice, err: err}}
}

// checkSettings checks what loading the settings does not.
func checkSettings(_ context.Context, s settings) []finding {
	if _, err := parseNetworks(s.TrustedProxies); err != nil {
		return failed("settings", err, "Fix TRUSTED_PROXIES. roughcut config print shows its source.")
	}
	host, _, _ := strings.Cut(s.ListenAddr, ":")
	ip, err := netip.ParseAddr(host)
	switch public := host != "localhost" && (err != nil || !ip.IsLoopback()); {
	case s.owner() && public:
		return warning("settings",
			fmt.Sprintf("Owner mode listens on %s, which other machines may reach.", s.ListenAddr),
			"Everyone with the launch address is the owner. "+
				"Set LISTEN_ADDR to 127.0.0.1:8420, or PLAN_MODE to unlimited if several people use this server.")
	case !s.metered() && (s.StripeSecretKey != "" || (s.Plans != nil && s.Plans != "")):
		return warning("settings",
			fmt.Sprintf(
				"STRIPE_SECRET_KEY or PLANS is set, but PLAN_MODE is %s, so no one is charged or limited.",
				s.PlanMode,
			),
			"Set PLAN_MODE to metered, or remove STRIPE_SECRET_KEY and PLANS.")
	case !s.owner() && s.BaseURL == "":
		return warning("settings",
			"BASE_URL is not set, so the server mails links only to localhost, its IP addresses and ALLOWED_HOSTS.",
			"Set BASE_URL to the public address, such as https://cut.example.org.")
	}

	return passed("settings", "in order")
}

// checkData opens the data directory and checks all invariants, unless a server has it open.
func checkData(ctx context.Context, s settings) (all []finding) {
	if _, err := os.Stat(s.DataDir); errors.Is(err, os.ErrNotExist) {
		return passed("data", "%s does not exist yet, the first start creates it", s.DataDir)
	}
	data, err := store.Open(ctx, s.storeOptions(newLogger(s.LogLevel)))
	if errors.Is(err, store.ErrInUse) {
		_, leave, connectErr := operator.Connect(ctx, s.DataDir)
		if connectErr != nil {
			return failed("data", err, "Stop the process that uses it to check the data.")
		}
		leave()
		return warning("data",
			fmt.Sprintf("A running server uses %s, so its data and linked files were not checked.", s.DataDir),
			"Stop the server to check its data.")
	}

	if err != nil {
		return failed("data", err, "")
	}
	findings, err := data.Check(ctx)
	if err = errors.Join(err, data.Close()); err != nil {
		return failed("data", err, "")
	}
	for _, f := range findings {
		all = append(all, finding{
			Check: "data", State: stateFailed, Code: f.Code, Message: f.Message,
			Advice: "Keep a copy of the data directory. " +
				"Then use roughcut restore to restore the newest backup into an empty one.",
		})
	}

	if len(all) > 0 {
		return all
	}
	return passed("data", "%s is sound", s.DataDir)
}

// checkLinkedFiles looks for missing and changed linked files. They are not damage, but exports
// need them.
func checkLinkedFiles(ctx context.Context, s settings) (all []finding) {
	if _, err := os.Stat(s.DataDir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	data, err := store.Open(ctx, s.storeOptions(newLogger(s.LogLevel)))
	if err != nil {
		return nil // checkData reports it
	}
	list, err := data.LinkedFiles()
	if err = errors.Join(err, data.Close()); err != nil {
		return failed("files", err, "")
	}
	for _, file := range list {
		if state := file.State(); state != store.LinkedFilePresent {
			all = append(all, finding{
				Check: "files", State: stateWarning, Code: "reference_" + state,
				Message: fmt.Sprintf("The linked file %s is %s.", file.Path, state),
				Advice: "The project cannot be exported without it. " +
					"Restore the file, connect its disk, or choose its new path on the clip in the editor.",
			})
		}
	}

	if len(all) > 0 || len(list) == 0 {
		return all
	}
	return passed("files", "all %d linked files are present", len(list))
}

func checkDisk(_ context.Context, s settings) []finding {
	free, err := store.DiskFree(s.DataDir)
	if err != nil {
		return failed("disk", err, "")
	}
	reserve := s.StorageMinFreeMB << 20
	switch {
	case free < reserve:
		return failed("disk",
			fmt.Errorf("%d MiB are free, uploads and exports need more than %d MiB", free>>20, s.StorageMinFreeMB),
			"Free some disk space, or lower STORAGE_MIN_FREE_MB.")
	case free < 10*reserve:
		return warning("disk",
			fmt.Sprintf("Only %d MiB are free.", free>>20), "An hour of video takes a few GiB. Free some disk space.")
	}

	return passed("disk", "%d MiB are free", free>>20)
}

func checkCodecs(context.Context, settings) []finding {
	if missing := libav.New().Missing(); len(missing) > 0 {
		return failed("codecs",
			fmt.Errorf("the linked FFmpeg libraries lack %s", strings.Join(missing, ", ")),
			"Build with the bundled FFmpeg, without FFMPEG=system.")
	}

	return passed("codecs", "all codecs and filters are linked")
}

// checkEncoder tests the hardware encoders in this process.
func checkEncoder(_ context.Context, s settings) []finding {
	choice := s.chooseEncoder()()
	var faults []string
	for _, test := range choice.Tests {
		if test.Fault != "" {
			faults = append(faults, test.Name+": "+test.Fault)
		}
	}

	switch {
	case choice.Hardware():
		return passed("encoder", "%s passed its self-test", choice.Name)
	case choice.Fault() != "":
		return warning("encoder", "The encoder "+choice.Wanted+" failed its self-test: "+choice.Fault(),
			"x264 encodes instead. Check the driver of the graphics processor, or set ENCODER to auto.")
	case len(faults) > 0:
		return passed("encoder", "x264, no hardware encoder works (%s)", strings.Join(faults, "; "))
	}

	return passed("encoder", "x264")
}

// fontSamples are scripts of living languages with a few of their characters. The fonts of
// media.FontPackages have all of them. The most used scripts come first.
var fontSamples = []struct{ script, sample string }{
	{"Arabic", "مع"}, {"Hebrew", "שם"}, {"Hindi", "नम"}, {"Bengali", "নম"}, {"Tamil", "நம"}, {"Thai", "ไท"},
	{"Chinese", "汉语"}, {"Japanese", "かな"}, {"Korean", "한국"}, {"emoji", "😀🎉"},
	{"Georgian", "ქა"}, {"Armenian", "Հա"}, {"Telugu", "తె"}, {"Kannada", "ಕನ"}, {"Malayalam", "മല"},
	{"Gujarati", "ગજ"}, {"Punjabi", "ਪਜ"}, {"Odia", "ଓଡ"}, {"Sinhala", "සහ"}, {"Burmese", "မန"}, {"Khmer", "ខម"},
	{"Lao", "ລາ"}, {"Tibetan", "བད"}, {"Ethiopic", "አማ"}, {"Cherokee", "ᏣᎳ"}, {"Inuktitut", "ᐃᓄ"},
	{"Mongolian", "ᠮᠣ"}, {"Dhivehi", "ދވ"}, {"Syriac", "ܣܘ"}, {"N’Ko", "ߒߞ"}, {"Tifinagh", "ⵜⴰ"}, {"Adlam", "𞤀𞤁"},
	{"Vai", "ꕙꔤ"}, {"Balinese", "ᬩᬮ"}, {"Javanese", "ꦗꦮ"}, {"Yi", "ꆈꌠ"}, {"Santali", "ᱥᱟ"}, {"Meitei", "ꯃꯤ"},
	{"Chakma", "𑄌𑄋"}, {"Cham", "ꨌꨠ"}, {"Tai Le", "ᥖᥭ"}, {"Osage", "𐓏𐓘"},
}

// namedScripts is how many scripts a finding names.
const namedScripts = 12

// checkFonts names the scripts that captions cannot have.
func checkFonts(context.Context, settings) []finding {
	var scripts []string
	lacking := ""
	for _, s := range fontSamples {
		missing, err := libav.MissingGlyphs(s.sample, media.CaptionOptions{})
		if err != nil {
			return failed("fonts", err, "Captions cannot be drawn.")
		}
		if missing != "" {
			scripts, lacking = append(scripts, s.script), lacking+missing
		}
	}

	if len(scripts) == 0 {
		return passed("fonts", "the fonts have the scripts of living languages")
	}
	named := strings.Join(scripts[:min(len(scripts), namedScripts)], ", ")
	if more := len(scripts) - namedScripts; more > 0 {
		named += fmt.Sprintf(" and %d other scripts", more)
	}
	return warning("fonts", "No font has "+named+", so captions in them show boxes.",
		"Install "+strings.Join(media.FontPackages(lacking), " and ")+".")
}

func checkModel(ctx context.Context, s settings) []finding {
	path, err := s.speechModel(ctx)
	if err == nil && path != "" {
		_, err = whisper.CheckModel(path)
	}
	const effect = "Without a speech model, Roughcut finds only silences and repeated takes, and makes no transcript."
	switch {
	case err != nil:
		return failed("model", err, effect)
	case path == "":
		return warning("model", "No speech model is installed. "+effect,
			"Run roughcut models download base.en, or see roughcut models list.")
	}

	return passed("model", "%s", path)
}

// checkSpeed tells how fast this machine transcribes.
func checkSpeed(context.Context, settings) []finding {
	return newSpeechDevice(true).finding()
}

// finding tells the speed of the device, and why it is not a graphics processor.
func (d *speechDevice) finding() []finding {
	text := d.speedText(models.Known())
	if _, err := d.graphics(); err != nil {
		lines := strings.Split(err.Error(), "\n")
		reason := strings.Join(lines[:min(len(lines), 3)], ", ") // a stack of goroutines may follow
		return warning("speed", text+". The process that loaded the driver ended: "+reason+".",
			"Update the driver of the graphics processor, or remove its package.")
	}

	return passed("speed", "%s", text)
}

// checkYtDlp looks for yt-dlp and for a JavaScript runtime, which yt-dlp needs for YouTube.
func checkYtDlp(ctx context.Context, s settings) []finding {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	output, err := exec.CommandContext(ctx, s.YtDlp, "--ignore-config", "--version").Output()
	if err != nil {
		return warning("yt-dlp",
			fmt.Sprintf("yt-dlp does not run (%v), so video sites cannot be imported from.", err),
			"Install yt-dlp, or set YT_DLP to its path. Links to media files work without it.")
	}

	version := strings.TrimSpace(string(output))
	for _, runtime := range []string{"deno", "node", "bun", "qjs"} {
		if _, err := exec.LookPath(runtime); err == nil {
			return passed("yt-dlp", "%s with %s", version, runtime)
		}
	}

	return warning("yt-dlp",
		fmt.Sprintf("yt-dlp %s finds no JavaScript runtime, which YouTube requires.", version), "Install deno.")
}

// checkProviders contacts the sign-in providers.
func checkProviders(ctx context.Context, s settings) (all []finding) {
	const check = "sign-in"
	configs, err := s.oauthProviders()
	if err != nil {
		return failed(check, err, "")
	}
	providers, err := auth.NewOAuth(configs, time.Now)
	if err != nil {
		return failed(check, err, "")
	}
	for _, c := range configs {
		ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
		err := providers.Check(ctx, c.Name)
		cancel()
		if err != nil {
			host := "github.com"
			if address, wrong := url.Parse(c.Issuer); wrong == nil && address.Host != "" {
				host = address.Host
			}
			all = append(all, failed(check, fmt.Errorf("%s: %w", c.Name, fault.Network(host, err)),
				"People cannot sign in with it. Check its issuer in OAUTH_PROVIDERS.")...)
			continue
		}

		all = append(all, passed(check, "%s answers", c.Name)...)
	}

	return all
}

func checkMail(ctx context.Context, s settings) []finding {
	outbox := filepath.Join(s.DataDir, "outbox")
	sender, err := mail.New(s.SMTPURL, s.MailFrom, outbox)
	if err != nil {
		return failed("mail", err, "Fix it in the settings. roughcut config print shows its source.")
	}
	server, isServer := sender.(mail.SMTP)
	switch {
	case !isServer && s.owner():
		return passed("mail", "owner mode needs no mail server")
	case !isServer:
		return warning("mail", "No mail server is set, so Roughcut writes mail to files in "+outbox+".",
			"Set SMTP_URL, so that people can verify their email addresses.")
	}

	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	encrypted, err := server.Check(ctx)
	switch {
	case err != nil:
		return failed("mail", err, "Check host, port, user and password in SMTP_URL. Unsent mail stays in the queue.")
	case server.Foreign():
		return warning("mail", foreignSender(s.MailFrom), "Set MAIL_FROM to an address of your domain.")
	case !encrypted && !server.Local():
		return warning("mail", "The mail server offers no TLS, so others on the network can read mails and links.",
			"Use a server with STARTTLS, or smtps:// in SMTP_URL.")
	}

	return passed("mail", "the mail server answers")
}

// foreignSender says why mails with a sender on this computer get lost.
func foreignSender(from string) string {
	return "MAIL_FROM is " + from + ", an address that exists only on this computer, so many servers refuse the mails."
}
