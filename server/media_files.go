package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/server/auth"
	"roughcut/server/problem"
	"roughcut/store"
)

var errBadAddress = problem.Errorf(
	store.Unauthenticated,
	"not_authenticated",
	"The address is invalid or has expired. Request a new one.",
)

// sign returns an address that works without a session, for one purpose and one object. It expires
// at now+ttl or with the sessions of the caller, whichever is first: a new password and logout-all
// invalidate it.
func (s *Server) sign(f *requestInfo, purpose auth.Purpose, object, path string, ttl time.Duration) (string, error) {
	token, err := s.signer.Sign(auth.Claims{
		ID:      s.Store.NewID(),
		Purpose: purpose,
		User:    f.caller.user.UUID,
		Object:  object,
		Epoch:   f.caller.user.Epoch,
		Expires: s.Store.Now().Add(ttl),
	})
	if err != nil {
		return "", err
	}
	return f.baseURL + path + token, nil
}

// seconds returns a TTL in whole seconds.
func seconds(ttl time.Duration) int { return int(ttl / time.Second) }

// claims checks the token in the path of a signed address.
func (s *Server) claims(c echo.Context, purpose auth.Purpose) (auth.Claims, error) {
	claims, err := s.signer.Verify(c.Param("token"), purpose)
	if errors.Is(err, auth.ErrToken) {
		return auth.Claims{}, errBadAddress
	}
	if err != nil {
		return auth.Claims{}, err
	}
	user, err := s.Store.User(claims.User)
	if store.IsKind(err, store.NotFound) || (err == nil && user.Epoch != claims.Epoch) {
		return auth.Claims{}, errBadAddress
	}
	return claims, err
}

// getMedia sends the proxy or the sprite sheet of a clip.
func (s *Server) getMedia(c echo.Context) error {
	claims, err := s.claims(c, auth.Media)
	if err != nil {
		return err
	}
	clipUUID, name, _ := strings.Cut(claims.Object, "/")
	clip, err := s.Store.Clip(claims.User, clipUUID)
	if err != nil {
		return err
	}
	if name == spriteFile {
		return s.sendFile(c, claims.User, file{
			path:        s.Store.FilePath(clipKey(clip, spriteFile)),
			contentType: "image/jpeg",
			caching:     "public, max-age=31536000, immutable",
		})
	}

	proxy := file{
		path:        s.Store.FilePath(clipKey(clip, proxyFile)),
		contentType: "video/mp4",
		caching:     "private, no-cache",
	}
	if clip.Status == store.ClipReady {
		err = s.sendFile(c, claims.User, proxy)
		if !store.IsKind(err, store.NotFound) {
			return err
		}
	}

	original, err := s.Store.OriginalPath(clip)
	if err != nil {
		return problem.NotFoundf("%v", err)
	}
	return s.sendFile(c, claims.User, file{path: original, contentType: clip.ContentType, caching: proxy.caching})
}

// download sends a rendered video, or a timeline with its media, as a download.
func (s *Server) download(c echo.Context) error {
	claims, err := s.claims(c, auth.Download)
	if err != nil {
		return err
	}
	if bundle, ok := parseBundle(claims.Object); ok {
		return s.sendBundle(c, claims.User, bundle)
	}
	exportUUID, name, _ := strings.Cut(claims.Object, "/")
	export, err := s.Store.Export(claims.User, exportUUID)
	if err != nil {
		return err
	}
	if export.Status != store.StatusCompleted {
		return problem.NotFoundf("The file of this export is missing. Export again.")
	}
	return s.sendFile(c, claims.User, file{
		path:        s.Store.FilePath(export.StorageKey),
		contentType: export.ContentType,
		caching:     "private, no-cache",
		name:        name,
	})
}

// file says how to send a stored file.
type file struct {
	path        string
	contentType string
	caching     string
	name        string // proposed for saving; empty to show the file in the browser
}

// sendFile sends a file or the requested ranges of it. The transfer ends with the account's
// sessions.
func (s *Server) sendFile(c echo.Context, userUUID string, f file) error {
	ctx, leave, err := s.transfers.join(c.Request().Context(), transferOwner{user: userUUID})
	if err != nil {
		return err
	}
	defer leave()
	source, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		gone := &store.Error{}
		if !errors.As(s.Store.MissingFile(err), &gone) {
			return problem.NotFoundf("The file is deleted.")
		}
		return problem.NotFoundf("%s", gone.Message)
	}

	if err != nil {
		return fmt.Errorf("open a stored file: %w", err)
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return fmt.Errorf("stat a stored file: %w", err)
	}
	return s.sendContent(ctx, c, source, content{
		contentType: f.contentType,
		caching:     f.caching,
		name:        f.name,
		tag:         fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size()),
		modified:    info.ModTime(),
	})
}

// content says how to send bytes.
type content struct {
	contentType, caching string
	name                 string // proposed for saving; empty to show the content in the browser
	tag                  string // quoted; changes with the bytes
	modified             time.Time
}

// sendContent sends bytes or the requested ranges of them until ctx ends.
func (s *Server) sendContent(ctx context.Context, c echo.Context, source io.ReadSeeker, f content) error {
	w := c.Response()
	header := w.Header()
	if f.contentType == "video/quicktime" {
		f.contentType = "video/mp4" // equivalent for players, and some browsers reject the other name
	}
	header.Set("Content-Type", f.contentType)
	header.Set("Cache-Control", f.caching)
	header.Set("ETag", f.tag)
	if f.name != "" {
		header.Set("Content-Disposition", disposition(f.name))
	}
	pace := newPace(ctx, http.NewResponseController(w.Writer))
	defer pace.close()
	w.Committed = true // ServeContent bypasses echo's response and writes to the connection directly
	out := &fileWriter{ResponseWriter: w.Writer, pace: pace, chunkTime: s.transferTime}
	http.ServeContent(out, c.Request(), "", f.modified, source)
	return nil
}

// disposition returns a Content-Disposition header as in RFC 6266: the exact name, and an ASCII one
// for old clients.
func disposition(name string) string {
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' || r == '%' {
			return '_'
		}
		return r
	}, name)
	return fmt.Sprintf(
		`attachment; filename="%s"; filename*=UTF-8''%s`,
		ascii,
		strings.ReplaceAll(url.QueryEscape(name), "+", "%20"),
	)
}

const (
	transferChunk = 1 << 20
	transferTime  = 60 * time.Second // for one chunk
)

// fileWriter sends a file in chunks, each with its own deadline. Slow clients may take their time,
// and dead ones do not keep the file open. It stops immediately when its pace does.
type fileWriter struct {
	http.ResponseWriter
	pace      *pace
	chunkTime time.Duration
	refused   bool
}

// WriteHeader replaces the errors of net/http with problems.
func (f *fileWriter) WriteHeader(status int) {
	switch status {
	case http.StatusPreconditionFailed:
		f.refused = true
		problem.Write(f.ResponseWriter, problem.Problem{
			Status: status,
			Code:   "file_changed",
			Detail: "The file has changed. Request it without the condition.",
		})
	case http.StatusRequestedRangeNotSatisfiable:
		f.refused = true
		problem.Write(f.ResponseWriter, problem.Problem{
			Status: status,
			Code:   "no_such_range",
			Detail: "The range starts after the end of the file. Request a range inside the file.",
		})
	default:
		f.ResponseWriter.WriteHeader(status)
	}
}

// Write sends bytes from outside the file, such as the separators between ranges.
func (f *fileWriter) Write(p []byte) (int, error) {
	if f.refused {
		return len(p), nil
	}
	if err := f.pace.extend(f.chunkTime); err != nil {
		return 0, err
	}
	return f.ResponseWriter.Write(p)
}

// ReadFrom sends a file. It passes the connection a limited reader over the file, so that the
// kernel can copy the data.
func (f *fileWriter) ReadFrom(src io.Reader) (int64, error) {
	whole, ok := src.(*io.LimitedReader)
	if !ok {
		return io.Copy(struct{ io.Writer }{f}, src)
	}
	var sent int64
	for whole.N > 0 {
		if err := f.pace.extend(f.chunkTime); err != nil {
			return sent, err
		}
		n, err := io.Copy(f.ResponseWriter, &io.LimitedReader{R: whole.R, N: min(whole.N, transferChunk)})
		sent, whole.N = sent+n, whole.N-n
		if err != nil || n == 0 {
			return sent, err
		}
	}

	return sent, nil
}
