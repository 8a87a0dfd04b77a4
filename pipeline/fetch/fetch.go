// Package fetch downloads recordings from the network: media files over HTTP, and videos of web
// pages through yt-dlp if it is installed. No other package connects to addresses that users enter.
//
// One dialer makes all connections, including the connections of yt-dlp. It checks each IP address
// after name resolution and redirects; address.go lists the refused networks. Redirects, size,
// duration and minimum speed are limited. Requests use no proxy, cookies or compression. During a
// download, Fetch asks its caller every few megabytes whether there is still room.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"syscall"
	"time"

	"roughcut/media"
	"roughcut/store"
)

const (
	maxFetchTime = 6 * time.Hour   // per recording
	stallWindow  = time.Minute     // a download stops if less than leastBytes arrive in it
	stallBytes   = 256 << 10       // about 4 KiB/s in the first minutes, 140 KiB/s after 25
	maxBytes     = int64(64) << 30 // per recording, on every tier
)

// Options configures a Fetcher.
type Options struct {
	AllowPrivate    bool          // allows loopback and private addresses (IMPORT_ALLOW_PRIVATE)
	MetadataTimeout time.Duration // of a look-up
	MaxDuration     time.Duration // of a recording
	YtDlp           string        // the yt-dlp program: a path or a name on PATH
	TempPath        func(suffix string) (string, error)
	Probe           func(ctx context.Context, path string) (media.Info, error)
	Log             *slog.Logger
}

// Fetcher looks up and downloads recordings. It is safe for concurrent use.
type Fetcher struct {
	Options
	refused     func(netip.Addr) bool // reports whether connections to an address are refused
	resolver    *net.Resolver         // nil for the system resolver
	stallWindow time.Duration
}

// New returns a Fetcher.
func New(o Options) *Fetcher {
	f := &Fetcher{
		Options:     o,
		refused:     notPublic,
		stallWindow: stallWindow,
	}
	if o.AllowPrivate {
		f.refused = func(netip.Addr) bool { return false }
	}
	return f
}

// LookUp returns the name, type and size of the recording at an address, within MetadataTimeout.
// Errors: Invalid import_address_refused, import_metadata_timeout, import_metadata_failed,
// import_too_long. If only the whole recording tells its duration, the caller checks it with
// CheckDuration after the download.
func (f *Fetcher) LookUp(ctx context.Context, address string) (store.NewImport, error) {
	target, err := parseAddress(address)
	if err != nil {
		return store.NewImport{}, err
	}
	whole, cancel := context.WithTimeout(ctx, f.MetadataTimeout)
	defer cancel()
	found, err := f.lookUp(whole, target)
	switch {
	case err == nil:
		found.Address = address
		return found, nil
	case ctx.Err() != nil:
		return store.NewImport{}, ctx.Err()
	case whole.Err() != nil:
		return store.NewImport{}, refuse(
			"import_metadata_timeout",
			"The server did not describe the recording within %.0f seconds. Try again, or upload the file.",
			math.Ceil(f.MetadataTimeout.Seconds()),
		)
	}

	return store.NewImport{}, userError(err)
}

// Fetch downloads the recording at an address to a new file and removes the file if it fails. It
// regularly passes the number of bytes so far to allow, and stops with the error that allow
// returns. progress gets a growing fraction from 0 to 1, and no calls while the size is unknown.
func (f *Fetcher) Fetch(
	ctx context.Context,
	address, path string,
	allow func(bytes int64) error,
	progress func(float64),
) error {
	target, err := parseAddress(address)
	if err != nil {
		return err
	}
	if err := f.fetch(ctx, target, path, transfer{allow: allow, progress: progress}); err != nil {
		return userError(causeOf(ctx, err))
	}
	return nil
}

// CheckDuration returns an error if a recording of this duration is too long to import. Errors:
// Invalid import_too_long.
func (f *Fetcher) CheckDuration(ms int64) error {
	if limit := f.MaxDuration.Milliseconds(); ms > limit {
		return refuse(
			"import_too_long",
			"The recording is %s minutes long; the maximum import is %s minutes.",
			formatMinutes(ms),
			formatMinutes(limit),
		)
	}

	return nil
}

// formatMinutes formats a duration in minutes, rounded up to a tenth, so that a duration above the
// limit never reads like the limit.
func formatMinutes(ms int64) string {
	return fmt.Sprintf("%g", math.Ceil(float64(ms)/6000)/10)
}

// refuse returns an error that a user can cause.
func refuse(code, format string, args ...any) *store.Error {
	return &store.Error{Kind: store.Invalid, Code: code, Message: fmt.Sprintf(format, args...)}
}

// causeOf returns the cause of ctx if ctx has ended, and err otherwise: an error after the end is
// only a consequence of it.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// userError turns errors of the network and of the downloaded file into errors that tell the user
// what to do. Other errors pass unchanged.
func userError(err error) error {
	var known *store.Error
	var file interface{ FileFault() string }
	var name *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &file):
		return refuse("import_metadata_failed", "The file at this address cannot be imported: %s", file.FileFault())
	case errors.As(err, &name):
		return refuse(
			"import_metadata_failed",
			"Cannot reach %s. Is this computer online? Check the address, or upload the file.",
			name.Name,
		)
	case errors.As(err, &op) && op.Op == "dial" && errors.Is(err, syscall.ENETUNREACH):
		return refuse(
			"import_metadata_failed",
			"The Roughcut server has no internet connection. Connect it and try again, or upload the file.",
		)
	case errors.As(err, &op) && op.Op == "dial":
		return refuse(
			"import_metadata_failed", "The server could not be reached. Check the address, or try again later.",
		)
	case isNetwork(err):
		return refuse("import_metadata_failed", "The connection to the address failed. Try again.")
	}

	return err
}
