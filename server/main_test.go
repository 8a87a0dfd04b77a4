package server

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain also fails on leaked goroutines. Bleve's analysis workers belong to the process.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(
		receivedAll{m},
		goleak.IgnoreTopFunction("github.com/blevesearch/bleve_index_api.AnalysisWorker"),
	)
}
