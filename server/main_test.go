package server

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain also looks for goroutines that outlive their server. Bleve's analysis workers belong to
// the process.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(
		answeredAll{m},
		goleak.IgnoreTopFunction("github.com/blevesearch/bleve_index_api.AnalysisWorker"),
	)
}
