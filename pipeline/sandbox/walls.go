//go:build linux

package sandbox

import (
	"bufio"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Rights of Landlock on files.
const (
	readFile   landlock.AccessFSSet = unix.LANDLOCK_ACCESS_FS_READ_FILE
	readFolder                      = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	runFile                         = readFile | unix.LANDLOCK_ACCESS_FS_EXECUTE
	// writeFolder allows creating, changing and removing regular files.
	writeFolder = readFolder | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	useDevice = readFolder | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// Support describes what the kernel offers to confine children.
type Support struct {
	Landlock int  // version of the interface; 0: children can open the files of other users
	Seccomp  bool // false: children can make every system call
}

// Supported returns what the kernel offers.
func Supported() Support {
	version, err := ll.LandlockGetABIVersion()
	if err != nil {
		version = 0
	}
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, failed := unix.Syscall(
		unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)),
	)
	return Support{version, failed == 0 && auditArch() != 0}
}

// walls are restrictions of a thread and of the processes that it starts.
type walls struct {
	ruleset int // of Landlock; -1 without
	flags   uint32
}

// buildWalls returns walls that allow the files of rules, the program with its libraries, the
// fonts, and with devices the graphics processors and their drivers. What the kernel does not
// support is left out; see Supported. close frees them.
func buildWalls(executable string, fonts []string, rules []rule, devices bool) (*walls, error) {
	program, err := programFiles(executable)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(allow(runFile, program), allow(readFolder, systemFiles()), allow(readFolder, fonts))
	if devices {
		nvidia, err := filepath.Glob("/dev/nvidia*")
		if err != nil {
			return nil, fmt.Errorf("looking for graphics processors: %w", err)
		}
		all = slices.Concat(
			all, allow(useDevice, append(nvidia, "/dev/dri")), allow(readFolder|runFile, driverFiles()),
		)
	}

	for _, r := range rules {
		rights := readFile
		if r.write {
			rights = writeFolder
		}
		all = append(all, landlock.PathAccess(rights, fmt.Sprintf("/proc/self/fd/%d", r.file.Fd())))
	}

	ruleset, flags, err := landlock.V11.BestEffort().NewRulesetFD(all...)
	if err != nil {
		return nil, fmt.Errorf("building the walls of the engine: %w", err)
	}
	return &walls{ruleset, flags}, nil
}

// allow returns rules that allow access to files and to everything under folders, if they exist.
func allow(rights landlock.AccessFSSet, paths []string) (rules []landlock.Rule) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		rights := rights
		if !info.IsDir() {
			rights &^= unix.LANDLOCK_ACCESS_FS_READ_DIR // of folders only
		}
		rules = append(rules, landlock.PathAccess(rights, path).IgnoreIfMissing())
	}

	return rules
}

// enter restricts the calling thread and all processes that it starts, for ever.
func (w *walls) enter() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up privileges: %w", err)
	}
	if w.ruleset < 0 {
		return nil
	}
	if err := ll.LandlockRestrictSelf(w.ruleset, w.flags); err != nil {
		return fmt.Errorf("entering a Landlock ruleset: %w", err)
	}
	return nil
}

func (w *walls) close() {
	if w.ruleset >= 0 {
		_ = unix.Close(w.ruleset)
	}
}

// driverFiles lists what the drivers of graphics processors read, and what describes these.
func driverFiles() []string {
	return []string{
		"/lib", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/opt", "/run/opengl-driver",
		"/usr/share/libdrm", "/usr/share/drirc.d", "/usr/share/vulkan", "/usr/local/share/vulkan", "/etc/vulkan",
		"/sys/bus/pci", "/sys/class/drm", "/sys/dev/char", "/sys/devices",
		"/sys/module/nvidia", "/proc/driver/nvidia", "/proc/devices", "/proc/modules", "/proc/self",
	}
}

// systemFiles lists files that the C library and the codecs read.
func systemFiles() []string {
	return []string{
		"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/dev/null", "/dev/urandom",
		"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system", "/sys/kernel/mm/transparent_hugepage",
	}
}

// programFiles returns the executable, its dynamic loader, and the libraries that this process has
// loaded. The process must run the same executable.
func programFiles(executable string) ([]string, error) {
	all := []string{executable}
	program, err := elf.Open(executable)
	if err != nil {
		return nil, fmt.Errorf("reading the program: %w", err)
	}
	defer func() { _ = program.Close() }() // it is only read
	for _, part := range program.Progs {
		if part.Type != elf.PT_INTERP {
			continue
		}
		loader := make([]byte, part.Filesz)
		if _, err := part.ReadAt(loader, 0); err != nil {
			return nil, fmt.Errorf("reading the program: %w", err)
		}
		all = append(all, strings.TrimRight(string(loader), "\x00"))
	}

	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, fmt.Errorf("looking for libraries: %w", err)
	}
	defer maps.Close()
	for scan := bufio.NewScanner(maps); scan.Scan(); {
		fields := strings.Fields(scan.Text())
		if len(fields) == 6 && strings.Contains(fields[1], "x") && filepath.IsAbs(fields[5]) {
			all = append(all, fields[5])
		}
	}

	slices.Sort(all)
	return slices.Compact(all), nil
}
