package mediatest

import (
	"cmp"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// packageOf names the Debian packages of commands that are not called like their package.
var packageOf = map[string]string{
	"Xvfb": "xvfb", "cc": "gcc", "convert": "imagemagick", "dbus-run-session": "dbus-daemon", "ffprobe": "ffmpeg",
	"fusermount3": "fuse3", "import": "imagemagick", "losetup": "mount", "mkfs.ext4": "e2fsprogs",
	"nginx": "nginx-light", "node": "nodejs", "pactl": "pulseaudio-utils", "parec": "pulseaudio-utils",
	"qemu-aarch64": "qemu-user", "qemu-x86_64": "qemu-user", "timeout": "coreutils", "unshare": "util-linux",
	"xvfb-run": "xvfb",
}

// Needs ends the test if a command is missing, as Missing does.
func Needs(t testing.TB, commands ...string) {
	t.Helper()
	for _, name := range commands {
		if _, err := exec.LookPath(name); err != nil {
			Missing(t, "the command "+name, cmp.Or(packageOf[name], name))
		}
	}
}

// Command is exec.Command for a command that the test Needs.
func Command(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	Needs(t, name)
	return exec.Command(name, args...)
}

// Missing ends a test that needs something of Debian packages that are not installed. The test
// fails where apt-get can install them. Elsewhere it skips.
func Missing(t testing.TB, what string, packages ...string) {
	t.Helper()
	names := strings.Join(packages, " ")
	if _, err := exec.LookPath("apt-get"); err == nil {
		t.Fatalf("%s is missing: run apt-get install %s", what, names)
	}
	t.Skipf("%s is missing: install the equivalent of Debian's %s", what, names)
}

// Refused skips a test because the kernel refuses something that the test needs, as in many
// containers.
func Refused(t testing.TB, what string, reason any) {
	t.Helper()
	t.Skipf("the kernel refuses %s: %v", what, reason)
}

// SmallDisk makes a command run with an empty file system of mib MiB at dir. No other process sees
// that file system. SmallDisk skips the test if the kernel refuses the mount.
func SmallDisk(t testing.TB, cmd *exec.Cmd, dir string, mib int) {
	t.Helper()
	within := func(script string, args ...string) *exec.Cmd {
		return Command(t, "unshare", append([]string{
			"--user", "--map-root-user", "--mount", "sh", "-c", script, dir,
		}, args...)...)
	}
	mount := fmt.Sprintf(`mount -t tmpfs -o size=%dm tmpfs "$0"`, mib)
	if out, err := within(mount).CombinedOutput(); err != nil {
		Refused(t, "a mount in a namespace of a user", fmt.Sprintf("%v: %s", err, strings.TrimSpace(string(out))))
	}
	wrapped := within(mount+` && exec "$@"`, append([]string{cmd.Path}, cmd.Args[1:]...)...)
	cmd.Path, cmd.Args = wrapped.Path, wrapped.Args
}
