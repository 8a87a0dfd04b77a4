// Package models keeps the speech models: which are known, which are installed, and how a known one
// is downloaded. A model gets its name in the folder only once its size, its checksum and its
// header have been found right, so whoever looks for models never meets half of one.
package models

import (
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

	"github.com/gofrs/flock"
)

// Model is a known speech model.
type Model struct {
	Name      string // "base.en"
	SizeBytes int64
	SHA256    string // hex
}

// Multilingual says whether the model understands more than English.
func (m Model) Multilingual() bool { return !strings.Contains(m.Name, ".en") }

func fileName(name string) string { return "ggml-" + name + ".bin" }

// partSuffix marks a file that is still being downloaded.
const partSuffix = ".part"

// Errors of downloads.
var (
	ErrUnknown        = errors.New("there is no such model; see the list of models")
	ErrInstalled      = errors.New("the model is installed already")
	ErrBusy           = errors.New("another roughcut is downloading this model")
	ErrNotDownloading = errors.New("the model is not being downloaded")
	ErrNotInstalled   = errors.New("nothing of the model is here")
)

// Options is what a Library is made of. Client, RetryWait and Stall have defaults.
type Options struct {
	Dir       string                  // folder of the models
	URL       string                  // folder that the models are downloaded from
	Known     []Model                 // what can be downloaded
	Check     func(path string) error // whether a file is a speech model
	Free      func(need int64) error  // whether so many bytes may be written
	Client    *http.Client
	RetryWait time.Duration // before a download that broke off is gone on with, default 2 s
	Stall     time.Duration // how long a download may bring nothing, default 60 s
}

// Library is the folder of models. Downloads that Start began end with Close.
type Library struct {
	o       Options
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu        sync.Mutex
	downloads map[string]*download
}

// download is what is known of one download that Start began.
type download struct {
	cancel   context.CancelFunc
	received int64
	ended    bool
	err      error
}

// New returns the library of a folder.
func New(o Options) *Library {
	if o.Client == nil {
		o.Client = &http.Client{}
	}
	if o.RetryWait == 0 {
		o.RetryWait = 2 * time.Second
	}
	if o.Stall == 0 {
		o.Stall = time.Minute
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Library{o: o, ctx: ctx, cancel: cancel, downloads: map[string]*download{}}
}

// Close cancels the downloads under way and waits for them. What has come is kept for another time.
func (l *Library) Close() {
	l.cancel()
	l.running.Wait()
}

// Status says what there is of a model.
type Status struct {
	Model
	File        string // its name in the folder
	Known       bool   // has a checksum, and can be downloaded
	Installed   bool
	Received    int64 // bytes that a download has brought, also an earlier one that broke off
	Downloading bool  // it is being downloaded now
	Err         error // why the last download ended
}

// List returns the known models in their order, then those that somebody put into the folder.
func (l *Library) List() ([]Status, error) {
	entries, err := os.ReadDir(l.o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for speech models: %w", err)
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
		if strings.HasSuffix(file, ".bin") && l.o.Check(filepath.Join(l.o.Dir, file)) == nil {
			name := strings.TrimPrefix(strings.TrimSuffix(file, ".bin"), "ggml-")
			own = append(
				own,
				Status{Model: Model{Name: name, SizeBytes: size}, File: file, Installed: true, Received: size},
			)
		}
	}
	slices.SortFunc(own, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	return append(list, own...), nil
}

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

// Status returns what there is of one model. Errors: ErrUnknown.
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

// Start begins a download beside the caller; one that is under way goes on. Errors: ErrUnknown,
// ErrInstalled, and that of Free.
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
	if d := l.downloads[name]; d != nil && !d.ended || l.ctx.Err() != nil {
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

// Cancel ends a download that Start began. What has come is kept for another time. Errors:
// ErrUnknown, ErrNotDownloading.
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

// Remove deletes a model, or what an earlier download brought of it. Whoever has it loaded goes on
// with it. Errors: ErrUnknown, ErrNotInstalled, ErrBusy while it is being downloaded.
func (l *Library) Remove(name string) error {
	s, err := l.Status(name)
	if err != nil {
		return err
	}
	path := filepath.Join(l.o.Dir, s.File)
	lock := flock.New(path + partSuffix)
	if s.Downloading {
		return ErrBusy
	}
	if !s.Installed && s.Received == 0 {
		return ErrNotInstalled
	}
	if ok, err := lock.TryLock(); err != nil {
		return fmt.Errorf("locking the model: %w", err)
	} else if !ok {
		return ErrBusy
	}
	defer func() { _ = lock.Close() }() // nothing was written through it
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.downloads, name)
	for _, file := range []string{path, path + partSuffix} {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("deleting the model: %w", err)
		}
	}
	return nil
}

func (l *Library) partSize(name string) int64 {
	info, err := os.Stat(filepath.Join(l.o.Dir, fileName(name)+partSuffix))
	if err != nil {
		return 0
	}
	return info.Size()
}
