package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/cli"
	"roughcut/media/mediatest"
)

// asCutter is the environment variable that makes the test binary a process that runs the program
// again and again, as cutMany says.
const asCutter = "ROUGHCUT_TEST_AS_CUTTER"

// cutterReport is the file in the folder of temporary files with what the program printed.
const cutterReport = "report"

// cutMany runs the program with the arguments of each input line, a JSON array, and answers with a
// line that holds the exit code. The file cutterReport has what the program prints. It saves the
// start of a process for each of thousands of files.
func cutMany(in io.Reader, out io.Writer) {
	report, err := os.Create(filepath.Join(os.TempDir(), cutterReport))
	if err != nil {
		panic(err)
	}
	os.Stdout = report
	for scan := bufio.NewScanner(in); scan.Scan(); {
		var args []string
		if err := json.Unmarshal(scan.Bytes(), &args); err != nil {
			panic(err)
		}
		if _, err := report.Seek(0, io.SeekStart); err != nil {
			panic(err)
		}
		if err := report.Truncate(0); err != nil {
			panic(err)
		}
		os.Args = append([]string{"roughcut"}, args...)
		fmt.Fprintln(out, cli.Main(cli.Build{Version: "test"}))
	}
}

// cutter is a child process that cuts files, with a folder for all that it writes.
type cutter struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan string // closed when the process has ended
	log     *lockedBuffer
	dir     string
	files   int // that it has cut
}

// filesOfCutter is the number of files that one process cuts, so that memory from earlier files
// does not hide the memory use of a file.
const filesOfCutter = 100

func newCutter(t *testing.T, dir string) *cutter {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Error(err)
		return nil
	}
	c := &cutter{cmd: exec.Command(self), dir: dir, answers: make(chan string), log: &lockedBuffer{}}
	c.cmd.Env = []string{
		asCutter + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "DATA_DIR=" + dir, "TMPDIR=" + dir,
	}
	c.cmd.Stderr = c.log
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		c.in, err = c.cmd.StdinPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	go func() {
		defer close(c.answers)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			c.answers <- scan.Text()
		}
		_ = c.cmd.Wait() // the log says how it ended
	}()
	return c
}

// end ends the process.
func (c *cutter) end() {
	if c == nil {
		return
	}
	c.in.Close()
	_ = c.cmd.Process.Kill() // it may have ended
	for range c.answers {
	}
}

// cut runs the program and returns its exit code, or a fault: a crash, a hang, or too many bytes of
// files. A recording may use lasts more CPU time than mutantTime.
func (c *cutter) cut(args []string, limit int64, lasts time.Duration) (code int, files int64, fault string) {
	// The peak of memory so far is forgotten.
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", c.cmd.Process.Pid), []byte("5"), 0)
	text, err := json.Marshal(args)
	if err != nil {
		return 0, 0, err.Error()
	}
	if _, err := c.in.Write(append(text, '\n')); err != nil {
		return 0, 0, "the process is gone: " + err.Error()
	}
	c.files++
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	before := cpuTime(c.cmd.Process.Pid)
	late := time.NewTimer(patience())
	defer late.Stop()
	for {
		select {
		case answer, ok := <-c.answers:
			if !ok {
				return 0, files, "crash"
			}
			code, err := strconv.Atoi(answer)
			if err != nil || code > exitUsage {
				return code, files, "the answer " + strconv.Quote(answer)
			}
			return code, files, ""
		case <-tick.C:
			if files = max(files, bytesIn(c.dir)); files > limit {
				return 0, files, fmt.Sprintf("%d MB of files", files>>20)
			}
			if took := cpuTime(c.cmd.Process.Pid) - before; took > mutantTime+lasts {
				return 0, files, fmt.Sprintf("no end after %v of CPU time", took)
			}
		case <-late.C:
			return 0, files, fmt.Sprintf("no end after %v", patience())
		}
	}
}

// renders are the options of renders, in turns: mostly copied, encoded, with changed audio, and
// with the codec of the recording.
var renders = [][]string{
	{},
	{"--aspect", "1:1", "--normalize"},
	{"--denoise", "--resolution", "720p"},
	{"--video-codec", "source", "--pacing", "100"},
}

// cutMutants collects what many cuts of damaged files came to.
type cutMutants struct {
	t     *testing.T
	seed  uint64
	seeds []mediatest.Seed
	cover string // a recording without video, for images

	mu      sync.Mutex
	ended   map[string]int
	faults  int
	longest time.Duration
	slowest string // the file that took the longest
	files   int64  // most bytes beyond the allowance for the file itself
	memory  int64
}

// Thousands of damaged files of every format go through a dry run and a render. No file crashes the
// process, has no end, needs much memory or writes much.
func TestLongMutantsThroughCut(t *testing.T) {
	needsLong(t)
	m := &cutMutants{t: t, seed: givenSeed(t), seeds: mediatest.Seeds(t), ended: map[string]int{}}
	if len(m.seeds) < 40 {
		t.Fatalf("only %d seeds", len(m.seeds))
	}
	m.cover = filepath.Join(t.TempDir(), "cover.wav")
	for _, seed := range m.seeds {
		if seed.Name == "plain.wav" {
			if err := os.WriteFile(m.cover, seed.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	count := share(t, 8000)
	numbers := make(chan int)
	var work sync.WaitGroup
	for range runtime.NumCPU() {
		dir := t.TempDir()
		work.Go(func() { m.run(dir, numbers) })
	}
	const most = 20 // faults, which are enough to look at
	from, to := part(t, count)
	for n := from; n < to; n++ {
		m.mu.Lock()
		faults := m.faults
		m.mu.Unlock()
		if faults >= most {
			break
		}
		numbers <- n
	}
	close(numbers)
	work.Wait()
	t.Logf("%d mutants of %d seeds, each cut twice: %v; at most %v (%s), %d MB of files, %d MB of memory",
		to-from, len(m.seeds), m.ended, m.longest.Round(time.Millisecond), m.slowest, m.files>>20, m.memory>>20)
}

// run cuts mutants until numbers is closed.
func (m *cutMutants) run(dir string, numbers <-chan int) {
	var c *cutter
	defer func() { c.end() }()
	for n := range numbers {
		if c != nil && c.files >= filesOfCutter {
			c.end()
			c = nil
		}
		if c == nil {
			if c = newCutter(m.t, dir); c == nil {
				m.fault("no process")
				continue
			}
		}
		if fault := m.one(c, n); fault != "" {
			m.fault(fault)
			c.end()
			c = nil
			_ = os.RemoveAll(dir)
			if err := os.Mkdir(dir, 0o700); err != nil {
				m.fault(err.Error())
			}
		}
	}
}

func (m *cutMutants) fault(what string) {
	m.t.Error(what)
	m.mu.Lock()
	m.faults++
	m.mu.Unlock()
}

// one makes mutant n and cuts it twice. It returns the fault, or "".
func (m *cutMutants) one(c *cutter, n int) string {
	random := rand.New(rand.NewPCG(m.seed, uint64(n)))
	seed := m.seeds[n%len(m.seeds)]
	data := mediatest.Mutate(random, seed.Data, m.seeds[random.IntN(len(m.seeds))].Data)
	path := filepath.Join(c.dir, fmt.Sprintf("%d-%s", n, seed.Name))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err.Error()
	}
	input := []string{"cut", path}
	if seed.Asset {
		input = []string{"cut", m.cover, "--cover", path}
	}
	out := filepath.Join(c.dir, "out.mp4")
	limit := int64(len(data)) + mutantBase + mutantFactor*int64(len(data))
	var lasts time.Duration
	for kind, options := range [][]string{
		{"--dry-run", "--json"}, append([]string{"-o", out}, renders[n/len(m.seeds)%len(renders)]...),
	} {
		// A minute of a waveform tests as much as the hours after a jump of the time stamps.
		if kind == 1 && lasts > time.Minute && seed.SoundOnly {
			out = strings.TrimSuffix(out, ".mp4") + ".m4a"
			options = []string{"-o", out, "--normalize"}
		}
		started := time.Now()
		args := append(append([]string{}, input...), options...)
		code, files, fault := c.cut(args, limit, lasts)
		used := peakMemory(m.t, c.cmd.Process.Pid)
		if fault == "" && used > mutantMemory {
			fault = fmt.Sprintf("%d MB of memory", used>>20)
		}
		if fault == "" && strings.Contains(c.log.String(), "panic") {
			fault = "panic"
		}
		if fault == "" && kind == 1 && code == 0 {
			if _, err := os.Stat(out); err != nil {
				fault = err.Error()
			}
		}
		if fault != "" {
			log := c.log.String()
			return fmt.Sprintf("%s: mutant %d, roughcut %v:\n%s", fault, n,
				strings.ReplaceAll(strings.Join(args, " "), path, keepMutant(m.t, path)), log[max(0, len(log)-3000):])
		}
		if kind == 0 && code == 0 {
			var report struct {
				DurationMS int64 `json:"duration_ms"`
			}
			text, err := os.ReadFile(filepath.Join(c.dir, cutterReport))
			if err == nil {
				err = json.Unmarshal(text, &report)
			}
			if err != nil {
				return fmt.Sprintf("mutant %d: the report cannot be read: %v", n, err)
			}
			lasts = time.Duration(report.DurationMS) * time.Millisecond
		}
		m.mu.Lock()
		m.ended[[]string{"dry run", "render"}[kind]+map[bool]string{true: " made", false: " refused"}[code == 0]]++
		if took := time.Since(started); took > m.longest {
			m.longest, m.slowest = took, fmt.Sprintf("mutant %d, %s, which lasts %v", n, seed.Name, lasts)
		}
		m.memory = max(m.memory, used)
		m.files = max(m.files, files-int64(len(data)))
		m.mu.Unlock()
	}
	left, err := filepath.Glob(filepath.Join(c.dir, "roughcut-*"))
	if err != nil || len(left) > 0 {
		return fmt.Sprintf("mutant %d: left %v in the folder of temporary files, %v", n, left, err)
	}
	os.Remove(out)
	os.Remove(path)
	return ""
}

// cpuTime returns the CPU time that a process has taken, 0 where the system does not say.
func cpuTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The fields after the name, which ends at the last bracket. The 12th and the 13th count
	// hundredths of a second in the program and in the kernel.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	var total time.Duration
	for _, field := range fields[11:13] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0
		}
		total += time.Duration(ticks) * 10 * time.Millisecond
	}
	return total
}
