package e2e

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"roughcut/media/mediatest"
)

// share returns how many of the full number of cases a long suite runs: ROUGHCUT_SHARE percent, 5
// without it.
func share(t *testing.T, full int) int {
	t.Helper()
	percent := 5.0
	if given := os.Getenv("ROUGHCUT_SHARE"); given != "" {
		var err error
		if percent, err = strconv.ParseFloat(given, 64); err != nil || percent <= 0 || percent > 100 {
			t.Fatalf("ROUGHCUT_SHARE is %q, and not a percentage", given)
		}
	}
	return int(math.Ceil(float64(full) * percent / 100))
}

// part returns the cases of a long suite that this run has, from one up to but not including
// another: all of them, or with ROUGHCUT_PART=2/5 the second fifth.
func part(t *testing.T, count int) (from, to int) {
	t.Helper()
	given := os.Getenv("ROUGHCUT_PART")
	if given == "" {
		return 0, count
	}
	var k, n int
	if _, err := fmt.Sscanf(given, "%d/%d", &k, &n); err != nil || k < 1 || k > n {
		t.Fatalf("ROUGHCUT_PART is %q, and not a part such as 2/5", given)
	}
	return count * (k - 1) / n, count * k / n
}

// seeded returns random numbers that ROUGHCUT_SEED repeats.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(givenSeed(t), 1))
}

// givenSeed returns ROUGHCUT_SEED, or a random seed, and prints it.
func givenSeed(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if given := os.Getenv("ROUGHCUT_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("ROUGHCUT_SEED: %v", err)
		}
	}
	t.Logf("ROUGHCUT_SEED=%d", seed)
	return seed
}

// Limits of a server that reads damaged files.
const (
	mutantMemory = 1 << 30
	mutantBase   = 50 << 20 // bytes of files for one upload, and for each of its bytes:
	mutantFactor = 20
	mutantTime   = 5 * time.Minute
)

// A server in one process reads hundreds of damaged files of every format. It never ends, finishes
// every job, needs little memory, and writes little.
func TestLongMutantsThroughServer(t *testing.T) {
	needsLong(t)
	random := seeded(t)
	seeds := mediatest.Seeds(t)
	server := serve(t, t.TempDir(), []string{"ENGINE_ISOLATION=in-process"}, "--owner")
	c := server.owner(t)
	ended, longest, largest := map[string]int{}, time.Duration(0), int64(0)
	count := share(t, 400)
	first, end := part(t, count)
	for n := range end {
		from := n*len(seeds)/count + random.IntN(max(1, len(seeds)/count))
		seed := seeds[from%len(seeds)]
		data := mediatest.Mutate(random, seed.Data, seeds[random.IntN(len(seeds))].Data)
		if n < first {
			continue
		}
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d-%s", n, seed.Name))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		before, started := bytesIn(server.dir), time.Now()
		status := c.mutant(t, path, seed, func() {
			grown := bytesIn(server.dir) - before - int64(len(data))
			if largest = max(largest, grown); grown > mutantBase+mutantFactor*int64(len(data)) {
				t.Fatalf("%s of %d bytes takes %d MB on the disk", keepMutant(t, path), len(data), grown>>20)
			}
			if took := time.Since(started); took > mutantTime {
				t.Fatalf("%s has no end after %v", keepMutant(t, path), took)
			}
		})
		if status == "" {
			t.Fatalf("the server is gone after %s:\n%s", keepMutant(t, path), server.log)
		}
		longest = max(longest, time.Since(started))
		if used := peakMemory(t, server.cmd.Process.Pid); used > mutantMemory {
			t.Fatalf("the server took %d MB, after %s", used>>20, keepMutant(t, path))
		}
		kind := "recording"
		if seed.Asset {
			kind = "image"
		}
		ended[kind+" "+status]++
	}
	t.Logf("%d mutants of %d seeds: %v; at most %v, %d MB of files, %d MB of memory", end-first, len(seeds), ended,
		longest.Round(time.Millisecond), largest>>20, peakMemory(t, server.cmd.Process.Pid)>>20)
	server.stop()
	doctor(t, server.dir)
	if left, _ := filepath.Glob(filepath.Join(server.dir, "tmp", "*")); len(left) > 0 {
		t.Errorf("left in tmp: %v", left)
	}
}

// mutant uploads a file and waits until its job has ended. It calls watch in the meantime, and
// returns the last status, or "" if the server is gone.
func (c *client) mutant(t *testing.T, path string, seed mediatest.Seed, watch func()) string {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	upload := map[string]any{
		"filename": filepath.Base(path), "content_type": seed.ContentType, "size_bytes": info.Size(),
	}
	var address, confirm string
	var job func() (found record, ok bool)
	if seed.Asset {
		p, ok := attempt[presignedAsset](c, "POST", "/api/v1/assets/presign", upload, 201)
		if !ok {
			return ""
		}
		asset := "/api/v1/assets/" + p.UUID
		address, confirm = p.UploadURL, asset+"/confirm"
		job = func() (record, bool) {
			assets, ok := attempt[list[record]](c, "GET", "/api/v1/assets/?page_size=200", nil, 200)
			at := slices.IndexFunc(assets.Items, func(r record) bool { return r.UUID == p.UUID })
			if !ok || at < 0 {
				return record{}, false
			}
			return assets.Items[at], true
		}
	} else {
		project, ok := attempt[record](c, "POST", "/api/v1/projects/", map[string]string{"name": seed.Name}, 201)
		if !ok {
			return ""
		}
		root := "/api/v1/projects/" + project.UUID + "/clips/"
		p, ok := attempt[presigned](c, "POST", root+"presign", upload, 201)
		if !ok {
			return ""
		}
		address, confirm = p.UploadURL, root+p.ClipUUID+"/confirm"
		job = func() (record, bool) {
			clips, ok := attempt[list[record]](c, "GET", root, nil, 200)
			if !ok || len(clips.Items) != 1 {
				return record{}, false
			}
			return clips.Items[0], true
		}
	}
	if err := c.put(address, path); err != nil {
		return ""
	}
	switch status, _, err := c.do("POST", confirm, nil); {
	case err != nil:
		return ""
	case status >= 400 && status < 500:
		return "refused"
	case status != 202:
		t.Fatalf("confirming %s: status %d", path, status)
	}
	status := ""
	poll(t, func() bool {
		watch()
		found, ok := job()
		status = found.Status
		return !ok || (status != "processing" && status != "pending")
	})
	return status
}

// bytesIn returns the bytes of all files in a folder, which others may change.
func bytesIn(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error { // files may vanish
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}

// keepMutant keeps a file of a failed test and returns its name.
func keepMutant(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(os.TempDir(), "mutant-"+filepath.Base(path))
	if err := os.WriteFile(kept, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return kept
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory returns the most memory that a process had, 0 where the system does not say.
func peakMemory(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	found := highWater.FindSubmatch(status)
	if found == nil {
		return 0
	}
	kb, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
