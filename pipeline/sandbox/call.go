//go:build linux

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sys/unix"

	"roughcut/media"
	"roughcut/pipeline"
)

const (
	// stopGrace is the time that a cancelled child has to end before it is killed.
	stopGrace = 5 * time.Second
	// maxReplies limits what a child sends. The result of an ingest of twelve hours takes 20 MB.
	maxReplies = 256 << 20
	// maxOutput is how much of the output of a child is kept for the log. The reason of a crash
	// comes first.
	maxOutput = 16 << 10
	// oomScore is the preference for ending a child when the system is out of memory, of 1000.
	oomScore = "500"
	// devicesVariable is the variable that tells a child that it may use graphics processors.
	devicesVariable = "ENGINE_DEVICES"
)

// Options configures the engines.
type Options struct {
	// Executable is the program that runs Serve when its first argument is Name.
	Executable  string
	Environment []string // of children, as KEY=value
	Fonts       []string // files and folders of the system's fonts, which children may read
	Chunks      ChunkCache
	// TrimChunks deletes old chunks after a render. It may be nil.
	TrimChunks func() error
	// Encoder is the setting that chooses the video encoder: see libav.Engine.ChooseEncoder. Empty
	// stands for software.
	Encoder string
	// MemoryBytes is the memory for all children. A call waits until its usual amount of memory is
	// free. A call that needs more than MemoryBytes waits until it runs alone. 0 means no limit.
	MemoryBytes int64
}

// call is one call of an engine in a child.
type call struct {
	options  Options
	memory   *semaphore.Weighted // of all children, in bytes; nil for no bound
	usual    int64               // bytes of it that the child usually takes
	request  request
	files    *files
	progress func(float64)                           // may be nil
	hints    func(language string) media.SpeechHints // may be nil
	silence  time.Duration                           // a child without progress for this long is stopped
	devices  bool                                    // the child may use graphics processors
	crashed  bool                                    // the child ended without a result
}

// run starts a child, sends it the request with a body, and waits for the result, which it stores
// in result. It returns the error of the engine, a Fault if the child exceeded its limits or
// crashed, or the cause of ctx. The child has ended when run returns.
func (c *call) run(ctx context.Context, body, result any) (err error) {
	defer c.files.close()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if c.request.Body, err = json.Marshal(body); err != nil {
		return fmt.Errorf("encoding the request of the engine: %w", err)
	}
	if c.memory != nil {
		usual := min(c.usual, c.options.MemoryBytes)
		if c.memory.Acquire(ctx, usual) != nil {
			return context.Cause(ctx)
		}
		defer c.memory.Release(usual)
	}

	child, err := c.start()
	if err != nil {
		return fmt.Errorf("starting the engine: %w", err)
	}
	unwatch := context.AfterFunc(ctx, child.stop)
	defer unwatch()
	last, err := c.talk(child)
	ended := child.wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		c.crashed = true
		return c.explain(child.cmd.ProcessState, errors.Join(err, ended), child.output.String())
	case last.Error != nil:
		return c.engineError(*last.Error)
	}

	if err := json.Unmarshal(last.Result, result); err != nil {
		return fmt.Errorf("reading the result of the engine: %w", err)
	}
	return c.files.finish()
}

// talk sends the request, passes on progress and answers questions until the child sends its
// result. It returns an error if the child ends before that.
func (c *call) talk(child *process) (reply, error) {
	if err := child.send(c.request); err != nil {
		return reply{}, err
	}
	limited := &io.LimitedReader{R: child.replies, N: maxReplies}
	replies := json.NewDecoder(limited)
	var silent atomic.Bool
	watch := time.AfterFunc(c.silence, func() {
		silent.Store(true)
		child.stop()
	})
	defer watch.Stop()
	for {
		var r reply
		err := replies.Decode(&r)
		switch {
		case silent.Load():
			return reply{}, errSilent
		case limited.N == 0:
			return reply{}, errors.New("the engine sent too much")
		case err != nil:
			return reply{}, fmt.Errorf("reading from the engine: %w", err)
		}

		watch.Reset(c.silence)
		switch {
		case r.Progress != nil:
			if c.progress != nil {
				c.progress(min(max(*r.Progress, 0), 1))
			}
		case r.HintsFor != nil:
			if c.hints == nil {
				return reply{}, errors.New("the engine asked for hints that it does not need")
			}
			if err := child.send(c.hints(*r.HintsFor)); err != nil {
				return reply{}, err
			}
		default:
			return r, nil
		}
	}
}

// errSilent is the error of a child that made no progress.
var errSilent = errors.New("the engine made no progress")

// engineError returns the error of an engine that ended without being stopped.
func (c *call) engineError(w wireError) error {
	err := w.unpack()
	limits := c.request.Limits
	switch {
	case errors.Is(err, syscall.ENOMEM):
		return limits.exceededMemory(err)
	case errors.Is(err, syscall.EFBIG):
		return limits.exceededFile(err)
	}

	return err
}

// explain returns the error of a child that ended without a result.
func (c *call) explain(state *os.ProcessState, err error, output string) error {
	limits := c.request.Limits
	if output != "" {
		err = fmt.Errorf("%w\n%s", err, output)
	}
	switch {
	case errors.Is(err, errSilent):
		return faultf(err, "this job made no progress for %d minutes and was stopped; "+
			"the file may be damaged, convert it to H.264 and try again", int(c.silence.Minutes()))
	case limits.CPU > 0 && state.UserTime()+state.SystemTime() >= limits.CPU-time.Second:
		return limits.exceededCPU(err)
	case outOfMemory(output), limits.MemoryBytes > 0 && residentPeak(state) > limits.MemoryBytes*3/4:
		return limits.exceededMemory(err)
	case errors.Is(err, io.EOF) && state.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
		err = fmt.Errorf("%w: %w", pipeline.ErrKilled, err)
		return faultf(err, "the system stopped this job, probably because the server ran out of memory; "+
			"try again later")
	}

	return faultf(err, "this file made the media engine crash; it may be damaged, so try another copy, "+
		"or convert it to H.264")
}

// outOfMemory reports whether the output of a crashed child says that it ran out of memory: Go, C++
// and the thread library of C write these words.
func outOfMemory(output string) bool {
	signs := []string{
		"out of memory", "cannot allocate memory", "Cannot allocate memory", "bad_alloc", "pthread_create failed",
	}
	return slices.ContainsFunc(signs, func(sign string) bool {
		return strings.Contains(output, sign)
	})
}

// residentPeak returns the largest resident memory of an ended process, in bytes.
func residentPeak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}

// process is a running child.
type process struct {
	cmd     *exec.Cmd
	input   io.WriteCloser
	replies *os.File
	output  head
	ended   chan error
	stopped sync.Once
	kill    *time.Timer // set by stop
}

// start starts a child. A goroutine locks its thread, restricts it, starts the child, which
// inherits the restrictions, and waits for the end of the child. The thread ends with the
// goroutine. The signal that ends the child with its parent is sent when this thread ends.
func (c *call) start() (_ *process, err error) {
	p := &process{cmd: exec.Command(c.options.Executable, Name), ended: make(chan error, 1)}
	p.cmd.Env = append([]string{}, c.options.Environment...)
	if c.devices {
		p.cmd.Env = append(p.cmd.Env, devicesVariable+"=1")
	}
	p.cmd.Dir = "/"
	p.cmd.WaitDelay = stopGrace
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	replies, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close()
	defer func() {
		if err != nil {
			replies.Close()
		}
	}()
	p.replies = replies
	p.cmd.ExtraFiles = append([]*os.File{write}, c.files.open...)
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	walls, err := buildWalls(c.options.Executable, c.options.Fonts, c.files.rules, c.devices)
	if err != nil {
		return nil, err
	}
	defer walls.close()
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		err := walls.enter()
		if err == nil {
			err = p.cmd.Start()
		}
		started <- err
		if err == nil {
			p.ended <- p.waitGroup()
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	// Out of memory, the system should end the child and not the server. If the system refuses the
	// score, nothing else changes.
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", p.cmd.Process.Pid), []byte(oomScore), 0)
	return p, nil
}

// waitGroup waits for the end of the child, and kills all processes that the child started. Until
// Wait collects the child, no other process group can have its number.
func (p *process) waitGroup() error {
	pid := p.cmd.Process.Pid
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	_ = unix.Kill(-pid, unix.SIGKILL) // only the child may be left
	return p.cmd.Wait()
}

// send sends a value to the child.
func (p *process) send(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encoding a message to the engine: %w", err)
	}
	if _, err := p.input.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("writing to the engine: %w", err)
	}
	return nil
}

// stop asks the child to end, and kills it if it does not.
func (p *process) stop() {
	p.stopped.Do(func() {
		_ = p.input.Close() // the child may have ended
		p.kill = time.AfterFunc(stopGrace, func() { _ = p.cmd.Process.Kill() })
	})
}

// wait waits for the end of the child, which has nothing left to do.
func (p *process) wait() error {
	p.stop()
	err := <-p.ended
	p.kill.Stop()
	return errors.Join(err, p.replies.Close())
}

// head keeps the first maxOutput bytes that are written to it.
type head struct {
	mu   sync.Mutex
	text []byte
}

func (h *head) Write(text []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, text[:min(len(text), maxOutput-len(h.text))]...)
	return len(text), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.TrimSpace(string(h.text))
}
