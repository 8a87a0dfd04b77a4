// Package models owns the folder of speech models: the catalog of known models, the installed ones,
// downloads and files that people add. A file gets the model's file name only after it is verified,
// so readers of the folder never see a partial model.
package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"roughcut/store/outfile"
)

// Model is a known speech model.
type Model struct {
	Name      string // "base.en"
	SizeBytes int64
	SHA256    string // hex
}

// Multilingual reports whether a known model understands languages other than English.
func (m Model) Multilingual() bool { return !strings.Contains(m.Name, ".en") }

func fileName(name string) string { return "ggml-" + name + ".bin" }

// partSuffix marks the file of an incomplete download.
const partSuffix = ".part"

// Errors of the Library.
var (
	ErrUnknown        = errors.New("unknown model; see the list of models")
	ErrInstalled      = errors.New("the model is already installed")
	ErrBusy           = errors.New("another process is downloading this model")
	ErrNotDownloading = errors.New("the model is not being downloaded")
	ErrNotInstalled   = errors.New("the model is not installed")
)

// Options configures a Library. Client, RetryWait, Stall and MaxBytes have defaults.
type Options struct {
	Dir   string  // folder of the models
	URL   string  // folder to download models from
	Known []Model // models that can be downloaded
	// Check reports whether a model understands languages other than English. It returns an error
	// if the file is not a speech model.
	Check     func(path string) (multilingual bool, err error)
	Free      func(need int64) error // returns an error if the disk has no room for need bytes
	Client    *http.Client
	RetryWait time.Duration // before an interrupted download resumes, default 2 s
	Stall     time.Duration // without data before a connection is closed, default 60 s
	MaxBytes  int64         // largest file that Add accepts, default 8 GiB
}

// Library manages the folder of models. It is safe for concurrent use. Close ends its background
// downloads.
type Library struct {
	o       Options
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu        sync.Mutex
	downloads map[string]*download
	adding    map[string]bool    // paths of the files of Add
	intact    map[string]version // versions of files that CheckIntact has read
}

// download is the state of a background download.
type download struct {
	cancel   context.CancelFunc
	received int64
	ended    bool
	err      error
}

// New returns a Library.
func New(o Options) *Library {
	o.Client = cmp.Or(o.Client, &http.Client{})
	o.RetryWait = cmp.Or(o.RetryWait, 2*time.Second)
	o.Stall = cmp.Or(o.Stall, time.Minute)
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultMaxBytes)
	ctx, cancel := context.WithCancel(context.Background())
	return &Library{
		o: o, ctx: ctx, cancel: cancel, downloads: map[string]*download{}, adding: map[string]bool{},
		intact: map[string]version{},
	}
}

// Close cancels the background downloads and waits for them. A later download resumes them.
func (l *Library) Close() {
	l.cancel()
	l.running.Wait()
}

// Status describes a model in the folder or the catalog.
type Status struct {
	Model
	File        string // file name in the folder
	Known       bool   // in the catalog: it has a checksum and can be downloaded
	Installed   bool
	Many        bool  // understands languages other than English
	Received    int64 // bytes on disk, including an interrupted download
	Downloading bool
	Err         error // of the last download
}

// List returns the known models in the order of the catalog, then other models in the folder by
// name.
func (l *Library) List() ([]Status, error) {
	entries, err := os.ReadDir(l.o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing speech models: %w", err)
	}
	sizes := map[string]int64{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			sizes[e.Name()] = info.Size()
		}
	}

	var list []Status
	for _, m := range l.o.Known {
		size, there := sizes[fileName(m.Name)]
		s := Status{
			Model:     m,
			File:      fileName(m.Name),
			Known:     true,
			Installed: there,
			Many:      m.Multilingual(),
			Received:  sizes[fileName(m.Name)+partSuffix],
		}
		if there {
			s.SizeBytes, s.Received = size, size
		}
		l.addDownload(&s)
		list = append(list, s)
		delete(sizes, fileName(m.Name))
	}

	var own []Status
	for file, size := range sizes {
		if !strings.HasSuffix(file, ".bin") {
			continue
		}
		if s, err := l.Describe(filepath.Join(l.o.Dir, file)); err == nil {
			s.SizeBytes, s.Received = size, size
			own = append(own, s)
		}
	}

	slices.SortFunc(own, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	return append(list, own...), nil
}

// Describe describes an installed model by its file, which may be outside the folder. Errors: as
// Check.
func (l *Library) Describe(path string) (Status, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Status{}, fmt.Errorf("reading a speech model: %w", err)
	}
	many, err := l.o.Check(path)
	file := filepath.Base(path)
	name := strings.TrimPrefix(strings.TrimSuffix(file, ".bin"), "ggml-")
	return Status{Model: Model{Name: name, SizeBytes: info.Size()}, File: file, Installed: true, Many: many}, err
}

// addDownload adds the state of a background download to s.
func (l *Library) addDownload(s *Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.downloads[s.Name]
	if d == nil {
		return
	}
	s.Downloading, s.Err = !d.ended, d.err
	if s.Downloading {
		s.Received = d.received
	}
}

// Status describes one model. Errors: ErrUnknown.
func (l *Library) Status(name string) (Status, error) {
	list, err := l.List()
	if err != nil {
		return Status{}, err
	}
	for _, s := range list {
		if s.Name == name {
			return s, nil
		}
	}

	return Status{}, ErrUnknown
}

func (l *Library) find(name string) (Model, error) {
	for _, m := range l.o.Known {
		if m.Name == name {
			return m, nil
		}
	}

	return Model{}, ErrUnknown
}

// Start starts a background download, unless one is already running. Errors: ErrUnknown;
// ErrInstalled; as Free.
func (l *Library) Start(name string) error {
	m, err := l.find(name)
	if err != nil {
		return err
	}
	path := filepath.Join(l.o.Dir, fileName(name))
	if info, err := os.Stat(path); err == nil && info.Size() == m.SizeBytes {
		return ErrInstalled
	}
	if err := l.o.Free(m.SizeBytes - l.partSize(name)); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := l.downloads[name]; (d != nil && !d.ended) || l.ctx.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(l.ctx)
	d := &download{cancel: cancel, received: l.partSize(name)}
	l.downloads[name] = d
	l.running.Go(func() {
		defer cancel()
		err := l.Download(ctx, name, func(received, _ int64) {
			l.mu.Lock()
			defer l.mu.Unlock()
			d.received = received
		})
		l.mu.Lock()
		defer l.mu.Unlock()
		d.ended = true
		if ctx.Err() == nil {
			d.err = err
		}
	})
	return nil
}

// Cancel stops a background download. A later download resumes it. Errors: ErrUnknown,
// ErrNotDownloading.
func (l *Library) Cancel(name string) error {
	if _, err := l.find(name); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.downloads[name]
	if d == nil || d.ended {
		return ErrNotDownloading
	}
	d.cancel()
	return nil
}

// Remove deletes a model or its incomplete download. An analysis that has loaded the model can
// continue. Errors: ErrUnknown, ErrNotInstalled, and ErrBusy during a download.
func (l *Library) Remove(name string) error {
	s, err := l.Status(name)
	if err != nil {
		return err
	}
	path := filepath.Join(l.o.Dir, s.File)
	if s.Downloading {
		return ErrBusy
	}
	if !s.Installed && s.Received == 0 {
		return ErrNotInstalled
	}
	unlock, err := outfile.Lock(path)
	if errors.Is(err, outfile.ErrBusy) {
		return ErrBusy
	} else if err != nil {
		return fmt.Errorf("locking the model: %w", err)
	}

	defer unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.downloads, name)
	for _, file := range []string{path, path + partSuffix, path + sumSuffix} {
		if err := removeIfThere(file); err != nil {
			return fmt.Errorf("deleting the model: %w", err)
		}
	}

	return nil
}

// partSize returns the size of an incomplete download in bytes, or 0.
func (l *Library) partSize(name string) int64 {
	info, err := os.Stat(filepath.Join(l.o.Dir, fileName(name)+partSuffix))
	if err != nil {
		return 0
	}
	return info.Size()
}
