//go:build !linux

package libav

import "time"

// accessTime reports no time on other systems.
func accessTime(string) (time.Time, bool) { return time.Time{}, false }
