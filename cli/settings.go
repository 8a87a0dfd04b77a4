package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/lmittmann/tint"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"roughcut/store"
	"roughcut/store/account"
	"roughcut/store/billing"
)

// settings are the values of all settings. settings_table.go names and describes them. Flags
// override the environment, the environment overrides the settings file. All times are whole
// seconds.
type settings struct {
	DataDir         string
	ListenAddr      string
	BaseURL         string
	LogLevel        string
	Workers         int
	MaxQueuedJobs   int
	EngineIsolation string
	Encoder         string
	SMTPURL         string
	MailFrom        string
	SpeechModel     string
	ModelsURL       string
	TrustedProxies  string
	CORSOrigins     string
	AllowedHosts    string
	MetricsAddr     string
	PlanMode        string
	TrialAutoGrant  bool
	Signup          string
	OAuthProviders  any // decoded by oauthProviders

	DirectorLLMURL   string
	DirectorLLMModel string

	ImportAllowPrivate           bool
	ImportMetadataTimeoutSeconds int64
	MaxImportDurationSeconds     int64
	YtDlp                        string

	Plans               any // decoded by readTiers
	Currency            string
	SupportEmail        string
	StripeSecretKey     string
	StripeAPIURL        string
	StripeWebhookSecret string

	StorageMaxUploadSizeMB int64
	StorageMinFreeMB       int64
	ChunkCacheMB           int64

	StorageGeneratedPercent int64

	LoginMaxAttempts          int
	LoginAttemptWindowSeconds int64
	LoginLockoutBaseSeconds   int64
	LoginLockoutMaxSeconds    int64

	SessionTTLSeconds          int64
	VerifyTokenTTLSeconds      int64
	ResetTokenTTLSeconds       int64
	EmailChangeTokenTTLSeconds int64
	UploadURLTTLSeconds        int64
	MediaTokenTTLSeconds       int64
	DownloadURLTTLSeconds      int64
	AssetURLTTLSeconds         int64
	EventsKeepaliveSeconds     int64
	SweepIntervalSeconds       int64
}

// Sources of a setting.
const (
	fromDefault     = "default"
	fromFile        = "file"
	fromEnvironment = "environment"
	fromFlag        = "flag"
)

// loadSettings reads the settings file that --config names, the environment and the flags.
func loadSettings(flags *pflag.FlagSet) (settings, error) {
	s, _, err := readSettings(flags)
	return s, err
}

// readSettings is loadSettings that also returns the source of each setting by its key. It leaves
// out the settings that have their default.
func readSettings(flags *pflag.FlagSet) (s settings, sources map[string]string, err error) {
	table := s.table()
	for _, v := range table {
		v.reset()
	}
	sources = map[string]string{}
	all := koanf.New(".")
	for _, layer := range []struct {
		source string
		load   func() (*koanf.Koanf, error)
	}{
		{fromFile, func() (*koanf.Koanf, error) { return loadFile(table, flags) }},
		{fromEnvironment, func() (*koanf.Koanf, error) { return loadEnvironment(table) }},
		{fromFlag, func() (*koanf.Koanf, error) { return loadFlags(table, flags) }},
	} {
		k, err := layer.load()
		if err != nil {
			return s, nil, err
		}
		for key := range k.Raw() {
			sources[key] = layer.source
		}
		if err := all.Merge(k); err != nil {
			return s, nil, fmt.Errorf("reading the settings: %w", err)
		}
	}

	given := all.Raw()
	for _, v := range table {
		if value, ok := given[v.key]; ok {
			if err := v.set(value); err != nil {
				return s, nil, err
			}
		}
	}

	return s, sources, s.validate()
}

func loadFile(table []setting, flags *pflag.FlagSet) (*koanf.Koanf, error) {
	k := koanf.New(".")
	path, err := flags.GetString("config")
	if err != nil || path == "" {
		return k, nil // a command without the flag has no settings file
	}
	if err := k.Load(file.Provider(path), toml.Parser()); err != nil {
		return nil, usageError{fmt.Errorf("reading the settings file: %w", err)}
	}
	for key := range k.Raw() {
		if !slices.ContainsFunc(table, func(v setting) bool { return v.key == key }) {
			return nil, usageError{fmt.Errorf("the settings file %s has an unknown setting %q", path, key)}
		}
	}

	if path == serviceFile && !k.Exists("data_dir") {
		return k, k.Set("data_dir", serviceData)
	}
	return k, nil
}

// loadEnvironment reads the variables of the settings, and for secrets the files that KEY_FILE
// names. An empty variable counts as not set.
func loadEnvironment(table []setting) (*koanf.Koanf, error) {
	k := koanf.New(".")
	for _, v := range table {
		value, err := v.environment()
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		if err := k.Set(v.key, value); err != nil {
			return nil, fmt.Errorf("reading %s: %w", v.env(), err)
		}
	}

	return k, nil
}

// environment returns what the environment gives the setting, nil for nothing.
func (v setting) environment() (any, error) {
	value := os.Getenv(v.env())
	path := ""
	if v.secret {
		path = os.Getenv(v.env() + "_FILE")
	}
	switch {
	case value != "" && path != "":
		return nil, usageError{fmt.Errorf("both %[1]s and %[1]s_FILE are set; unset one of them", v.env())}
	case path != "":
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, usageError{fmt.Errorf("reading %s_FILE: %w", v.env(), err)}
		}
		return strings.TrimSpace(string(text)), nil
	case value == "":
		return nil, nil
	case v.key == "plans": // as tables, which merge with the tables of the settings file
		var tiers map[string]any
		if err := json.Unmarshal([]byte(value), &tiers); err != nil {
			return nil, notPlans(err)
		}
		return tiers, nil
	}

	return value, nil
}

func loadFlags(table []setting, flags *pflag.FlagSet) (*koanf.Koanf, error) {
	k := koanf.New(".")
	for _, v := range table {
		f := flags.Lookup(v.flag)
		if v.flag == "" || f == nil || !f.Changed {
			continue
		}
		if err := k.Set(v.key, f.Value.String()); err != nil {
			return nil, fmt.Errorf("reading --%s: %w", v.flag, err)
		}
	}

	return k, nil
}

// validate checks all settings, alone and in combination.
func (s *settings) validate() error {
	for _, v := range s.table() {
		if err := v.validate(); err != nil {
			return err
		}
	}

	if s.StripeSecretKey == "" && s.StripeWebhookSecret+s.StripeAPIURL != "" {
		return usageError{errors.New("STRIPE_WEBHOOK_SECRET and STRIPE_API_URL need STRIPE_SECRET_KEY")}
	}
	if (s.DirectorLLMURL == "") != (s.DirectorLLMModel == "") {
		return usageError{errors.New("DIRECTOR_LLM_URL and DIRECTOR_LLM_MODEL must be set together")}
	}
	if err := s.refuseIsolation(); err != nil {
		return err
	}
	_, err := readTiers(s.Plans)
	if err == nil {
		_, err = s.oauthProviders()
	}
	return err
}

// decodeSetting decodes a setting that is JSON text in the environment and tables in the settings
// file.
func decodeSetting(setting, into any) error {
	text, isText := setting.(string)
	if !isText {
		table, err := json.Marshal(setting)
		if err != nil {
			return err
		}
		text = string(table)
	}

	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// owner reports whether the program runs in single-user mode.
func (s settings) owner() bool { return s.PlanMode == planOwner }

// metered reports whether accounts have tiers with limits and prices.
func (s settings) metered() bool { return s.PlanMode == planMetered }

// signup returns who can sign up: everyone by default, and no one in single-user mode.
func (s settings) signup() account.SignupMode {
	switch {
	case s.Signup != "":
		return account.SignupMode(s.Signup)
	case s.owner():
		return account.SignupClosed
	}

	return account.SignupOpen
}

// storeOptions returns the options for opening the store.
func (s settings) storeOptions(log *slog.Logger) store.Options {
	tiers, _ := readTiers(s.Plans) // validate has checked them
	o := store.Options{
		Dir:            s.DataDir,
		TierTable:      billing.TierTable{Unlimited: !s.metered(), Currency: s.Currency, Tiers: tiers},
		MinFreeBytes:   s.StorageMinFreeMB << 20,
		Log:            log,
		UploadURLTTL:   seconds(s.UploadURLTTLSeconds),
		TrialOnRequest: !s.TrialAutoGrant,
		Signup:         s.signup(),
		Isolated:       s.isolated(),

		GeneratedPercent: s.StorageGeneratedPercent,
	}
	if !s.owner() {
		o.MaxUploadBytes = s.StorageMaxUploadSizeMB << 20
		o.MaxQueuedJobs = s.MaxQueuedJobs
	}

	return o
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// newLogger returns a logger that writes to standard error: text on a terminal, JSON otherwise.
func newLogger(level string) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(level)) // validate has checked it
	if term.IsTerminal(int(os.Stderr.Fd())) {
		return slog.New(tint.NewTextHandler(os.Stderr, &tint.Options{Level: l, TimeFormat: time.TimeOnly}))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: l}))
}
