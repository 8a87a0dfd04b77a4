// Package fetch brings recordings in from the network: plain media addresses by itself, pages of
// video sites through yt-dlp where that is installed. It is the only room that connects to an
// address that a user gave.
//
// Every connection, yt-dlp's too, is made by one dialer that looks at the address that is really
// connected to, after names were resolved and redirects followed; address.go says which are
// refused. Redirects, bytes, time and a least speed are bounded, no proxy, cookie or compression is
// used, and who asks is consulted about every few megabytes whether there is still room.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"time"

	"roughcut/media"
	"roughcut/store"
)

const (
	maxLookUps   = 4               // look-ups at the same time; others wait within their own time
	maxFetchTime = 6 * time.Hour   // of one recording
	patience     = time.Minute     // in which leastBytes must come
	leastBytes   = 256 << 10       // a transfer below about 4 KiB a second is given up
	maxBytes     = int64(64) << 30 // of a recording, whatever a plan allows
)

// Options are what a Fetcher is made of.
type Options struct {
	AllowPrivate    bool          // IMPORT_ALLOW_PRIVATE: loopback and private addresses too
	MetadataTimeout time.Duration // how long a look-up may take
	MaxDuration     time.Duration // longest recording
	YtDlp           string        // the program, by path or by name on PATH
	TempPath        func(suffix string) (string, error)
	Probe           func(ctx context.Context, path string) (media.Info, error)
	Log             *slog.Logger
}

// Fetcher looks up and fetches recordings. Its methods may be called from many goroutines at once.
type Fetcher struct {
	Options
	refused  func(netip.Addr) bool // the rule for connected addresses
	resolver *net.Resolver         // nil for the system's
	patience time.Duration
	lookUps  chan struct{}
}

// New returns a Fetcher.
func New(o Options) *Fetcher {
	f := &Fetcher{Options: o, refused: notPublic, patience: patience, lookUps: make(chan struct{}, maxLookUps)}
	if o.AllowPrivate {
		f.refused = func(netip.Addr) bool { return false }
	}
	return f
}

// LookUp finds out what an address holds, within MetadataTimeout. Errors: Invalid
// import_address_refused, import_metadata_timeout, import_metadata_failed, import_too_long. What
// cannot be known before the whole recording is here is left to CheckDuration.
func (f *Fetcher) LookUp(ctx context.Context, address string) (store.NewImport, error) {
	target, err := parseAddress(address)
	if err != nil {
		return store.NewImport{}, err
	}
	whole, cancel := context.WithTimeout(ctx, f.MetadataTimeout)
	defer cancel()
	var found store.NewImport
	select {
	case f.lookUps <- struct{}{}:
		defer func() { <-f.lookUps }()
		found, err = f.lookUp(whole, target)
	case <-whole.Done():
		err = whole.Err()
	}
	switch {
	case err == nil:
		found.Address = address
		return found, nil
	case ctx.Err() != nil:
		return store.NewImport{}, ctx.Err()
	case whole.Err() != nil:
		return store.NewImport{}, refuse(
			"import_metadata_timeout",
			"The address did not say within %.0f seconds what it holds. Try again, or upload the file.",
			math.Ceil(f.MetadataTimeout.Seconds()),
		)
	}
	return store.NewImport{}, told(err)
}

// Fetch writes the recording at an address to a file that does not exist yet, and leaves nothing
// there when it fails. It asks allow now and then whether so many bytes in all may be taken, and
// ends with its error. Progress is called with a growing fraction 0-1, not at all while the size is
// not known.
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
		return told(because(ctx, err))
	}
	return nil
}

// CheckDuration says whether a recording of this length may be imported. Errors: Invalid import_too_long.
func (f *Fetcher) CheckDuration(ms int64) error {
	if limit := f.MaxDuration.Milliseconds(); ms > limit {
		return refuse(
			"import_too_long",
			"The video runs %s minutes; the maximum import is %s minutes.",
			minutes(ms),
			minutes(limit),
		)
	}
	return nil
}

// minutes writes a length rounded up to a tenth of a minute, so that what is too long never reads
// like what is allowed.
func minutes(ms int64) string {
	return fmt.Sprintf("%g", math.Ceil(float64(ms)/6000)/10)
}

// refuse makes an error that a user can cause.
func refuse(code, format string, args ...any) *store.Error {
	return &store.Error{Kind: store.Invalid, Code: code, Message: fmt.Sprintf(format, args...)}
}

// because returns the cause of a context that has ended, instead of what the end looked like from
// inside.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// told turns what the network, or the file that came over it, did wrong into what a user can act
// on.
func told(err error) error {
	var known *store.Error
	var file interface{ FileFault() string }
	var name *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &file):
		return refuse("import_metadata_failed", "The address holds nothing that can be imported: %s", file.FileFault())
	case errors.As(err, &name):
		return refuse("import_metadata_failed", "There is no server of the name %s. Check the address.", name.Name)
	case errors.As(err, &op) && op.Op == "dial":
		return refuse(
			"import_metadata_failed",
			"The server of this address could not be reached (%v). Check the address, or try later.",
			op.Err,
		)
	case isNetwork(err):
		return refuse("import_metadata_failed", "The connection to the address failed: %v. Try again.", innermost(err))
	}
	return err
}
