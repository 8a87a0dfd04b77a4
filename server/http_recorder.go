package server

import (
	"io"
	"net/http"
)

// recorder records the status and size of a response. It keeps the fast path from files to sockets
// (sendfile).
type recorder struct {
	http.ResponseWriter
	status int // 0 before the header
	bytes  int64
}

// WriteHeader records the first final status.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes of the body.
func (r *recorder) Write(p []byte) (int, error) {
	r.began()
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// ReadFrom lets the connection copy from a file directly.
func (r *recorder) ReadFrom(src io.Reader) (int64, error) {
	r.began()
	n, err := io.Copy(r.ResponseWriter, src)
	r.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController find the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) began() {
	if r.status == 0 {
		r.status = http.StatusOK
	}
}
