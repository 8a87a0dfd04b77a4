//go:build !windows

package av

// #cgo pkg-config: fontconfig
// #include <fontconfig/fontconfig.h>
import "C"

import "fmt"

// fontconfigVersion returns the version of Fontconfig, which finds the system's fonts for libass.
func fontconfigVersion() string {
	v := int(C.FcGetVersion())
	return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100)
}
