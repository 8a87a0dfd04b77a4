package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"

	"roughcut/media"
	"roughcut/server/gate"
	"roughcut/store"
)

// Two requests of a user run and eight wait; the server responds with 429 to the next one, and all
// others succeed.
func TestCostlyRequestsPassTheGate(t *testing.T) {
	t.Parallel()
	began, end := make(chan struct{}, 20), make(chan struct{})
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.Workers = 3
		o.Still = func(context.Context, store.ExportInput, int64, media.StillKind) ([]byte, error) {
			began <- struct{}{}
			<-end
			return []byte("frame"), nil
		}
	})
	p := w.person("p")
	project := p.project("Talk")
	p.readyClip(project)
	const sent = 11
	responses := make(chan *reply, sent)
	for range sent {
		go func() {
			responses <- p.do("POST", "/api/v1/projects/"+project+"/still", map[string]any{"at_ms": 0})
		}()
	}
	busy := <-responses
	busy.want(429, "busy")
	if got := busy.header.Get("Retry-After"); got != "5" {
		t.Errorf("Retry-After is %q", got)
	}
	if running := len(began); running > 2 {
		t.Errorf("%d requests of a user run", running)
	}
	close(end)
	for range sent - 1 {
		(<-responses).want(200, "")
	}
}

// The dead addresses of one user do not delay the import of another.
func TestLookUpsTakeTurnsByUser(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.LookUpImport = func(ctx context.Context, address string) (store.NewImport, error) {
			if address == "https://dead.example.org/x.mp4" {
				<-end
			}
			return lookUpTalk(ctx, address)
		}
	})
	ada, eve := w.person("ada"), w.person("eve")
	projects := map[*person]string{ada: ada.project("Dead"), eve: eve.project("Talk")}
	const sent = 11
	responses := make(chan *reply, sent)
	for range sent {
		go func() { responses <- ada.importClip(projects[ada], "https://dead.example.org/x.mp4") }()
	}
	(<-responses).want(429, "busy") // two run, and eight wait
	eve.importClip(projects[eve], "https://example.org/talk.mp4").want(202, "")
	close(end)
	for range sent - 1 {
		(<-responses).want(202, "")
	}
}

func TestEnginesRefuseOperationsOutsideTheGate(t *testing.T) {
	t.Parallel()
	s, ctx := newWorld(t).server, context.Background()
	_, still := s.Options.Still(ctx, store.ExportInput{}, 0, media.StillPNG)
	_, faces := s.Faces(ctx, store.Clip{})
	_, tone := s.RoomTone(ctx, media.RoomToneRequest{})
	_, estimate := s.EstimateExport(ctx, store.EstimateInput{})
	for _, err := range []error{still, faces, tone, estimate} {
		if !errors.Is(err, errOutsideGate) {
			t.Errorf("the engine answers %v", err)
		}
	}
}

// Operations with x-cost respond with 429 while the gate is full, and those with large bodies have
// it.
func TestEveryCostlyOperationPassesTheGate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode)
	owner := w.launched()
	ids := everything(owner)
	user := owner.user.UUID
	leave, err := w.server.gate.Enter(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		go func() {
			if leave, err := w.server.gate.Enter(t.Context(), user); err == nil {
				leave()
			}
		}()
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	w.eventually("eight requests wait", func() bool {
		_, err := w.server.gate.Enter(gone, user)
		return errors.Is(err, gate.ErrBusy)
	})
	for _, op := range sortedOperations(w) {
		if op.BodyBytes > 0 && !op.Costs {
			t.Errorf("%s reads bodies of %d bytes and has no x-cost", op.ID, op.BodyBytes)
		}
		if op.Costs {
			owner.do(op.Route.Method, fill(op, ids), nil).want(429, "busy")
		}
	}
	leave()
}

// A body that its header declares too large is refused before it arrives.
func TestTooLargeBodyIsRefusedFromItsHeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	conn, err := net.Dial("tcp", w.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(
		conn, "POST /api/v1/auth/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
			"Content-Length: %d\r\n\r\n", w.http.Listener.Addr(), maxBodyBytes+1,
	)
	got, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("the response is %s", got.Status)
	}
}
