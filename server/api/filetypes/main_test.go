package main

import (
	"bytes"
	"os"
	"testing"
)

func TestPageHasTheTypesOfTheTable(t *testing.T) {
	have, err := os.ReadFile("../../../web/src/api/filetypes.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, table()) {
		t.Error("web/src/api/filetypes.json differs from the table in media/container.go; run make generate")
	}
}
