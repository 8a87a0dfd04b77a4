package av

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"testing"

	"github.com/asticode/go-astiav"
)

// libav opens the finished file itself to move its index. The system's reason for a failure then
// only arrives as a number.
func TestErrorsOfTheSystemKeepTheirReason(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("libav has other numbers than the system")
	}
	refused := fmt.Errorf("opening: %w", astiav.Error(-int(syscall.EMFILE)))
	if err := systemError(refused); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("%v is not EMFILE", err)
	}
	for _, err := range []error{nil, astiav.ErrEof, astiav.ErrInvaliddata, errors.New("other")} {
		if got := systemError(err); !errors.Is(got, err) {
			t.Errorf("%v became %v", err, got)
		}
	}
}
