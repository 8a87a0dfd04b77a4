// Package operator owns the operator API: what the commands backup, cut, admin and desktop ask of a
// server on the same machine. It listens on a Unix socket in the data directory and is not part of
// the contract. It has no sessions: the mode of the socket admits only the user that runs the
// server.
package operator

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"

	"roughcut/server/auth"
	"roughcut/server/contract"
	"roughcut/server/mail"
	"roughcut/server/problem"
	"roughcut/store"
	"roughcut/store/account"
	"roughcut/store/billing"
)

// Headers of the response to GET /backup.
const (
	BackupBytesHeader       = "X-Backup-Bytes"      // approximate size of the archive in bytes
	BackupLinkedFilesHeader = "X-Backup-References" // number of linked files, which the archive leaves out
)

// timeLayout is the format of times: UTC with milliseconds and offset.
const timeLayout = "2006-01-02T15:04:05.000-07:00"

// maxBodyBytes bounds the body of a request.
const maxBodyBytes = 1 << 20

// Options configures a Service. RaiseWindow and Launch may be nil.
type Options struct {
	Store    *store.Store
	Contract *contract.Contract
	Version  string // of the program, for the label of backups
	// RaiseWindow brings the desktop window to the front and opens files in it; nil without a
	// window.
	RaiseWindow func(files []string)
	// Launch returns an address that opens Roughcut in a browser; nil without a server.
	Launch func() (address string, err error)
	Log    *slog.Logger
}

// Service is the HTTP handler of the operator API.
type Service struct {
	Options
	passwords *auth.Passwords
	mux       *http.ServeMux
	running   sync.WaitGroup
}

// NewAccount is the body of POST /users.
type NewAccount struct {
	Email    string `json:"email"`
	Name     string `json:"name"`
	Username string `json:"username"`
	Password string `json:"password"`
	Admin    bool   `json:"admin"`
}

// NewToken is the body of POST /tokens: the fields of NewAccessToken in the contract, and the
// account.
type NewToken struct {
	Email         string `json:"email"`
	Name          string `json:"name"`
	ReadOnly      bool   `json:"read_only"`
	ProjectUUID   string `json:"project_uuid,omitempty"`    // empty: all
	ExpiresInDays int    `json:"expires_in_days,omitempty"` // zero: never
}

// Token is the response of POST /tokens.
type Token struct {
	Token string `json:"token"`
}

// TierChange is the body of PUT /users/tier.
type TierChange struct {
	Email string       `json:"email"`
	Tier  billing.Tier `json:"tier"`
}

// AdminGrant is the body of PUT /users/admin.
type AdminGrant struct {
	Email string `json:"email"`
}

// Account is an account in responses of the operator API.
type Account struct {
	UUID             string       `json:"uuid"`
	Email            string       `json:"email"`
	Name             string       `json:"name"`
	Username         string       `json:"username"`
	Admin            bool         `json:"is_admin"`
	EmailVerified    bool         `json:"email_verified"`
	Tier             billing.Tier `json:"tier"`
	Status           string       `json:"subscription_status"`
	ProjectCount     int          `json:"project_count"`
	StorageUsedBytes int64        `json:"storage_used_bytes"`
	CreatedAt        string       `json:"created_at"`
}

// LaunchAddress is the response of POST /launch.
type LaunchAddress struct {
	Address string `json:"address"` // signs the owner in, in owner mode
}

// WindowFiles is the body of POST /window: files for the desktop window to open.
type WindowFiles struct {
	Paths []string `json:"paths"` // absolute
}

// New returns the operator API of an open store.
func New(o Options) (*Service, error) {
	passwords, err := auth.NewPasswords(1, auth.DefaultHashCost)
	if err != nil {
		return nil, err
	}
	s := &Service{Options: o, passwords: passwords, mux: http.NewServeMux()}
	s.mux.HandleFunc("GET /backup", s.backup)
	s.handle("GET /linked-paths", http.StatusOK, s.listLinkedPaths)
	s.handle("GET /users", http.StatusOK, s.listAccounts)
	s.handle("POST /users", http.StatusCreated, s.createAccount)
	s.handle("POST /tokens", http.StatusCreated, s.createToken)
	s.handle("PUT /users/tier", http.StatusOK, s.setTier)
	s.handle("PUT /users/admin", http.StatusOK, s.grantAdmin)
	s.handle("POST /window", http.StatusOK, s.raiseWindow)
	s.handle("POST /launch", http.StatusOK, s.launch)
	return s, nil
}

// ServeHTTP answers one request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.running.Add(1)
	defer s.running.Done()
	s.mux.ServeHTTP(w, r)
}

// Wait blocks until every running request has ended. Call it after closing the listener and its
// connections.
func (s *Service) Wait() { s.running.Wait() }

// handle answers a route with the JSON of the value that fn returns.
func (s *Service) handle(pattern string, status int, fn func(context.Context, io.Reader) (any, error)) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		response, err := fn(r.Context(), http.MaxBytesReader(w, r.Body, maxBodyBytes))
		if err != nil {
			s.writeError(w, r, err)
			return
		}

		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(response) // fails only when the client has left
	})
}

func (s *Service) writeError(w http.ResponseWriter, r *http.Request, err error) {
	p, internal := problem.Of(err)
	if internal {
		s.Log.Error("operator request failed", "error", err, "route", r.Pattern)
		p.Detail = err.Error() // the operator may read internal errors
	}

	problem.Write(w, p)
}

// listLinkedPaths answers the commands that write files, which must not replace a linked file.
func (s *Service) listLinkedPaths(context.Context, io.Reader) (any, error) {
	return s.Store.LinkedPaths()
}

func (s *Service) listAccounts(context.Context, io.Reader) (any, error) {
	all, _, err := s.Store.Users(store.Page{}, account.UserFilter{})
	records := make([]Account, 0, len(all))
	for _, a := range all {
		records = append(records, accountRecord(a))
	}
	return records, err
}

// createAccount checks a new account by the rules for sign-up.
func (s *Service) createAccount(ctx context.Context, body io.Reader) (any, error) {
	var n NewAccount
	if err := s.read(body, &n, "NewUser"); err != nil {
		return nil, err
	}
	email, ok := mail.ParseAddress(n.Email)
	if !ok {
		return nil, problem.FieldError("email", "is not an email address")
	}
	name, err := store.ValidName("name", n.Name)
	if err != nil {
		return nil, err
	}
	hash, err := s.passwords.Hash(ctx, "", n.Password)
	if err != nil {
		return nil, err
	}
	user, err := s.Store.AddAccount(
		account.User{Name: name, Username: n.Username, Email: email, PasswordHash: hash, IsAdmin: n.Admin},
	)
	if err != nil {
		return nil, err
	}
	s.Log.Info("operator created account", "user", user.UUID, "admin", user.IsAdmin)
	return s.account(user.UUID)
}

// createToken checks a new access token by the rules of the API.
func (s *Service) createToken(_ context.Context, body io.Reader) (any, error) {
	var n NewToken
	if err := s.read(body, &n, "NewAccessToken"); err != nil {
		return nil, err
	}
	name, err := store.ValidName("name", n.Name)
	if err != nil {
		return nil, err
	}
	user, err := s.Store.UserByEmail(n.Email)
	if err != nil {
		return nil, err
	}
	text, err := auth.NewAccessToken()
	if err != nil {
		return nil, err
	}
	token := account.AccessToken{
		UserUUID: user.UUID, Name: name, Hash: auth.HashToken(text), ReadOnly: n.ReadOnly, ProjectUUID: n.ProjectUUID,
	}
	if n.ExpiresInDays > 0 {
		token.ExpiresAt = new(s.Store.Now().AddDate(0, 0, n.ExpiresInDays))
	}
	if token, err = s.Store.CreateAccessToken(token, user.Epoch); err != nil {
		return nil, err
	}
	s.Log.Info("operator created access token", "user", user.UUID, "token", token.UUID)
	return Token{Token: text}, nil
}

func (s *Service) account(userUUID string) (any, error) {
	a, err := s.Store.Account(userUUID)
	if err != nil {
		return nil, err
	}
	return accountRecord(a), nil
}

// raiseWindow serves a second start of the desktop app.
func (s *Service) raiseWindow(_ context.Context, body io.Reader) (any, error) {
	var files WindowFiles
	if err := s.read(body, &files, ""); err != nil {
		return nil, err
	}
	if s.RaiseWindow == nil {
		return nil, problem.Errorf(
			store.Conflict,
			"no_window",
			"A Roughcut server without a window uses this data directory. Open it in the browser with roughcut open, "+
				"or stop it.",
		)
	}

	s.RaiseWindow(files.Paths)
	return files, nil
}

// launch returns a new link to the running server.
func (s *Service) launch(context.Context, io.Reader) (any, error) {
	if s.Launch == nil {
		return nil, problem.Errorf(store.Conflict, "no_server", "No server runs on this data directory.")
	}
	address, err := s.Launch()
	return LaunchAddress{Address: address}, err
}

func (s *Service) setTier(_ context.Context, body io.Reader) (any, error) {
	var c TierChange
	if err := s.read(body, &c, ""); err != nil {
		return nil, err
	}
	user, err := s.Store.UserByEmail(c.Email)
	if err != nil {
		return nil, err
	}
	if err := s.Store.ChangeAccount(user.UUID, store.AccountChange{Tier: &c.Tier}); err != nil {
		return nil, err
	}
	s.Log.Info("operator set tier", "user", user.UUID, "tier", c.Tier)
	return s.account(user.UUID)
}

func (s *Service) grantAdmin(_ context.Context, body io.Reader) (any, error) {
	var g AdminGrant
	if err := s.read(body, &g, ""); err != nil {
		return nil, err
	}
	user, err := s.Store.UserByEmail(g.Email)
	if err != nil {
		return nil, err
	}
	if err := s.Store.ChangeAccount(user.UUID, store.AccountChange{Admin: new(true)}); err != nil {
		return nil, err
	}
	s.Log.Info("operator granted admin", "user", user.UUID)
	return s.account(user.UUID)
}

// read decodes a body. If schema is not empty, read also checks the body against that schema of the
// contract.
func (s *Service) read(body io.Reader, into any, schema string) error {
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return problem.Errorf(store.Unprocessable, "unprocessable", "The request could not be parsed: %v.", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return problem.Errorf(store.Unprocessable, "unprocessable", "The request could not be parsed: %v.", err)
	}
	if schema == "" {
		return nil
	}
	return s.Contract.CheckSchema(schema, value)
}

// backup streams an archive of all data. If the archive fails midway, backup aborts the connection,
// so that the client sees an incomplete response.
func (s *Service) backup(w http.ResponseWriter, r *http.Request) {
	held, err := s.Store.OpenBackup(r.Context(), s.Version, r.URL.Query().Get("models") == "true")
	if err != nil {
		s.writeError(w, r, err)
		return
	}

	w.Header().Set("Content-Type", "application/x-tar")
	w.Header().Set(BackupBytesHeader, strconv.FormatInt(held.Label.Bytes, 10))
	w.Header().Set(BackupLinkedFilesHeader, strconv.Itoa(len(held.Label.References)))
	err = held.WriteArchive(r.Context(), w)
	if err = errors.Join(err, held.Close()); err != nil {
		s.Log.Warn("backup failed", "error", err)
		panic(http.ErrAbortHandler)
	}

	s.Log.Info("backup sent", "bytes", held.Label.Bytes)
}

func accountRecord(a store.Account) Account {
	return Account{
		UUID:             a.UUID,
		Email:            a.Email,
		Name:             a.Name,
		Username:         a.Username,
		Admin:            a.IsAdmin,
		EmailVerified:    a.EmailVerified,
		Tier:             a.Billing.Tier,
		Status:           a.Billing.SubscriptionStatus,
		ProjectCount:     a.Billing.ProjectCount,
		StorageUsedBytes: a.StorageUsedBytes,
		CreatedAt:        a.CreatedAt.UTC().Format(timeLayout),
	}
}
