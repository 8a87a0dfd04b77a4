package libav

import (
	"slices"
	"testing"
)

// The libav that tests run with has all that the engine needs; what it has not is named.
func TestMissing(t *testing.T) {
	if missing := New().Missing(); len(missing) > 0 {
		t.Errorf("missing: %v", missing)
	}
	before := neededFilters
	defer func() { neededFilters = before }()
	neededFilters = append(slices.Clone(before), "nonesuch")
	if missing := New().Missing(); !slices.Equal(missing, []string{"filter nonesuch"}) {
		t.Errorf("missing: %v", missing)
	}
}
