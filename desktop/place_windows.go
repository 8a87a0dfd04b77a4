//go:build desktop

package desktop

import (
	"fmt"
	goruntime "runtime"
	"slices"
	"syscall"
	"unsafe"

	"github.com/go-ole/go-ole"
	"github.com/wailsapp/wails/v2/pkg/runtime"
	"golang.org/x/sys/windows"
)

var (
	user32              = windows.NewLazySystemDLL("user32.dll")
	enumDisplayMonitors = user32.NewProc("EnumDisplayMonitors")
	findWindow          = user32.NewProc("FindWindowExW")
	getDPIForWindow     = user32.NewProc("GetDpiForWindow")
	getMonitorInfo      = user32.NewProc("GetMonitorInfoW")
	getWindowPlacement  = user32.NewProc("GetWindowPlacement")
	setWindowPlacement  = user32.NewProc("SetWindowPlacement")
)

// windowClass is the class that Wails gives its window.
const windowClass = "wailsWindow"

// ownWindow returns the window of this process that has a class.
func ownWindow(class string) (windows.HWND, error) {
	name, err := windows.UTF16PtrFromString(class)
	if err != nil {
		return 0, err
	}
	for window := uintptr(0); ; {
		window, _, err = findWindow.Call(0, window, uintptr(unsafe.Pointer(name)), 0)
		if window == 0 {
			return 0, fmt.Errorf("finding the window: %w", err)
		}
		var process uint32
		if _, err := windows.GetWindowThreadProcessId(windows.HWND(window), &process); err != nil {
			return 0, fmt.Errorf("finding the window: %w", err)
		}
		if process == windows.GetCurrentProcessId() {
			return windows.HWND(window), nil
		}
	}
}

// windowPlacement is WINDOWPLACEMENT of the Windows API.
type windowPlacement struct {
	length, flags, show  uint32
	minimized, maximized [2]int32
	normal               windows.Rect // while it is neither minimized nor maximized: see screens
}

// monitorInfo is MONITORINFO of the Windows API.
type monitorInfo struct {
	length      uint32
	whole, work windows.Rect
	flags       uint32 // 1 for the first monitor
}

// screens returns what the taskbar leaves of each screen, the first screen first, in pixels and
// the coordinates of windowPlacement: a screen is at its place among the screens, and has its zero
// behind its taskbar.
func screens() []Rect {
	var found []Rect
	add := windows.NewCallback(func(monitor, _, _, _ uintptr) uintptr {
		var info monitorInfo
		info.length = uint32(unsafe.Sizeof(info))
		if ok, _, _ := getMonitorInfo.Call(monitor, uintptr(unsafe.Pointer(&info))); ok == 0 {
			return 1 // it was just removed
		}
		place := len(found)
		if info.flags&1 != 0 {
			place = 0
		}
		found = slices.Insert(found, place, Rect{
			X: int(info.whole.Left), Y: int(info.whole.Top),
			Width: int(info.work.Right - info.work.Left), Height: int(info.work.Bottom - info.work.Top),
		})
		return 1
	})
	_, _, _ = enumDisplayMonitors.Call(0, 0, add, 0) // without screens, nothing is fitted
	return found
}

// placeOf returns the place of a window. It has a size and a position even if it is maximized.
func placeOf(window windows.HWND) (Place, error) {
	var p windowPlacement
	p.length = uint32(unsafe.Sizeof(p))
	if ok, _, err := getWindowPlacement.Call(uintptr(window), uintptr(unsafe.Pointer(&p))); ok == 0 {
		return Place{}, fmt.Errorf("reading the window position: %w", err)
	}
	dpi, _, _ := getDPIForWindow.Call(uintptr(window))
	points := func(pixels int32) int { return int(pixels) * 96 / int(dpi) }
	return Place{
		Width: points(p.normal.Right - p.normal.Left), Height: points(p.normal.Bottom - p.normal.Top),
		X: int(p.normal.Left), Y: int(p.normal.Top), Moved: true, Maximised: p.show == windows.SW_SHOWMAXIMIZED,
	}, nil
}

// putTo puts a window to a place, fitted to the screens, and leaves it hidden if it is. If the
// window gets to a screen of another scale, Wails changes its size in pixels.
func putTo(window windows.HWND, place Place) error {
	dpi, _, _ := getDPIForWindow.Call(uintptr(window))
	place.Width, place.Height = place.Width*int(dpi)/96, place.Height*int(dpi)/96
	place = place.Within(screens())
	p := windowPlacement{show: windows.SW_HIDE}
	if windows.IsWindowVisible(window) {
		p.show = windows.SW_SHOWNORMAL
	}
	p.length = uint32(unsafe.Sizeof(p))
	p.normal = windows.Rect{Left: int32(place.X), Top: int32(place.Y)}
	p.normal.Right, p.normal.Bottom = p.normal.Left+int32(place.Width), p.normal.Top+int32(place.Height)
	if ok, _, err := setWindowPlacement.Call(uintptr(window), uintptr(unsafe.Pointer(&p))); ok == 0 {
		return fmt.Errorf("moving the window: %w", err)
	}
	return nil
}

// The list of the taskbar, see ITaskbarList3 of the Windows API.
var (
	taskbarListClass = ole.NewGUID("{56FDF344-FD6D-11D0-958A-006097C9A090}")
	taskbarList3     = ole.NewGUID("{EA1AFB91-9E28-4B86-90E9-9E9F8A5EEFAF}")
)

// Places of the methods of ITaskbarList3 in its table, and the states of a button.
const (
	hrInit, setProgressValue, setProgressState = 3, 9, 10

	noProgress, normalProgress = 0, 2
)

// showOnTaskbar shows progress, as a part of 1, on the button of a window in the taskbar, or
// nothing if it is negative.
func showOnTaskbar(window windows.HWND, progress float64) (err error) {
	goruntime.LockOSThread() // COM belongs to a thread
	defer goruntime.UnlockOSThread()
	if err := ole.CoInitializeEx(0, ole.COINIT_APARTMENTTHREADED); err != nil {
		return fmt.Errorf("starting COM: %w", err)
	}
	defer ole.CoUninitialize()
	list, err := ole.CreateInstance(taskbarListClass, taskbarList3)
	if err != nil {
		return fmt.Errorf("finding the taskbar: %w", err)
	}
	defer list.Release()
	methods := (*[setProgressState + 1]uintptr)(unsafe.Pointer(list.RawVTable))
	call := func(method int, arguments ...uintptr) {
		arguments = append([]uintptr{uintptr(unsafe.Pointer(list))}, arguments...)
		if code, _, _ := syscall.SyscallN(methods[method], arguments...); int32(code) < 0 && err == nil {
			err = fmt.Errorf("showing progress in the taskbar: %w", ole.NewError(code))
		}
	}

	call(hrInit)
	if progress < 0 {
		call(setProgressState, uintptr(window), noProgress)
		return err
	}

	call(setProgressState, uintptr(window), normalProgress)
	call(setProgressValue, uintptr(window), uintptr(progress*1000), 1000)
	return err
}

// systemWindow is what the window needs from the Windows API.
type systemWindow struct{ handle windows.HWND } // 0 if the window was not found

// open puts the window to its place. This window ignores dropped files.
func (n *native) open(place Place, _ func(paths []string)) {
	var err error
	if n.handle, err = ownWindow(windowClass); err == nil {
		err = putTo(n.handle, place)
	}
	if err != nil {
		n.log.Warn("cannot restore the window position", "error", err)
	}
	if place.Maximised {
		runtime.WindowMaximise(n.frame)
	}
}

// place returns the place of the open window. Without a size, it is not known.
func (n *native) place() Place {
	place, err := placeOf(n.handle)
	if err != nil {
		n.log.Warn("cannot save the window position", "error", err)
	}
	return place
}

// showProgress shows a part of 1 on the button of the window in the taskbar, or nothing if it is
// negative.
func (n *native) showProgress(progress float64) {
	if err := showOnTaskbar(n.handle, progress); err != nil {
		n.log.Debug("cannot show progress in the taskbar", "error", err)
	}
}
