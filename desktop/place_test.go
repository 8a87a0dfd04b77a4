package desktop

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPlaceIsRestored(t *testing.T) {
	file := filepath.Join(t.TempDir(), "window.json")
	first := Place{Width: firstWidth, Height: firstHeight}
	if got := ReadPlace(file); got != first {
		t.Errorf("without a file: %+v", got)
	}
	kept := Place{Width: 1600, Height: 900, X: 20, Y: 40, Moved: true, Maximised: true, Zoom: 1.25, Theme: "dark"}
	if err := kept.Write(file); err != nil {
		t.Fatal(err)
	}
	if got := ReadPlace(file); got != kept {
		t.Errorf("wrote %+v, read %+v", kept, got)
	}
	for _, text := range []string{"", "{", `{"Width":-5,"Height":900}`, `{"Width":1e9}`, "[]"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := ReadPlace(file); got != first {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if err := kept.Write(filepath.Join(t.TempDir(), "gone", "window.json")); err == nil {
		t.Error("a place was written to a missing folder")
	}
}

func TestPlaceIsReachableOnTheScreen(t *testing.T) {
	middle := Place{Width: 1280, Height: 800, X: 320, Y: 120, Moved: true}
	for _, c := range []struct {
		name string
		was  Place
		want Place
	}{
		{"the first start", Place{Width: 1280, Height: 800}, middle},
		{
			"unchanged", Place{Width: 1280, Height: 800, X: 10, Y: 10, Moved: true},
			Place{Width: 1280, Height: 800, X: 10, Y: 10, Moved: true},
		},
		{
			"partly off", Place{Width: 1280, Height: 800, X: -200, Y: 300, Moved: true},
			Place{Width: 1280, Height: 800, X: -200, Y: 300, Moved: true},
		},
		{"too large", Place{Width: 3000, Height: 2000, Moved: true}, Place{Width: 1920, Height: 1080, Moved: true}},
		{
			"to the right of the screens", Place{Width: 1280, Height: 800, X: 3400, Moved: true},
			middle,
		},
		{
			"below the screen", Place{Width: 1280, Height: 800, Y: 1079, Moved: true},
			middle,
		},
		{
			"on the second screen", Place{Width: 1280, Height: 800, X: 2000, Y: 900, Moved: true},
			Place{Width: 1280, Height: 800, X: 2000, Y: 900, Moved: true},
		},
		{
			"above the second screen", Place{Width: 1280, Height: 800, X: 2000, Y: 100, Moved: true},
			middle,
		},
		{
			"title bar above the screen", Place{Width: 1280, Height: 800, Y: -30, Moved: true},
			middle,
		},
	} {
		if got := c.was.Within([]Rect{{0, 0, 1920, 1080}, {1920, 400, 1600, 900}}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}

	small := Place{Width: firstWidth, Height: firstHeight}.Within([]Rect{{0, 28, 1366, 740}})
	if want := (Place{Width: 1280, Height: 700, X: 43, Y: 28, Moved: true}); small != want {
		t.Errorf("the first start on a small screen: %+v, want %+v", small, want)
	}
}
