//go:build desktop

package desktop

import (
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A hidden window gets its place and stays hidden, and the place of a maximized window is the one
// from before.
func TestWindowsPlace(t *testing.T) {
	window := newWindow(t)
	if own, err := ownWindow("STATIC"); err != nil || own != window {
		t.Fatalf("found window %x, not %x: %v", own, window, err)
	}
	if _, err := ownWindow("no such class"); err == nil {
		t.Error("found a window of no class")
	}

	want := Place{Width: 900, Height: 640, X: 60, Y: 40, Moved: true}
	if err := putTo(window, want); err != nil {
		t.Fatal(err)
	}
	if got, err := placeOf(window); err != nil || got != want {
		t.Errorf("the place is %+v, not %+v: %v", got, want, err)
	}
	if windows.IsWindowVisible(window) {
		t.Error("the hidden window is shown")
	}

	maximize := user32.NewProc("ShowWindow")
	_, _, _ = maximize.Call(uintptr(window), windows.SW_SHOWMAXIMIZED) // returns the former state
	want.Maximised = true
	if got, err := placeOf(window); err != nil || got != want {
		t.Errorf("the place of the maximized window is %+v, not %+v: %v", got, want, err)
	}
}

// A window that would be out of reach, or is larger than its screen, is wholly on the first screen.
func TestWindowsPlaceIsFitted(t *testing.T) {
	window, all := newWindow(t), screens()
	if len(all) == 0 || all[0].Width <= 0 || all[0].Height <= 0 {
		t.Fatalf("the screens are %v", all)
	}
	s := all[0]
	for name, place := range map[string]Place{
		"the first start":     {Width: firstWidth, Height: firstHeight},
		"its screen is gone":  {Width: 900, Height: 640, X: 50_000, Moved: true},
		"almost off a screen": {Width: 900, Height: 640, X: s.X + s.Width - 20, Moved: true},
		"larger":              {Width: 9000, Height: 9000, X: s.X, Y: s.Y, Moved: true},
	} {
		if err := putTo(window, place); err != nil {
			t.Fatal(err)
		}
		got, err := placeOf(window)
		right, bottom := s.X+s.Width, s.Y+s.Height
		if err != nil || got.X < s.X || got.Y < s.Y || got.X+got.Width > right || got.Y+got.Height > bottom {
			t.Errorf("%s: the place is %+v on the screen %+v: %v", name, got, s, err)
		}
	}
}

// The button of the window in the taskbar accepts progress and its end.
func TestWindowsTaskbar(t *testing.T) {
	window := newWindow(t)
	for _, progress := range []float64{0, .5, 1, -1} {
		if err := showOnTaskbar(window, progress); err != nil {
			t.Errorf("progress %v: %v", progress, err)
		}
	}
}

// newWindow makes a hidden window of the class STATIC. It keeps the test on the thread of the
// window: a call on another thread would wait for this one to read its messages.
func newWindow(t *testing.T) windows.HWND {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	class, err := windows.UTF16PtrFromString("STATIC")
	if err != nil {
		t.Fatal(err)
	}
	const overlapped = 0x00cf0000 // WS_OVERLAPPEDWINDOW
	window, _, err := user32.NewProc("CreateWindowExW").Call(
		0, uintptr(unsafe.Pointer(class)), uintptr(unsafe.Pointer(class)), overlapped, 0, 0, 300, 200, 0, 0, 0, 0,
	)
	if window == 0 {
		t.Fatalf("creating a window: %v", err)
	}
	t.Cleanup(func() { _, _, _ = user32.NewProc("DestroyWindow").Call(window) })
	return windows.HWND(window)
}
