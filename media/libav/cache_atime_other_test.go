//go:build !linux

package libav

import "time"

// accessTime reports nothing: only the listening socket is watched here.
func accessTime(string) (time.Time, bool) { return time.Time{}, false }
