//go:build desktop

package desktop

import (
	"errors"
	"fmt"

	"github.com/wailsapp/go-webview2/webviewloader"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// oldestWebView is the oldest version of WebView2 that Wails accepts.
const oldestWebView = "94.0.992.31"

// errNoWebView says what to install.
var errNoWebView = errors.New("the window needs the WebView2 runtime of Microsoft Edge. " +
	"Install it from https://developer.microsoft.com/microsoft-edge/webview2/ (Evergreen Bootstrapper), " +
	"or run roughcut serve --owner to use a browser")

// WebViewVersion returns the version of the WebView2 runtime, or an error if it is missing or too
// old.
func WebViewVersion() (string, error) {
	version, err := webviewloader.GetAvailableCoreWebView2BrowserVersionString("")
	if err != nil || version == "" {
		return "", errors.Join(errNoWebView, err)
	}
	if order, err := webviewloader.CompareBrowserVersions(version, oldestWebView); err != nil || order < 0 {
		old := fmt.Errorf("WebView2 %s is older than %s; %w", version, oldestWebView, errNoWebView)
		return "", errors.Join(old, err)
	}

	return version, nil
}

// Alert shows an error in a dialog and waits until the person closes it.
func Alert(text string) error {
	message, err := windows.UTF16PtrFromString(text)
	if err != nil {
		return err
	}
	title, err := windows.UTF16PtrFromString("Roughcut")
	if err != nil {
		return err
	}
	_, err = windows.MessageBox(0, message, title, windows.MB_ICONERROR|windows.MB_SETFOREGROUND)
	return err
}

// systemDark reports whether apps are dark. ok is false if Windows does not tell.
func systemDark() (dark, ok bool) {
	const path = `Software\Microsoft\Windows\CurrentVersion\Themes\Personalize`
	key, err := registry.OpenKey(registry.CURRENT_USER, path, registry.QUERY_VALUE)
	if err != nil {
		return false, false
	}
	light, _, err := key.GetIntegerValue("AppsUseLightTheme")
	_ = key.Close() // it was only read
	return light == 0, err == nil
}
