package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
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

	"roughcut/store"
)

// settings are all settings of the program. The name of each is an environment variable in upper case, and a key of the settings
// file in lower case; some are flags. Flags beat the environment, the environment beats the file. Times are whole seconds.
type settings struct {
	DataDir        string `koanf:"data_dir"`
	ListenAddr     string `koanf:"listen_addr"`
	BaseURL        string `koanf:"base_url"`
	LogLevel       string `koanf:"log_level"`
	Workers        int    `koanf:"workers"`
	SMTPURL        string `koanf:"smtp_url"`
	MailFrom       string `koanf:"mail_from"`
	SpeechModel    string `koanf:"speech_model"`
	TrustedProxies string `koanf:"trusted_proxies"`
	PlanMode       string `koanf:"plan_mode"`
	TrialAutoGrant bool   `koanf:"trial_auto_grant"`

	StorageMaxUploadSizeMB int64 `koanf:"storage_max_upload_size_mb"`
	StorageMinFreeMB       int64 `koanf:"storage_min_free_mb"`

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
		DataDir: filepath.Join(xdg.DataHome, "roughcut"), ListenAddr: "127.0.0.1:8420", LogLevel: "info",
		Workers: max(1, runtime.NumCPU()/2), MailFrom: "roughcut@localhost", PlanMode: planMetered, TrialAutoGrant: true,
		StorageMaxUploadSizeMB: 2048, StorageMinFreeMB: 512,
		LoginMaxAttempts: 5, LoginAttemptWindowSeconds: 900, LoginLockoutBaseSeconds: 60, LoginLockoutMaxSeconds: 3600,
		SessionTTLSeconds: 30 * 24 * 3600, VerifyTokenTTLSeconds: 24 * 3600, ResetTokenTTLSeconds: 3600,
		EmailChangeTokenTTLSeconds: 24 * 3600, UploadURLTTLSeconds: 3600,
		MediaTokenTTLSeconds: 300, DownloadURLTTLSeconds: 3600, AssetURLTTLSeconds: 3600, EventsKeepaliveSeconds: 15, SweepIntervalSeconds: 60,
	}
}

// flagKeys are the flags that stand for a setting.
var flagKeys = map[string]string{
	"data-dir": "data_dir", "listen": "listen_addr", "base-url": "base_url", "log-level": "log_level", "model": "speech_model",
}

// loadSettings reads the settings file that --config names, the environment and the flags.
func loadSettings(flags *pflag.FlagSet) (settings, error) {
	s := defaultSettings()
	known := settingKeys()
	k := koanf.New(".")
	if path, err := flags.GetString("config"); err == nil && path != "" {
		if err := k.Load(file.Provider(path), toml.Parser()); err != nil {
			return s, usageError{fmt.Errorf("reading the settings file: %w", err)}
		}
		for _, key := range k.Keys() {
			if !known[key] {
				return s, usageError{fmt.Errorf("the settings file %s has the key %q, which is no setting", path, key)}
			}
		}
	}
	fromEnv := env.Provider(".", env.Opt{TransformFunc: func(name, value string) (string, any) {
		if key := strings.ToLower(name); known[key] && name == strings.ToUpper(name) && value != "" {
			return key, value
		}
		return "", nil
	}})
	if err := k.Load(fromEnv, nil); err != nil {
		return s, fmt.Errorf("reading the environment: %w", err)
	}
	fromFlags := posflag.ProviderWithFlag(flags, ".", nil, func(f *pflag.Flag) (string, any) {
		if key := flagKeys[f.Name]; key != "" && f.Changed {
			return key, f.Value.String()
		}
		return "", nil
	})
	if err := k.Load(fromFlags, nil); err != nil {
		return s, fmt.Errorf("reading the flags: %w", err)
	}
	if err := k.Unmarshal("", &s); err != nil {
		return s, usageError{fmt.Errorf("a setting has the wrong form: %w", err)}
	}
	return s, s.check()
}

func settingKeys() map[string]bool {
	keys := map[string]bool{}
	t := reflect.TypeFor[settings]()
	for i := range t.NumField() {
		keys[t.Field(i).Tag.Get("koanf")] = true
	}
	return keys
}

func (s settings) check() error {
	if s.PlanMode != planMetered && s.PlanMode != planOwner {
		return usageError{fmt.Errorf("PLAN_MODE is %q; it must be %s or %s", s.PlanMode, planMetered, planOwner)}
	}
	if s.Workers < 1 {
		return usageError{fmt.Errorf("WORKERS is %d; it must be at least 1", s.Workers)}
	}
	return nil
}

func (s settings) owner() bool { return s.PlanMode == planOwner }

func (s settings) storeOptions(log *slog.Logger) store.Options {
	plans := store.DefaultPlans()
	plans.Owner = s.owner()
	o := store.Options{
		Dir: s.DataDir, Plans: plans, MinFreeBytes: s.StorageMinFreeMB << 20, Log: log,
		UploadURLTTL: seconds(s.UploadURLTTLSeconds), TrialOnRequest: !s.TrialAutoGrant,
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
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelInfo
	}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		return slog.New(tint.NewTextHandler(os.Stderr, &tint.Options{Level: l, TimeFormat: time.TimeOnly}))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: l}))
}
