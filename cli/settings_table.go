package cli

import (
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/adrg/xdg"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/pipeline/models"
	"roughcut/store/account"
)

// setting is one row of the table of settings. Loading, validation, `config print` and the
// documentation use it.
type setting struct {
	key      string // in the settings file; the environment variable is the same in upper case
	flag     string // sets it on the commands that have the flag; may be empty
	value    any    // *string, *int, *int64 or *bool; *any for JSON text or tables of the settings file
	fallback any    // default, of the type that value points to; nil for the zero value
	symbol   string // default as the documentation prints it, if fallback does not tell
	secret   bool   // never printed; the environment variable KEY_FILE may name a file that holds it
	zero     bool   // a number that may be 0; others are at least 1
	most     int64  // largest number, 0 for no limit
	form     form   // of a text
	doc      string // one or two sentences of Markdown
}

// form is what a text has to look like. The zero value is any text.
type form struct {
	is    string // completes "KEY must be …"
	valid func(string) bool
}

// section is a part of the table under a title.
type section struct {
	title    string
	settings []setting
}

func (v setting) env() string { return strings.ToUpper(v.key) }

// Values of PLAN_MODE.
const (
	planUnlimited = "unlimited"
	planMetered   = "metered"
	planOwner     = "owner"
)

// sections returns the table of settings. Its values point into s.
func (s *settings) sections() []section {
	return []section{
		{"Server", s.serverSettings()},
		{"Accounts and sign-in", s.accountSettings()},
		{"Mail", s.mailSettings()},
		{"Tiers and payments", s.tierSettings()},
		{"Speech model and AI Director", s.modelSettings()},
		{"Imports", s.importSettings()},
		{"Storage", s.storageSettings()},
		{"Advanced", s.advancedSettings()},
	}
}

// table returns the settings of all sections.
func (s *settings) table() (all []setting) {
	for _, section := range s.sections() {
		all = append(all, section.settings...)
	}
	return all
}

func (s *settings) serverSettings() []setting {
	return []setting{
		{
			key: "data_dir", flag: "data-dir", value: &s.DataDir,
			fallback: filepath.Join(xdg.DataHome, "roughcut"),
			symbol:   "`roughcut` in the user's data folder (Linux: `~/.local/share/roughcut`)",
			doc:      "Folder that holds all data: database, search index, media, speech models and unsent mail.",
		}, {
			key: "listen_addr", flag: "listen", value: &s.ListenAddr, fallback: "127.0.0.1:8420",
			doc: "Address and port of the server. The desktop window accepts only a loopback address. Without this " +
				"setting, it has one for each data directory.",
		}, {
			key: "base_url", flag: "base-url", value: &s.BaseURL, form: publicURL("https://cut.example.org"),
			symbol: "the host of the request",
			doc: "Public address of the server, used in mail and signed links. Without it, mails link only to hosts " +
				"that the server knows; see `ALLOWED_HOSTS`. It may have a path " +
				"(`https://example.org/cut`), which the reverse proxy must remove from the requests that it forwards.",
		}, {
			key: "log_level", flag: "log-level", value: &s.LogLevel, fallback: "info", form: logLevel(),
			doc: "Lowest level to log: `debug`, `info`, `warn` or `error`. " +
				"Logs go to standard error, as text on a terminal and as JSON otherwise.",
		}, {
			key: "workers", value: &s.Workers, fallback: max(1, runtime.NumCPU()/2),
			symbol: "half of the CPUs, at least 1",
			doc:    "Number of jobs (clips, analyses, exports) that run at the same time.",
		}, {
			key: "max_queued_jobs", value: &s.MaxQueuedJobs, fallback: 250, zero: true,
			doc: "Maximum number of jobs that one user can have in the queue. 0 sets no limit. " +
				"Owner mode has no limit.",
		}, {
			key: "engine_isolation", value: &s.EngineIsolation, form: oneOf(isolationNone, isolationProcess),
			symbol: "`process` on Linux, `in-process` in owner mode and on other systems",
			doc: "Where jobs decode, encode and transcribe. `process` starts a child process for each of these " +
				"steps. The child has limits of memory and processor time, and sees neither the network nor the " +
				"files of others. `in-process` saves the start of the child, about 35 ms. A crash then ends the " +
				"server.",
		}, {
			key: "encoder", flag: "encoder", value: &s.Encoder, fallback: media.EncoderAuto,
			form: oneOf(encoderNames()...),
			doc: "Video encoder of proxies, and of exports that encode every frame. `auto` uses the first " +
				"hardware encoder that passes a self-test at start: `nvenc` (NVIDIA), `qsv` (Intel), `vaapi` (Intel " +
				"and AMD on Linux), `videotoolbox` (macOS) or `amf` (AMD). `software` uses x264, and so does " +
				"everything that a hardware encoder fails at. `roughcut doctor` shows the results of the self-tests.",
		}, {
			key: "trusted_proxies", value: &s.TrustedProxies,
			doc: "Networks of reverse proxies, as a comma-separated CIDR list such as `10.0.0.0/8`. " +
				"Roughcut uses the `X-Forwarded-*` and `X-Request-ID` headers of these proxies only.",
		}, {
			key: "allowed_hosts", value: &s.AllowedHosts,
			doc: "Host names of the server, as a comma-separated list. Owner mode answers only to these, " +
				"to localhost, to IP addresses and to the host of `BASE_URL`. " +
				"With accounts and without `BASE_URL`, mails link only to these, to localhost " +
				"and to the IP address that the request reached.",
		}, {
			key: "cors_origins", value: &s.CORSOrigins, form: originList(),
			doc: "Origins such as `https://studio.example.org` whose pages may call the API, as a comma-separated " +
				"list. They need an access token: a session works only on the pages of Roughcut.",
		}, {
			key: "metrics_addr", value: &s.MetricsAddr,
			doc: "Address such as `127.0.0.1:9420` that serves Prometheus metrics at `/metrics`, " +
				"without authentication. Without it, Roughcut serves no metrics.",
		},
	}
}

func (s *settings) accountSettings() []setting {
	return []setting{
		{
			key: "plan_mode", value: &s.PlanMode, fallback: planUnlimited,
			form: oneOf(planUnlimited, planMetered, planOwner),
			doc: "`unlimited` has accounts without prices, quotas, watermark or expiry; only the disk limits them. " +
				"`metered` has accounts with tiers, quotas and AI minutes. " +
				"`owner` is single-user mode: one local account, no password and no limits.",
		}, {
			key: "signup", value: &s.Signup,
			form: oneOf(string(account.SignupOpen), string(account.SignupInvite), string(account.SignupClosed)),
			doc: "Who can sign up: `open` for everyone, `invite` for people with an invitation from an admin, " +
				"`closed` for no one. " +
				"The default is `open`, and `closed` in single-user mode. " +
				"The first account becomes an admin. Unless SIGNUP is `open`, only the link that the server prints " +
				"creates it.",
		}, {
			key: "oauth_providers", value: &s.OAuthProviders, secret: true,
			doc: "OpenID Connect providers and GitHub, for signing in without a password. " +
				"See [OAUTH_PROVIDERS](#oauth_providers).",
		},
	}
}

func (s *settings) mailSettings() []setting {
	return []setting{
		{
			key: "smtp_url", value: &s.SMTPURL, secret: true,
			doc: "Mail server, as `smtp://user:password@host:587` or `smtps://user:password@host`. " +
				"Without it, Roughcut writes each mail as an `.eml` file to the folder `outbox`.",
		}, {
			key: "mail_from", value: &s.MailFrom, fallback: "roughcut@localhost",
			doc: "Sender of all mail. With a mail server on another computer, use an address of your domain.",
		}, {
			key: "support_email", value: &s.SupportEmail, symbol: "`MAIL_FROM`",
			doc: "Address that receives support requests.",
		},
	}
}

func (s *settings) tierSettings() []setting {
	return []setting{
		{
			key: "plans", value: &s.Plans,
			doc: "Changes to the limits and prices of the tiers. See [PLANS](#plans).",
		}, {
			key: "currency", value: &s.Currency, fallback: "usd",
			form: form{"a currency code of three lower-case letters, such as usd or eur", currencyCode.MatchString},
			doc:  "Currency of all prices, as an ISO 4217 code in lower case.",
		}, {
			key: "stripe_secret_key", value: &s.StripeSecretKey, secret: true,
			doc: "Secret key of the Stripe account that charges cards. " +
				"Without it, Roughcut charges no one and records invoices for the operator to settle.",
		}, {
			key: "stripe_webhook_secret", value: &s.StripeWebhookSecret, secret: true,
			doc: "Signing secret of a Stripe webhook to `/api/v1/payments/webhooks/stripe`. The webhook sends " +
				"`checkout.session.completed`, `payment_intent.succeeded`, `payment_intent.payment_failed` " +
				"and `refund.created`.",
		},
	}
}

func (s *settings) modelSettings() []setting {
	return []setting{
		{
			key: "speech_model", flag: "model", value: &s.SpeechModel,
			symbol: "the model that an admin chose, else the largest in `models`",
			doc:    "Path or name of a ggml Whisper model. It overrides the model that an admin chose.",
		}, {
			key: "models_url", value: &s.ModelsURL, fallback: models.DefaultURL, form: webURL(models.DefaultURL),
			doc: "Address of the folder that `roughcut models download` downloads from. It can be a mirror.",
		}, {
			key: "director_llm_url", value: &s.DirectorLLMURL, form: webURL("http://localhost:11434/v1"),
			doc: "OpenAI-compatible endpoint such as `http://localhost:11434/v1`. " +
				"A model there ranks assets for the AI Director. " +
				"Roughcut sends it the words around each possible placement. Without it the AI Director works offline.",
		}, {
			key: "director_llm_model", value: &s.DirectorLLMModel,
			doc: "Model that `DIRECTOR_LLM_URL` runs. Set both or neither.",
		},
	}
}

func (s *settings) importSettings() []setting {
	return []setting{
		{
			key: "import_allow_private", value: &s.ImportAllowPrivate, fallback: false,
			doc: "Whether Roughcut imports from loopback, private and link-local addresses.",
		}, {
			key: "max_import_duration_seconds", value: &s.MaxImportDurationSeconds, fallback: int64(3600),
			doc: "Duration of the longest recording that can be imported.",
		}, {
			key: "yt_dlp", value: &s.YtDlp, fallback: "yt-dlp",
			doc: "Name or path of yt-dlp, which imports from video sites. Links to media files work without it.",
		},
	}
}

func (s *settings) storageSettings() []setting {
	return []setting{
		{
			key: "storage_max_upload_size_mb", value: &s.StorageMaxUploadSizeMB, fallback: int64(2048),
			doc: "Size of the largest upload or import in MiB. Owner mode has no limit.",
		}, {
			key: "storage_min_free_mb", value: &s.StorageMinFreeMB, fallback: int64(512), zero: true,
			doc: "Disk space in MiB that uploads and exports leave free.",
		}, {
			key: "chunk_cache_mb", value: &s.ChunkCacheMB, fallback: int64(4096), zero: true,
			doc: "Size of the cache of encoded chunks and audio in MiB. With the cache, the next export encodes " +
				"only what changed. 0 disables the cache.",
		},
	}
}

func (s *settings) advancedSettings() []setting {
	return []setting{
		{
			key: "session_ttl_seconds", value: &s.SessionTTLSeconds, fallback: int64(30 * 24 * 3600),
			doc: "Sessions end after this time without a request.",
		}, {
			key: "verify_token_ttl_seconds", value: &s.VerifyTokenTTLSeconds, fallback: int64(24 * 3600),
			doc: "Lifetime of the link that verifies the email address of a new account.",
		}, {
			key: "reset_token_ttl_seconds", value: &s.ResetTokenTTLSeconds, fallback: int64(3600),
			doc: "Lifetime of the link that resets a password.",
		}, {
			key: "email_change_token_ttl_seconds", value: &s.EmailChangeTokenTTLSeconds, fallback: int64(24 * 3600),
			doc: "Lifetime of the link that confirms a new email address.",
		}, {
			key: "upload_url_ttl_seconds", value: &s.UploadURLTTLSeconds, fallback: int64(3600),
			doc: "Lifetime of an upload address. An upload that is not confirmed in this time is deleted.",
		}, {
			key: "media_token_ttl_seconds", value: &s.MediaTokenTTLSeconds, fallback: int64(300),
			doc: "Lifetime of the addresses that play a clip and show its thumbnails.",
		}, {
			key: "download_url_ttl_seconds", value: &s.DownloadURLTTLSeconds, fallback: int64(3600),
			doc: "Lifetime of the address that downloads an export.",
		}, {
			key: "asset_url_ttl_seconds", value: &s.AssetURLTTLSeconds, fallback: int64(3600),
			doc: "Lifetime of the address that plays an asset.",
		}, {
			key: "login_max_attempts", value: &s.LoginMaxAttempts, fallback: 5,
			doc: "Failed sign-ins that are allowed within `LOGIN_ATTEMPT_WINDOW_SECONDS`. " +
				"The next one causes a lockout.",
		}, {
			key: "login_attempt_window_seconds", value: &s.LoginAttemptWindowSeconds, fallback: int64(900),
			doc: "Period for counting failed sign-ins.",
		}, {
			key: "login_lockout_base_seconds", value: &s.LoginLockoutBaseSeconds, fallback: int64(60),
			doc: "Length of the first lockout. Each further lockout takes twice as long.",
		}, {
			key: "login_lockout_max_seconds", value: &s.LoginLockoutMaxSeconds, fallback: int64(3600),
			doc: "Length of the longest lockout.",
		}, {
			key: "trial_auto_grant", value: &s.TrialAutoGrant, fallback: true,
			doc: "Whether the trial starts as soon as an account is verified. If `false`, the user starts the trial.",
		}, {
			key: "stripe_api_url", value: &s.StripeAPIURL, symbol: "Stripe's own",
			doc: "Address of the Stripe API.",
		}, {
			key: "import_metadata_timeout_seconds", value: &s.ImportMetadataTimeoutSeconds,
			fallback: int64(15), most: 50,
			doc: "How long an import waits for the metadata of an address, 1 to 50.",
		}, {
			key: "storage_generated_percent", value: &s.StorageGeneratedPercent, fallback: int64(500), zero: true,
			doc: "Most bytes of the files that Roughcut makes for a user, in percent of `storage_quota_bytes` of the " +
				"tier: proxies and other derived files of recordings and assets, and exports, with those in the " +
				"trash. New uploads and exports are then refused. 0 sets no limit. Only `PLAN_MODE=metered` has " +
				"quotas.",
		}, {
			key: "events_keepalive_seconds", value: &s.EventsKeepaliveSeconds, fallback: int64(15),
			doc: "Interval of the keepalive comments on an event stream.",
		}, {
			key: "sweep_interval_seconds", value: &s.SweepIntervalSeconds, fallback: int64(60),
			doc: "Interval between the deletions of expired files, ends of trials and renewals of subscriptions.",
		},
	}
}

// encoderNames returns the values of ENCODER.
func encoderNames() []string {
	return append([]string{media.EncoderAuto, media.EncoderSoftware}, av.HardwareEncoders()...)
}

// oneOf accepts a few words.
func oneOf(words ...string) form {
	return form{media.OrList(words), func(text string) bool { return slices.Contains(words, text) }}
}

// logLevel accepts what slog accepts.
func logLevel() form {
	return form{
		"debug, info, warn or error",
		func(text string) bool { return new(slog.Level).UnmarshalText([]byte(text)) == nil },
	}
}

// webURL accepts an address with http or https.
func webURL(example string) form {
	return form{"an address such as " + example, func(text string) bool {
		u, err := url.Parse(text)
		return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
	}}
}

// publicURL accepts a webURL without user, query and fragment.
func publicURL(example string) form {
	return form{"an address such as " + example + ", optionally with a path", func(text string) bool {
		u, err := url.Parse(text)
		return webURL("").valid(text) && err == nil && u.User == nil && u.RawQuery+u.Fragment == ""
	}}
}

// originList is a comma-separated list of origins.
func originList() form {
	return form{"a list of origins such as https://studio.example.org", func(text string) bool {
		return !slices.ContainsFunc(splitList(text), func(origin string) bool {
			u, err := url.Parse(origin)
			return err != nil || !webURL("").valid(origin) || u.Scheme+"://"+u.Host != origin
		})
	}}
}

var currencyCode = regexp.MustCompile(`^[a-z]{3}$`)

// reset gives the setting its default.
func (v setting) reset() {
	switch value := v.value.(type) {
	case *string:
		*value, _ = v.fallback.(string)
	case *int:
		*value, _ = v.fallback.(int)
	case *int64:
		*value, _ = v.fallback.(int64)
	case *bool:
		*value, _ = v.fallback.(bool)
	case *any:
		*value = nil
	}
}

// set reads a value of the settings file, of the environment or of a flag.
func (v setting) set(given any) (err error) {
	text := fmt.Sprint(given)
	switch value := v.value.(type) {
	case *string:
		var isText bool
		if *value, isText = given.(string); !isText {
			err = v.must("be text", strconv.Quote(text))
		}
	case *int:
		if *value, err = strconv.Atoi(text); err != nil {
			err = v.must("be a whole number", strconv.Quote(text))
		}
	case *int64:
		if *value, err = strconv.ParseInt(text, 10, 64); err != nil {
			err = v.must("be a whole number", strconv.Quote(text))
		}
	case *bool:
		if *value, err = strconv.ParseBool(text); err != nil {
			err = v.must("be true or false", strconv.Quote(text))
		}
	case *any:
		*value = given
	}

	return err
}

// validate checks the value alone.
func (v setting) validate() error {
	var number int64
	switch value := v.value.(type) {
	case *int:
		number = int64(*value)
	case *int64:
		number = *value
	case *string:
		optional := v.fallback == nil && *value == ""
		if v.form.valid != nil && !optional && !v.form.valid(*value) {
			return v.must("be "+v.form.is, strconv.Quote(*value))
		}
		return nil
	default:
		return nil
	}

	least := int64(1)
	if v.zero {
		least = 0
	}
	switch {
	case v.most > 0 && (number < least || number > v.most):
		return v.must(fmt.Sprintf("be %d to %d", least, v.most), strconv.FormatInt(number, 10))
	case number < least:
		return v.must(fmt.Sprintf("be at least %d", least), strconv.FormatInt(number, 10))
	}

	return nil
}

// must returns the error for a wrong value. It never contains a secret.
func (v setting) must(be, got string) error {
	if v.secret {
		return usageError{fmt.Errorf("%s must %s", v.env(), be)}
	}
	return usageError{fmt.Errorf("%s must %s, not %s", v.env(), be, got)}
}
