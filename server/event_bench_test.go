//go:build unix

package server

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/pipeline"
	"roughcut/store/account"
)

// BenchmarkEvents measures how long an event takes from the worker to each of 200 clients, and the
// memory of one stream.
func BenchmarkEvents(b *testing.B) {
	const clients, events = 200, 100
	for b.Loop() {
		dir := b.TempDir()
		s := openAccount(b, dir)
		if _, err := s.CreateUser(account.User{Name: "Ada", Username: "ada", Email: "ada@example.org"}); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		w := newSite(b, dir)
		project, err := w.store.CreateProject(w.user.UUID, "Talk", nil)
		if err != nil {
			b.Fatal(err)
		}
		before := heapBytes()
		var conns []net.Conn
		for range clients {
			conns = append(conns, w.listen(b, project.UUID))
		}
		tick := time.NewTicker(time.Millisecond)
		for w.server.transfers.count() < clients {
			<-tick.C
		}
		tick.Stop()
		each := (heapBytes() - before) / clients / 1024
		sent := make([]time.Time, events+1)
		arrived := make([]times, clients)
		var readers sync.WaitGroup
		for i, conn := range conns {
			readers.Go(func() { arrived[i] = readEvents(conn, events, sent) })
		}
		pace := time.NewTicker(20 * time.Millisecond)
		var written times
		for id := 1; id <= events; id++ {
			<-pace.C
			sent[id] = time.Now()
			if err := w.events.Report(
				project.UUID,
				pipeline.AnalysisProgress,
				map[string]any{"progress": id},
			); err != nil {
				b.Fatal(err)
			}
			written = append(written, time.Since(sent[id]))
		}
		pace.Stop()
		readers.Wait()
		all := slices.Concat(arrived...)
		slices.Sort(all)
		slices.Sort(written)
		if len(all) != clients*events {
			b.Fatalf("%d of %d events arrived", len(all), clients*events)
		}
		b.Logf(
			"goal: from the worker to each of %d clients: p50 %.1f ms, p99 %.1f ms (goal p99 20 ms), of that p50 "+
				"%.1f, p99 %.1f to keep the event; %d KB a stream (goal 30)",
			clients,
			milliseconds(all.at(0.5)),
			milliseconds(all.at(0.99)),
			milliseconds(written.at(0.5)),
			milliseconds(written.at(0.99)),
			each,
		)
	}
}

// listen opens the event stream of a project on a raw connection, to measure only the server's
// side.
func (w *site) listen(b *testing.B, project string) net.Conn {
	b.Helper()
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", w.http.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	if _, err := fmt.Fprintf(
		conn,
		"GET /api/v1/projects/%s/events HTTP/1.1\r\nHost: x\r\nCookie: %s=%s\r\n\r\n",
		project,
		sessionCookie,
		w.session.Value,
	); err != nil {
		b.Fatal(err)
	}
	return conn
}

// readEvents returns the delay of each event.
func readEvents(conn net.Conn, count int, sent []time.Time) times {
	var took times
	for lines := bufio.NewScanner(conn); len(took) < count && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "id: ") {
			took = append(took, time.Since(sent[len(took)+1]))
		}
	}
	return took
}
