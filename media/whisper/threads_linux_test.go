package whisper

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Two CPUs on one core count once, and CPUs outside of the affinity not at all.
func TestCoresOfCPUs(t *testing.T) {
	dir := t.TempDir()
	for cpu, siblings := range []string{"0,4", "1,5", "2,6", "3,7", "0,4", "1,5", "2,6", "3,7"} {
		folder := filepath.Join(dir, fmt.Sprintf("cpu%d", cpu), "topology")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		list := filepath.Join(folder, "thread_siblings_list")
		if err := os.WriteFile(list, []byte(siblings+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		cpus []int
		want int
	}{
		{[]int{0, 1, 2, 3, 4, 5, 6, 7}, 4},
		{[]int{1, 5}, 1},
		{[]int{0, 1, 5, 7}, 3},
		{[]int{8, 9, 10}, 3}, // not described
	} {
		var usable unix.CPUSet
		for _, cpu := range c.cpus {
			usable.Set(cpu)
		}
		if got := countCores(dir, &usable); got != c.want {
			t.Errorf("the CPUs %v have %d cores, want %d", c.cpus, got, c.want)
		}
	}
	if n := Threads(); n < 1 {
		t.Errorf("%d threads", n)
	}
}
