package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/pipeline/models"
	"roughcut/server/problem"
	"roughcut/store"
)

// addModel installs a speech model from the body of a PUT.
func (s *Server) addModel(c echo.Context) error {
	body := &rollingReader{body: c.Request().Body, control: http.NewResponseController(c.Response().Writer)}
	if err := s.receiveModel(c, body); err != nil {
		refuseUpload(c, body, err)
		return nil
	}

	_ = body.control.SetWriteDeadline(time.Now().Add(responseTime))
	name, err := modelParam(c)
	if err != nil {
		return err
	}
	record, _, err := handlers{s}.model(name)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, record)
}

// modelParam returns the name of the model in the path.
func modelParam(c echo.Context) (string, error) {
	name, err := url.PathUnescape(c.Param("model"))
	if err != nil {
		return "", addError(models.ErrName)
	}
	return name, nil
}

func (s *Server) receiveModel(c echo.Context, body *rollingReader) error {
	name, err := modelParam(c)
	if err != nil {
		return err
	}
	r := c.Request()
	user := infoOf(r.Context()).caller.user.UUID
	ctx, leave, err := s.transfers.join(r.Context(), transferOwner{user: user, upload: true})
	if err != nil {
		return err
	}
	defer leave()
	err = s.Models.Add(ctx, name, r.ContentLength, sizedBody{body, r.ContentLength})
	if errors.Is(err, context.Canceled) {
		return errUploadStopped
	}
	return addError(err)
}

var (
	errBodyStopped   = errors.New("the body is incomplete")
	errUploadStopped = problem.Errorf(
		store.Invalid, "validation_error", "The upload stopped before its end. Choose the file again.",
	)
)

// sizedBody is a body that fails with errBodyStopped if it does not have its declared size; size is
// negative if none was declared.
type sizedBody struct {
	*rollingReader
	size int64
}

func (b sizedBody) Read(p []byte) (int, error) {
	n, err := b.rollingReader.Read(p)
	if err != nil && (!errors.Is(err, io.EOF) || (b.size >= 0 && b.count != b.size)) {
		err = errBodyStopped
	}
	return n, err
}

// addError converts the errors of adding a model that a client can cause.
func addError(err error) error {
	switch {
	case errors.Is(err, errBodyStopped):
		return errUploadStopped
	case errors.Is(err, models.ErrName):
		return problem.FieldError(
			"model", "may have up to 100 letters, digits, dots, hyphens and underscores. Rename the file",
		)
	case errors.Is(err, models.ErrTooLarge):
		return problem.Errorf(
			store.TooLarge, "too_large", "The file is larger than any Whisper model. Choose another file.",
		)
	case errors.Is(err, models.ErrNotModel):
		return problem.Errorf(store.Unprocessable, "not_a_model", "%s", notModel(err))
	case errors.Is(err, models.ErrOther):
		return problem.Errorf(
			store.Unprocessable,
			"not_a_model",
			"The file has the name of a known model, but another checksum. It may be damaged: "+
				"download it again, or rename it.",
		)
	}

	return modelError(err)
}

// notModel says why a file was refused and what to do.
func notModel(err error) string {
	reason := strings.TrimPrefix(err.Error(), models.ErrNotModel.Error()+": ")
	return fmt.Sprintf("The file cannot be used as a speech model: %s.", reason)
}
