package server

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// corsAge is how long a browser may remember what a page of another origin may send.
const corsAge = time.Hour

// allowOrigins lets pages of other origins call the service, as the CORS protocol of the Fetch
// standard says. They need an access token: browsers send them no cookie along.
func allowOrigins(origins []string) echo.MiddlewareFunc {
	return middleware.CORSWithConfig(middleware.CORSConfig{
		// A preflight names a method. Uploads have an OPTIONS of their own.
		Skipper: func(c echo.Context) bool {
			options := c.Request().Method == http.MethodOptions
			return len(origins) == 0 || (options && c.Request().Header.Get("Access-Control-Request-Method") == "")
		},
		AllowOrigins: origins,
		AllowMethods: []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		},
		AllowHeaders: []string{
			"Authorization", "Content-Type", idempotencyHeader, "Last-Event-ID", "Range", "Tus-Resumable",
			"Upload-Offset", "X-Change", "X-Change-Label", echo.HeaderXRequestID,
		},
		ExposeHeaders: []string{
			"Content-Disposition", "Content-Range", "ETag", replayedHeader, "Retry-After", "Tus-Resumable",
			unknownHeader, "Upload-Length", "Upload-Offset", "WWW-Authenticate", echo.HeaderXRequestID,
		},
		MaxAge: int(corsAge.Seconds()),
	})
}
