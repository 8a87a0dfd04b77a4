package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestConfigPrintNamesEverySetting(t *testing.T) {
	root := rootCommand(Build{Version: "test"})
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs([]string{"config", "print", "--data-dir", t.TempDir()})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, v := range new(settings).table() {
		if !strings.Contains("\n"+strings.ReplaceAll(out.String(), "# ", ""), "\n"+v.key+" ") {
			t.Errorf("%s is not printed", v.key)
		}
	}
}
