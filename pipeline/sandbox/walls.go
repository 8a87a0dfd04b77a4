//go:build linux

package sandbox

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights of Landlock on files, and the versions of its interface that know them.
const (
	readFile   = unix.LANDLOCK_ACCESS_FS_READ_FILE
	readFolder = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	runFile    = readFile | unix.LANDLOCK_ACCESS_FS_EXECUTE
	// writeFolder allows creating, changing and removing regular files.
	writeFolder = readFolder | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE

	firstRights  = unix.LANDLOCK_ACCESS_FS_REFER - 1 // all rights of version 1
	tcpVersion   = 4
	scopeVersion = 6
)

// laterRights returns the rights on files that a version of Landlock knows besides firstRights.
func laterRights(version int) (rights uint64) {
	for _, later := range []struct {
		version int
		right   uint64
	}{
		{2, unix.LANDLOCK_ACCESS_FS_REFER},
		{3, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
	} {
		if version >= later.version {
			rights |= later.right
		}
	}
	return rights
}

// landlockVersion returns the version of Landlock's interface, 0 without Landlock.
func landlockVersion() int {
	version, _, err := unix.Syscall(
		unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION,
	)
	if err != 0 {
		return 0
	}
	return int(version)
}

// Support describes what the kernel offers to confine children.
type Support struct {
	Landlock int  // version of the interface; 0: children can open the files of other users
	Seccomp  bool // false: children have a network
}

// Supported returns what the kernel offers.
func Supported() Support {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, err := unix.Syscall(
		unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)),
	)
	return Support{landlockVersion(), err == 0 && auditArch() != 0}
}

// walls are restrictions of a thread and of the processes that it starts.
type walls struct {
	ruleset int // of Landlock; -1 without
	handled uint64
}

// buildWalls returns walls that allow the files of rules, the program with its libraries, the
// fonts, and with devices the graphics processors and their drivers. What the kernel does not
// support is left out; see Supported. close frees them.
func buildWalls(executable string, fonts []string, rules []rule, devices bool) (w *walls, err error) {
	version := landlockVersion()
	if version == 0 {
		return &walls{ruleset: -1}, nil
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: firstRights | laterRights(version)}
	if version >= tcpVersion {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= scopeVersion {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, failed := unix.Syscall(
		unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0,
	)
	if failed != 0 {
		return nil, fmt.Errorf("creating a Landlock ruleset: %w", failed)
	}
	w = &walls{int(fd), attr.Handled_access_fs}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	program, err := programFiles(executable)
	if err != nil {
		return nil, err
	}
	for _, path := range program {
		if err := w.allowPath(path, runFile); err != nil {
			return nil, err
		}
	}
	for _, path := range slices.Concat(systemFiles(), fonts) {
		if err := w.allowPath(path, readFolder); err != nil {
			return nil, err
		}
	}
	if devices {
		if err := w.allowGraphics(); err != nil {
			return nil, err
		}
	}
	for _, r := range rules {
		rights := uint64(readFile)
		if r.write {
			rights = writeFolder
		}
		if err := w.allow(int(r.file.Fd()), rights); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// allowPath allows access to a file or everything under a folder, if it exists.
func (w *walls) allowPath(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EACCES) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	return errors.Join(w.allow(fd, rights), unix.Close(fd))
}

// allow allows access to an open file, or everything under an open folder.
func (w *walls) allow(fd int, rights uint64) error {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("allowing a file: %w", err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &^= unix.LANDLOCK_ACCESS_FS_READ_DIR // of folders only
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights & w.handled, Parent_fd: int32(fd)}
	_, _, err := unix.Syscall6(
		unix.SYS_LANDLOCK_ADD_RULE, uintptr(w.ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0,
	)
	if err != 0 {
		return fmt.Errorf("allowing a file with Landlock: %w", err)
	}
	return nil
}

// enter restricts the calling thread and all processes that it starts, for ever.
func (w *walls) enter() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up privileges: %w", err)
	}
	if w.ruleset >= 0 {
		if _, _, err := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(w.ruleset), 0, 0); err != 0 {
			return fmt.Errorf("entering a Landlock ruleset: %w", err)
		}
	}
	return filterCalls()
}

func (w *walls) close() {
	if w.ruleset >= 0 {
		_ = unix.Close(w.ruleset)
	}
}

// allowGraphics allows access to graphics processors, to their drivers, and to what describes them.
func (w *walls) allowGraphics() error {
	nvidia, err := filepath.Glob("/dev/nvidia*")
	if err != nil {
		return fmt.Errorf("looking for graphics processors: %w", err)
	}
	const useDevice = readFolder | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	for _, path := range append(nvidia, "/dev/dri") {
		if err := w.allowPath(path, useDevice); err != nil {
			return err
		}
	}
	for _, path := range []string{
		"/lib", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/opt", "/run/opengl-driver",
		"/usr/share/libdrm", "/usr/share/drirc.d", "/usr/share/vulkan", "/usr/local/share/vulkan", "/etc/vulkan",
		"/sys/bus/pci", "/sys/class/drm", "/sys/dev/char", "/sys/devices",
		"/sys/module/nvidia", "/proc/driver/nvidia", "/proc/devices", "/proc/modules", "/proc/self",
	} {
		if err := w.allowPath(path, readFolder|unix.LANDLOCK_ACCESS_FS_EXECUTE); err != nil {
			return err
		}
	}
	return nil
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
