package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/v2"
	"github.com/lmittmann/tint"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"roughcut/pipeline/models"
	"roughcut/server/auth"
	"roughcut/store"
)

// settings are all settings of the program. The name of each is an environment variable in upper
// case, and a key of the settings file in lower case; some are flags. Flags beat the environment,
// the environment beats the file. Times are whole seconds. A setting marked as secret is never
// printed, and NAME_FILE names a file that holds it.
type settings struct {
	DataDir        string `koanf:"data_dir"`
	ListenAddr     string `koanf:"listen_addr"`
	BaseURL        string `koanf:"base_url"`
	LogLevel       string `koanf:"log_level"`
	Workers        int    `koanf:"workers"`
	SMTPURL        string `koanf:"smtp_url"         secret:"true"`
	MailFrom       string `koanf:"mail_from"`
	SpeechModel    string `koanf:"speech_model"`
	ModelsURL      string `koanf:"models_url"`
	TrustedProxies string `koanf:"trusted_proxies"`
	AllowedHosts   string `koanf:"allowed_hosts"`
	MetricsAddr    string `koanf:"metrics_addr"`
	PlanMode       string `koanf:"plan_mode"`
	TrialAutoGrant bool   `koanf:"trial_auto_grant"`
	Signup         string `koanf:"signup"`
	// JSON text, or what the file holds; see oauthProviders
	OAuthProviders any `koanf:"oauth_providers" secret:"true"`

	DirectorLLMURL   string `koanf:"director_llm_url"`
	DirectorLLMModel string `koanf:"director_llm_model"`

	ImportAllowPrivate           bool   `koanf:"import_allow_private"`
	ImportMetadataTimeoutSeconds int64  `koanf:"import_metadata_timeout_seconds"`
	MaxImportDurationSeconds     int64  `koanf:"max_import_duration_seconds"`
	YtDlp                        string `koanf:"yt_dlp"`

	// numbers by tier: JSON in the environment, tables in the file; see readTiers
	Plans               any    `koanf:"plans"`
	Currency            string `koanf:"currency"`
	SupportEmail        string `koanf:"support_email"`
	StripeSecretKey     string `koanf:"stripe_secret_key"     secret:"true"`
	StripeAPIURL        string `koanf:"stripe_api_url"`
	StripeWebhookSecret string `koanf:"stripe_webhook_secret" secret:"true"`

	StorageMaxUploadSizeMB int64 `koanf:"storage_max_upload_size_mb"`
	StorageMinFreeMB       int64 `koanf:"storage_min_free_mb"`
	ChunkCacheMB           int64 `koanf:"chunk_cache_mb"`

	LoginMaxAttempts          int   `koanf:"login_max_attempts"`
	LoginAttemptWindowSeconds int64 `koanf:"login_attempt_window_seconds"`
	LoginLockoutBaseSeconds   int64 `koanf:"login_lockout_base_seconds"`
	LoginLockoutMaxSeconds    int64 `koanf:"login_lockout_max_seconds"`

	SessionTTLSeconds          int64 `koanf:"session_ttl_seconds"`
	VerifyTokenTTLSeconds      int64 `koanf:"verify_token_ttl_seconds"`
	ResetTokenTTLSeconds       int64 `koanf:"reset_token_ttl_seconds"`
	EmailChangeTokenTTLSeconds int64 `koanf:"email_change_token_ttl_seconds"`
	UploadURLTTLSeconds        int64 `koanf:"upload_url_ttl_seconds"`
	MediaTokenTTLSeconds       int64 `koanf:"media_token_ttl_seconds"`
	DownloadURLTTLSeconds      int64 `koanf:"download_url_ttl_seconds"`
	AssetURLTTLSeconds         int64 `koanf:"asset_url_ttl_seconds"`
	EventsKeepaliveSeconds     int64 `koanf:"events_keepalive_seconds"`
	SweepIntervalSeconds       int64 `koanf:"sweep_interval_seconds"`
}

// The values of PLAN_MODE.
const (
	planMetered = "metered"
	planOwner   = "owner"
)

func defaultSettings() settings {
	return settings{
		DataDir:                      filepath.Join(xdg.DataHome, "roughcut"),
		ListenAddr:                   "127.0.0.1:8420",
		LogLevel:                     "info",
		Workers:                      max(1, runtime.NumCPU()/2),
		MailFrom:                     "roughcut@localhost",
		PlanMode:                     planMetered,
		TrialAutoGrant:               true,
		Signup:                       string(store.SignupOpen),
		Currency:                     "usd",
		ImportMetadataTimeoutSeconds: 15,
		MaxImportDurationSeconds:     3600,
		YtDlp:                        "yt-dlp",
		ModelsURL:                    models.DefaultURL,
		StorageMaxUploadSizeMB:       2048,
		StorageMinFreeMB:             512,
		ChunkCacheMB:                 4096,
		LoginMaxAttempts:             5,
		LoginAttemptWindowSeconds:    900,
		LoginLockoutBaseSeconds:      60,
		LoginLockoutMaxSeconds:       3600,
		SessionTTLSeconds:            30 * 24 * 3600,
		VerifyTokenTTLSeconds:        24 * 3600,
		ResetTokenTTLSeconds:         3600,
		EmailChangeTokenTTLSeconds:   24 * 3600,
		UploadURLTTLSeconds:          3600,
		MediaTokenTTLSeconds:         300,
		DownloadURLTTLSeconds:        3600,
		AssetURLTTLSeconds:           3600,
		EventsKeepaliveSeconds:       15,
		SweepIntervalSeconds:         60,
	}
}

// flagKeys are the flags that stand for a setting.
var flagKeys = map[string]string{
	"data-dir":  "data_dir",
	"listen":    "listen_addr",
	"base-url":  "base_url",
	"log-level": "log_level",
	"model":     "speech_model",
}

// Where a setting comes from.
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

// readSettings is loadSettings that also tells where each setting comes from, by its key; those
// left out are defaults.
func readSettings(flags *pflag.FlagSet) (s settings, sources map[string]string, err error) {
	s, sources = defaultSettings(), map[string]string{}
	all := koanf.New(".")
	for _, layer := range []struct {
		source string
		load   func(*koanf.Koanf) error
	}{
		{fromFile, func(k *koanf.Koanf) error { return loadFile(k, flags) }},
		{fromEnvironment, loadEnvironment},
		{fromFlag, func(k *koanf.Koanf) error { return loadFlags(k, flags) }},
	} {
		k := koanf.New(".")
		if err := layer.load(k); err != nil {
			return s, nil, err
		}
		for key := range k.Raw() {
			sources[key] = layer.source
		}
		if err := all.Merge(k); err != nil {
			return s, nil, fmt.Errorf("reading the settings: %w", err)
		}
	}
	if err := all.Unmarshal("", &s); err != nil {
		return s, nil, usageError{wrongForm(all, err)}
	}
	return s, sources, s.check()
}

// wrongForm says which setting cannot be read, and what it has to be.
func wrongForm(all *koanf.Koanf, err error) error {
	for key, field := range settingKeys() {
		one := koanf.New(".")
		if !all.Exists(key) || one.Set(key, all.Get(key)) == nil && one.Unmarshal("", &settings{}) == nil {
			continue
		}
		form := "text"
		switch field.Type.Kind() {
		case reflect.Int, reflect.Int64:
			form = "a whole number"
		case reflect.Bool:
			form = "true or false"
		}
		return fmt.Errorf("%s is %q; it must be %s", strings.ToUpper(key), fmt.Sprint(all.Get(key)), form)
	}
	return fmt.Errorf("a setting has the wrong form: %w", err)
}

func loadFile(k *koanf.Koanf, flags *pflag.FlagSet) error {
	path, err := flags.GetString("config")
	if err != nil || path == "" {
		return nil // a command without the flag has no settings file
	}
	if err := k.Load(file.Provider(path), toml.Parser()); err != nil {
		return usageError{fmt.Errorf("reading the settings file: %w", err)}
	}
	known := settingKeys()
	for key := range k.Raw() {
		if _, ok := known[key]; !ok {
			return usageError{fmt.Errorf("the settings file %s has the key %q, which is no setting", path, key)}
		}
	}
	return nil
}

func loadEnvironment(k *koanf.Koanf) error {
	known := settingKeys()
	var malformed error
	err := k.Load(env.Provider(".", env.Opt{TransformFunc: func(name, value string) (string, any) {
		key := strings.ToLower(name)
		switch {
		case known[key].Name == "" || name != strings.ToUpper(name) || value == "":
			return "", nil
		case key == "plans": // number by number over those of the file
			var tiers map[string]any
			if err := json.Unmarshal([]byte(value), &tiers); err != nil {
				malformed = notPlans(err)
			}
			return key, tiers
		}
		return key, value
	}}), nil)
	if err != nil || malformed != nil {
		return errors.Join(malformed, err)
	}
	for key, field := range known {
		name := strings.ToUpper(key) + "_FILE"
		path := os.Getenv(name)
		if !isSecret(field) || path == "" {
			continue
		}
		if k.Exists(key) {
			return usageError{fmt.Errorf("both %s and %s are set; take one of them away", strings.ToUpper(key), name)}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return usageError{fmt.Errorf("reading %s: %w", name, err)}
		}
		if err := k.Set(key, strings.TrimSpace(string(text))); err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
	}
	return nil
}

func loadFlags(k *koanf.Koanf, flags *pflag.FlagSet) error {
	given := posflag.ProviderWithFlag(flags, ".", nil, func(f *pflag.Flag) (string, any) {
		if key := flagKeys[f.Name]; key != "" && f.Changed {
			return key, f.Value.String()
		}
		return "", nil
	})
	if err := k.Load(given, nil); err != nil {
		return fmt.Errorf("reading the flags: %w", err)
	}
	return nil
}

// settingKeys returns the field of each setting by its key.
func settingKeys() map[string]reflect.StructField {
	keys := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[settings]()) {
		keys[field.Tag.Get("koanf")] = field
	}
	return keys
}

func isSecret(field reflect.StructField) bool { return field.Tag.Get("secret") == "true" }

func (s settings) check() error {
	if s.PlanMode != planMetered && s.PlanMode != planOwner {
		return usageError{fmt.Errorf("PLAN_MODE is %q; it must be %s or %s", s.PlanMode, planMetered, planOwner)}
	}
	if !slices.Contains(
		[]store.SignupMode{store.SignupOpen, store.SignupInvite, store.SignupClosed},
		store.SignupMode(s.Signup),
	) {
		return usageError{
			fmt.Errorf(
				"SIGNUP is %q; it must be %s, %s or %s",
				s.Signup,
				store.SignupOpen,
				store.SignupInvite,
				store.SignupClosed,
			),
		}
	}
	if new(slog.Level).UnmarshalText([]byte(s.LogLevel)) != nil {
		return usageError{fmt.Errorf("LOG_LEVEL is %q; it must be debug, info, warn or error", s.LogLevel)}
	}
	if u, err := url.Parse(s.BaseURL); s.BaseURL != "" &&
		(err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery+u.Fragment != "") {
		return usageError{
			fmt.Errorf(
				"BASE_URL is %q; it must be an address such as https://cut.example.org, perhaps with a path",
				s.BaseURL,
			),
		}
	}
	if err := s.checkNumbers(); err != nil {
		return err
	}
	if s.ImportMetadataTimeoutSeconds < 1 || s.ImportMetadataTimeoutSeconds > 50 {
		return usageError{
			fmt.Errorf("IMPORT_METADATA_TIMEOUT_SECONDS is %d; it must be 1 to 50", s.ImportMetadataTimeoutSeconds),
		}
	}
	if s.StripeSecretKey == "" && s.StripeWebhookSecret+s.StripeAPIURL != "" {
		return usageError{errors.New("STRIPE_WEBHOOK_SECRET and STRIPE_API_URL need STRIPE_SECRET_KEY")}
	}
	if !currencyCode.MatchString(s.Currency) {
		return usageError{fmt.Errorf("CURRENCY is %q; write it as three small letters, such as usd or eur", s.Currency)}
	}
	if u, err := url.Parse(s.ModelsURL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return usageError{
			fmt.Errorf("MODELS_URL is %q; it must be an address such as %s", s.ModelsURL, models.DefaultURL),
		}
	}
	if (s.DirectorLLMURL == "") != (s.DirectorLLMModel == "") {
		return usageError{errors.New("DIRECTOR_LLM_URL and DIRECTOR_LLM_MODEL need each other")}
	}
	if u, err := url.Parse(s.DirectorLLMURL); s.DirectorLLMURL != "" &&
		(err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		return usageError{
			fmt.Errorf(
				"DIRECTOR_LLM_URL is %q; it must be an address such as http://localhost:11434/v1",
				s.DirectorLLMURL,
			),
		}
	}
	_, err := readTiers(s.Plans)
	if err == nil {
		_, err = s.oauthProviders()
	}
	return err
}

// mayBeNone are the numbers of which 0 means none.
var mayBeNone = []string{"storage_min_free_mb", "chunk_cache_mb"}

// checkNumbers refuses numbers that make no sense whatever they are of.
func (s settings) checkNumbers() error {
	known := settingKeys()
	for _, key := range slices.Sorted(maps.Keys(known)) {
		value, least := reflect.ValueOf(s).FieldByIndex(known[key].Index), int64(1)
		if slices.Contains(mayBeNone, key) {
			least = 0
		}
		if value.CanInt() && value.Int() < least {
			return usageError{fmt.Errorf("%s is %d; it must be at least %d", strings.ToUpper(key), value.Int(), least)}
		}
	}
	return nil
}

// oauthProvider is one entry of OAUTH_PROVIDERS.
type oauthProvider struct {
	Name         string   `json:"name"`
	Type         string   `json:"type"`
	Issuer       string   `json:"issuer"`
	ClientID     string   `json:"client_id"`
	ClientSecret string   `json:"client_secret"`
	Scopes       []string `json:"scopes"`
}

// oauthProviders reads OAUTH_PROVIDERS: a JSON array in the environment, tables of the same fields
// in the settings file.
func (s settings) oauthProviders() ([]auth.ProviderConfig, error) {
	var list []oauthProvider
	if err := decodeSetting(s.OAuthProviders, &list); err != nil {
		return nil, usageError{
			fmt.Errorf(
				`OAUTH_PROVIDERS is no list such as [{"name": "…", "issuer": "https://…", "client_id": "…", "client_secret": "…"}]: %w`,
				err,
			),
		}
	}
	configs := make([]auth.ProviderConfig, 0, len(list))
	for _, p := range list {
		configs = append(configs, auth.ProviderConfig(p))
	}
	if _, err := auth.NewOAuth(configs, time.Now); err != nil {
		return nil, usageError{fmt.Errorf("OAUTH_PROVIDERS%w", err)}
	}
	return configs, nil
}

// decodeSetting reads a setting that is JSON text in the environment and tables of the same fields
// in the settings file.
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

func (s settings) owner() bool { return s.PlanMode == planOwner }

func (s settings) storeOptions(log *slog.Logger) store.Options {
	tiers, _ := readTiers(s.Plans) // check has read them without error
	o := store.Options{
		Dir:            s.DataDir,
		TierTable:      store.TierTable{Owner: s.owner(), Currency: s.Currency, Tiers: tiers},
		MinFreeBytes:   s.StorageMinFreeMB << 20,
		Log:            log,
		UploadURLTTL:   seconds(s.UploadURLTTLSeconds),
		TrialOnRequest: !s.TrialAutoGrant,
		Signup:         store.SignupMode(s.Signup),
	}
	if !s.owner() {
		o.MaxUploadBytes = s.StorageMaxUploadSizeMB << 20
	}
	return o
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// newLogger writes to standard error: text on a terminal, JSON otherwise.
func newLogger(level string) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(level)) // check has read it without error
	if term.IsTerminal(int(os.Stderr.Fd())) {
		return slog.New(tint.NewTextHandler(os.Stderr, &tint.Options{Level: l, TimeFormat: time.TimeOnly}))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: l}))
}
