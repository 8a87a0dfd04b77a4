package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"roughcut/server/auth"
	"roughcut/store"
)

// BackupBytesHeader of the answer to GET /backup says about how many bytes follow.
const BackupBytesHeader = "X-Backup-Bytes"

// BackupReferencesHeader of the same answer says how many recordings stay where they are and are
// not among those bytes.
const BackupReferencesHeader = "X-Backup-References"

// Operator is what an operator may do from the machine itself: the service of the local socket,
// which is not part of the contract. Who reaches it may do everything; the socket's file mode keeps
// others away.
type Operator struct {
	store     *store.Store
	passwords *auth.Passwords
	contract  *contract
	version   string
	raise     func(files []string)
	log       *slog.Logger
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

// TierChange is the body of PUT /users/tier.
type TierChange struct {
	Email string     `json:"email"`
	Tier  store.Tier `json:"tier"`
}

// AdminGrant is the body of PUT /users/admin.
type AdminGrant struct {
	Email string `json:"email"`
}

// Account is how an operator sees an account.
type Account struct {
	UUID             string     `json:"uuid"`
	Email            string     `json:"email"`
	Name             string     `json:"name"`
	Username         string     `json:"username"`
	Admin            bool       `json:"is_admin"`
	EmailVerified    bool       `json:"email_verified"`
	Tier             store.Tier `json:"tier"`
	Status           string     `json:"subscription_status"`
	ProjectCount     int        `json:"project_count"`
	StorageUsedBytes int64      `json:"storage_used_bytes"`
	CreatedAt        string     `json:"created_at"`
}

// HandedFiles is the body of POST /window.
type HandedFiles struct {
	Paths []string `json:"paths"` // from the root on
}

// NewOperator returns the service over an open store. Version is the program's; raise brings the
// desktop window before the others with files, and is nil without one.
func NewOperator(data *store.Store, version string, raise func(files []string), log *slog.Logger) (*Operator, error) {
	passwords, err := auth.NewPasswords(1, auth.DefaultHashCost)
	if err != nil {
		return nil, err
	}
	rules, err := loadContract()
	if err != nil {
		return nil, err
	}
	o := &Operator{
		store:     data,
		passwords: passwords,
		contract:  rules,
		version:   version,
		raise:     raise,
		log:       log,
		mux:       http.NewServeMux(),
	}
	o.mux.HandleFunc("GET /backup", o.backup)
	o.handle("GET /users", http.StatusOK, o.list)
	o.handle("POST /users", http.StatusCreated, o.create)
	o.handle("PUT /users/tier", http.StatusOK, o.setTier)
	o.handle("PUT /users/admin", http.StatusOK, o.grantAdmin)
	o.handle("POST /window", http.StatusOK, o.raiseWindow)
	return o, nil
}

// ServeHTTP answers one request.
func (o *Operator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.running.Add(1)
	defer o.running.Done()
	o.mux.ServeHTTP(w, r)
}

// Wait returns when no request is being answered any more. Call it once the listener and its
// connections are closed.
func (o *Operator) Wait() { o.running.Wait() }

// handle answers with JSON what fn returns.
func (o *Operator) handle(pattern string, status int, fn func(context.Context, io.Reader) (any, error)) {
	o.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		answer, err := fn(r.Context(), http.MaxBytesReader(w, r.Body, maxBodyBytes))
		if err != nil {
			o.refuse(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(answer) // a client that is gone needs no answer
	})
}

func (o *Operator) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p, fault := problemOf(err, r.Method)
	if fault {
		o.log.Error("request on the local socket failed", "error", err, "route", r.Pattern)
		p.Detail = err.Error() // whoever asks is the operator
	}
	writeProblem(w, p)
}

func (o *Operator) list(context.Context, io.Reader) (any, error) {
	all, _, err := o.store.Users(store.Page{}, "")
	return each(all, operatorRecord), err
}

// create makes an account by the rules that signing up has.
func (o *Operator) create(ctx context.Context, body io.Reader) (any, error) {
	var n NewAccount
	if err := o.read(body, &n, "NewUser"); err != nil {
		return nil, err
	}
	email, err := emailAddress("email", n.Email)
	if err != nil {
		return nil, err
	}
	name, err := store.ValidName("name", n.Name)
	if err != nil {
		return nil, err
	}
	hash, err := o.passwords.Hash(ctx, n.Password)
	if err != nil {
		return nil, err
	}
	user, err := o.store.AddAccount(
		store.User{Name: name, Username: n.Username, Email: email, PasswordHash: hash, IsAdmin: n.Admin},
	)
	if err != nil {
		return nil, err
	}
	o.log.Info("an operator made an account", "user", user.UUID, "admin", user.IsAdmin)
	return o.account(user.UUID)
}

// account is the record of an account as it is now.
func (o *Operator) account(userUUID string) (any, error) {
	a, err := o.store.Account(userUUID)
	if err != nil {
		return nil, err
	}
	return operatorRecord(a), nil
}

// raiseWindow is what a second start of the desktop asks for.
func (o *Operator) raiseWindow(_ context.Context, body io.Reader) (any, error) {
	var handed HandedFiles
	if err := o.read(body, &handed, ""); err != nil {
		return nil, err
	}
	if o.raise == nil {
		return nil, refuse(
			store.Conflict,
			"no_window",
			"Roughcut is running over the same data without a window: open it in the browser, or stop it first.",
		)
	}
	o.raise(handed.Paths)
	return handed, nil
}

func (o *Operator) setTier(_ context.Context, body io.Reader) (any, error) {
	var c TierChange
	if err := o.read(body, &c, ""); err != nil {
		return nil, err
	}
	user, err := o.store.UserByEmail(c.Email)
	if err != nil {
		return nil, err
	}
	if err := o.store.ChangeAccount(user.UUID, store.AccountChange{Tier: &c.Tier}); err != nil {
		return nil, err
	}
	o.log.Info("an operator set a tier", "user", user.UUID, "tier", c.Tier)
	return o.account(user.UUID)
}

func (o *Operator) grantAdmin(_ context.Context, body io.Reader) (any, error) {
	var g AdminGrant
	if err := o.read(body, &g, ""); err != nil {
		return nil, err
	}
	user, err := o.store.UserByEmail(g.Email)
	if err != nil {
		return nil, err
	}
	if err := o.store.ChangeAccount(user.UUID, store.AccountChange{Admin: new(true)}); err != nil {
		return nil, err
	}
	o.log.Info("an operator made an admin", "user", user.UUID)
	return o.account(user.UUID)
}

// read decodes a body, and holds it against a schema of the contract where one is named.
func (o *Operator) read(body io.Reader, into any, schema string) error {
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var value any
	if err := errors.Join(json.Unmarshal(text, &value), json.Unmarshal(text, into)); err != nil {
		return refuse(store.Unprocessable, "unprocessable", "The request could not be read: %v.", err)
	}
	if schema == "" {
		return nil
	}
	if err := o.contract.spec.Components.Schemas[schema].Value.VisitJSON(value, openapi3.MultiErrors()); err != nil {
		return contractError(err)
	}
	return nil
}

// backup streams an archive of all data. One that could not be finished is cut off, which its
// missing end tells.
func (o *Operator) backup(w http.ResponseWriter, r *http.Request) {
	held, err := o.store.OpenBackup(r.Context(), o.version, r.URL.Query().Get("models") == "true")
	if err != nil {
		o.refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/x-tar")
	w.Header().Set(BackupBytesHeader, strconv.FormatInt(held.Label.Bytes, 10))
	w.Header().Set(BackupReferencesHeader, strconv.Itoa(len(held.Label.References)))
	err = held.WriteArchive(r.Context(), w)
	if err = errors.Join(err, held.Close()); err != nil {
		o.log.Warn("a backup ended early", "error", err)
		panic(http.ErrAbortHandler)
	}
	o.log.Info("a backup was made", "bytes", held.Label.Bytes)
}

func operatorRecord(a store.Account) Account {
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
		CreatedAt:        timestamp(a.CreatedAt),
	}
}

// OperatorError reads the answer of a refused request.
func OperatorError(answer *http.Response) error {
	var p problem
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxBodyBytes)).Decode(&p); err != nil || p.Detail == "" {
		return fmt.Errorf("the server answered %s", answer.Status)
	}
	for kind, status := range statuses {
		if status == p.Status {
			return refuse(kind, p.Code, "%s", p.Detail)
		}
	}
	return errors.New(p.Detail)
}
