package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/media"
	"roughcut/server/gate"
	"roughcut/store"
)

// busyRetry is when a request that the gate refused should come again.
const busyRetry = 5 * time.Second

// maxLookUps is how many addresses are looked up at a time.
const maxLookUps = 4

// newGate returns a gate for that many requests at once.
func newGate(running int) *gate.Gate {
	return gate.New(gate.Limits{Running: running, UserRunning: 2, UserWaiting: 8, Wait: 20 * time.Second})
}

// enterGate waits for a place in a gate. Errors: RateLimited busy.
func enterGate(ctx context.Context, g *gate.Gate, userUUID string) (leave func(), err error) {
	leave, err = g.Enter(ctx, userUUID)
	if errors.Is(err, gate.ErrBusy) {
		return nil, &store.Error{
			Kind: store.RateLimited, Code: "busy", RetryAfter: busyRetry,
			Message: "The server is working on other requests of yours. Try again in a few seconds.",
		}
	}

	return leave, err
}

// passGate lets costly operations wait for a place in the gate, before it reads their bodies. Their
// deadlines count from then on.
func (s *Server) passGate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op := operationOf(c)
		if op == nil || !op.Costs {
			return next(c)
		}
		f := infoOf(c.Request().Context())
		leave, err := enterGate(c.Request().Context(), s.gate, f.caller.user.UUID)
		if err != nil {
			return err
		}
		defer leave()
		f.leaveGate = leave
		if !op.OwnerLocal { // those have no deadlines
			control, now := http.NewResponseController(c.Response().Writer), time.Now()
			_ = control.SetReadDeadline(now.Add(bodyTime))
			_ = control.SetWriteDeadline(now.Add(responseTime))
		}

		return next(c)
	}
}

// lookUpImport looks up the media at an address when it is the user's turn. Errors: RateLimited
// busy; see also LookUpImport.
func (s *Server) lookUpImport(ctx context.Context, address string) (store.NewImport, error) {
	leave, err := enterGate(ctx, s.lookUps, userOf(ctx))
	if err != nil {
		return store.NewImport{}, err
	}
	defer leave()
	return s.LookUpImport(ctx, address)
}

// errOutsideGate is the error of an operation without x-cost that starts a media engine.
var errOutsideGate = errors.New("this operation starts a media engine and has no x-cost in the contract")

// guardEngines makes the media engines refuse requests that have not passed the gate.
func (s *Server) guardEngines() {
	s.EstimateExport, s.Faces, s.RoomTone = guarded(s.EstimateExport), guarded(s.Faces), guarded(s.RoomTone)
	still := s.Options.Still
	s.Options.Still = func(
		ctx context.Context, in store.ExportInput, atMS int64, kind media.StillKind,
	) ([]byte, error) {
		return guarded(func(ctx context.Context, in store.ExportInput) ([]byte, error) {
			return still(ctx, in, atMS, kind)
		})(ctx, in)
	}
}

func guarded[In, Out any](
	engine func(context.Context, In) (Out, error),
) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (out Out, err error) {
		if infoOf(ctx).leaveGate == nil {
			return out, errOutsideGate
		}
		return engine(ctx, in)
	}
}
