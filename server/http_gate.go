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

// enterGate waits for a place in the gate. Errors: RateLimited busy.
func (s *Server) enterGate(ctx context.Context, userUUID string) (leave func(), err error) {
	leave, err = s.gate.Enter(ctx, userUUID)
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
		leave, err := s.enterGate(c.Request().Context(), f.caller.user.UUID)
		if err != nil {
			return err
		}
		defer leave()
		f.leaveGate = leave
		if !op.OwnerLocal { // those have no deadlines
			control, now := http.NewResponseController(c.Response().Writer), time.Now()
			_ = control.SetReadDeadline(now.Add(bodyTime))
			_ = control.SetWriteDeadline(now.Add(answerTime))
		}
		return next(c)
	}
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
