package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// operatorCommand returns a command with the flags of all commands, and its standard error.
func operatorCommand(t *testing.T, given ...string) (*cobra.Command, *bytes.Buffer) {
	t.Helper()
	cmd := &cobra.Command{Use: "doctor"}
	cmd.Flags().String("config", "", "")
	cmd.Flags().String("data-dir", "", "")
	if err := cmd.ParseFlags(given); err != nil {
		t.Fatal(err)
	}
	said := &bytes.Buffer{}
	cmd.SetErr(said)
	return cmd, said
}

func TestCommandsOfOperatorsMeanTheService(t *testing.T) {
	folder := t.TempDir()
	service, own := filepath.Join(folder, "roughcut.toml"), filepath.Join(folder, "own.toml")
	gone := filepath.Join(folder, "gone.toml")
	for path, data := range map[string]string{service: folder, own: "/home/roughcut", gone: folder + "/gone"} {
		if err := os.WriteFile(path, []byte("data_dir = \""+filepath.ToSlash(data)+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		given []string
		file  string
		want  string
		says  bool
	}{
		{nil, service, folder, true},
		{[]string{"--config", own}, service, "/home/roughcut", false},
		{[]string{"--data-dir", "/data"}, service, "/data", false},
	} {
		cmd, said := operatorCommand(t, c.given...)
		s, _, err := readOperatorSettings(cmd, c.file)
		if err != nil || s.DataDir != c.want || strings.Contains(said.String(), service) != c.says {
			t.Errorf("%v: data in %s, said %q, %v", c.given, s.DataDir, said, err)
		}
	}
	cmd, _ := operatorCommand(t)
	if _, _, err := readOperatorSettings(cmd, gone); err == nil || !strings.Contains(err.Error(), "systemd-tmpfiles") {
		t.Errorf("without the folder of the service: %v", err)
	}
	cmd, said := operatorCommand(t)
	s, _, err := readOperatorSettings(cmd, filepath.Join(folder, "none.toml"))
	if err != nil || s.DataDir == folder || said.Len() > 0 {
		t.Errorf("without a service: data in %s, said %q, %v", s.DataDir, said, err)
	}
}
