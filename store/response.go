package store

import (
	"bytes"
	"time"

	"roughcut/store/table"
)

// Response is the HTTP response to a request of an account that had an Idempotency-Key.
type Response struct {
	UserUUID, Key string
	Request       []byte // hash of the request, which tells it from others with the same key
	BegunAt       time.Time
	Status        int    `json:",omitempty"` // 0 while the request runs, and after it if the server failed
	ContentType   string `json:",omitempty"`
	Body          []byte `json:",omitempty"` // empty if Created is set
	// UUID of what the request created, if its response held a secret
	Created string `json:",omitempty"`
}

// ResponseTime is how long a response is kept after its request began.
const ResponseTime = 24 * time.Hour

// maxResponses and maxResponseBytes are the maximum number and size of the responses of an account.
// Older ones make room for newer ones.
const (
	maxResponses     = 10_000
	maxResponseBytes = 16 << 20
)

var responsesByUser = &table.Index[Response]{
	Name:    "responses.by_user",
	Keys:    func(r *Response) [][]byte { return table.Entry(r.UserUUID, r.BegunAt) },
	Counted: true,
}

var responses = &table.Table[Response]{
	Name:    "responses",
	Noun:    "response",
	Key:     func(r *Response) []byte { return responseKey(r.UserUUID, r.Key) },
	Owner:   func(r *Response) string { return r.UserUUID },
	Indexes: []*table.Index[Response]{responsesByUser},
	Stale:   (*Response).stale,
}

func responseKey(userUUID, key string) []byte { return table.Key(userUUID, key) }

func (r *Response) stale(now time.Time) bool { return !r.BegunAt.Add(ResponseTime).After(now) }

// Response returns the response to an account's request with a key, or nil if no such request came
// within ResponseTime.
func (s *Store) Response(userUUID, key string) (*Response, error) {
	return viewed(s, func(t *txn) (*Response, error) {
		r, err := responses.Find(t, string(responseKey(userUUID, key)))
		if r != nil && r.stale(t.Now) {
			r = nil
		}
		return r, err
	})
}

// BeginResponse notes that a request begins, before it acts. It deletes the oldest responses of the
// account that leave no room for one more.
func (s *Store) BeginResponse(userUUID, key string, request []byte) error {
	return s.batchOnReserve(func(t *txn) error {
		if err := t.roomForResponses(userUUID); err != nil {
			return err
		}
		return responses.Put(t, &Response{UserUUID: userUUID, Key: key, Request: request, BegunAt: t.Now})
	})
}

func (t *txn) roomForResponses(userUUID string) error {
	full := func() bool {
		return responses.Count(t, responsesByUser, userUUID) >= maxResponses ||
			responses.Bytes(t, userUUID) > maxResponseBytes
	}
	for full() {
		oldest, err := responses.First(t, responsesByUser, userUUID)
		if err != nil || oldest == nil {
			return err
		}
		if err := responses.Delete(t, string(responseKey(userUUID, oldest.Key))); err != nil {
			return err
		}
	}

	return nil
}

// EndResponse completes what BeginResponse noted about a request. It ignores a request without such
// a note.
func (s *Store) EndResponse(ended Response) error {
	return s.batchOnReserve(func(t *txn) error {
		begun, err := responses.Find(t, string(responseKey(ended.UserUUID, ended.Key)))
		if err != nil || begun == nil || !bytes.Equal(begun.Request, ended.Request) {
			return err
		}
		ended.BegunAt = begun.BegunAt
		return responses.Put(t, &ended)
	})
}

// ForgetResponse deletes what BeginResponse noted about a request, so that it can come again. It
// ignores a request without such a note.
func (s *Store) ForgetResponse(userUUID, key string) error {
	return s.batchOnReserve(func(t *txn) error { return responses.Delete(t, string(responseKey(userUUID, key))) })
}

// dropResponses deletes the responses of a deleted account.
func (t *txn) dropResponses(userUUID string) error {
	return responses.DeleteAll(t, responsesByUser, userUUID)
}
