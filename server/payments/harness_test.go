package payments

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/store"
	"roughcut/store/account"
	"roughcut/store/billing"
	"roughcut/store/storetest"
)

// mockVersion is the release of stripe-mock, which implements the specification of Stripe's API.
const mockVersion = "v0.203.0"

// world is a Service over a real store with its own clock.
type world struct {
	*Service
	t     *testing.T
	dir   string
	clock *storetest.Clock
}

func newWorld(t *testing.T, provider Provider) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), clock: storetest.NewClock()}
	w.Service = &Service{Provider: provider, BaseURL: "https://cut.example.org", Log: slog.New(slog.DiscardHandler)}
	w.open(w.dir)
	t.Cleanup(func() { _ = w.Store.Close() })
	return w
}

func (w *world) open(dir string) {
	w.t.Helper()
	var err error
	w.Store, err = store.Open(
		w.t.Context(),
		store.Options{Dir: dir, Now: w.clock.Now, MinFreeBytes: 1, Log: slog.New(slog.DiscardHandler)},
	)
	must(w.t, err)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) user(name string) account.User {
	w.t.Helper()
	u, err := w.Store.CreateUser(account.User{Name: name, Username: name, Email: name + "@example.org"})
	must(w.t, err)
	must(w.t, w.Store.VerifyEmail("verify-"+u.UUID, u.UUID, w.clock.Now().Add(time.Hour)))
	return u
}

// customer creates a user with a card.
func (w *world) customer(name string) account.User {
	w.t.Helper()
	u := w.user(name)
	must(w.t, w.Store.SetCustomer(u.UUID, "cus_"+name))
	return u
}

func (w *world) billing(u account.User) store.Billing {
	w.t.Helper()
	b, err := w.Store.Billing(u.UUID)
	must(w.t, err)
	return b
}

func (w *world) tick() {
	w.t.Helper()
	must(w.t, w.ProcessDue(w.t.Context()))
}

// clean checks the invariants of the store.
func (w *world) clean() {
	w.t.Helper()
	found, err := w.Store.Check(w.t.Context())
	must(w.t, err)
	for _, f := range found {
		w.t.Errorf("%s: %s", f.Code, f.Message)
	}
}

// subjects returns the subjects of queued mails and empties the queue.
func (w *world) subjects() (all []string) {
	w.t.Helper()
	due, err := w.Store.DueMails(100)
	must(w.t, err)
	for _, m := range due {
		all = append(all, m.Subject)
		must(w.t, w.Store.MailSent(m.UUID))
	}
	return all
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var e *store.Error
	if !errors.As(err, &e) || e.Code != code || e.Message == "" {
		t.Fatalf("got %v, want %s", err, code)
	}
}

// till is a Provider that charges each key once, as a bank does.
type till struct {
	Ledger
	mu     sync.Mutex
	taken  map[string]int64
	refuse bool
	before func(Charge) error // may fail before charging
	after  func(Charge) error // or after charging
}

func (b *till) Charge(_ context.Context, c Charge) (billing.PaymentOutcome, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.before != nil {
		if err := b.before(c); err != nil {
			return billing.PaymentOutcome{}, err
		}
	}
	if b.refuse {
		return billing.PaymentOutcome{Reason: "The card was declined."}, nil
	}
	if b.taken == nil {
		b.taken = map[string]int64{}
	}
	b.taken[c.Key] = c.AmountCents
	if b.after != nil {
		if err := b.after(c); err != nil {
			return billing.PaymentOutcome{}, err
		}
	}
	return billing.PaymentOutcome{Paid: true, Collected: true, Reference: "pi_" + c.Key}, nil
}

func (b *till) total() (cents int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.taken {
		cents += n
	}
	return cents
}

// stripeMock starts stripe-mock and returns its address.
var stripeMock = sync.OnceValues(func() (*url.URL, error) {
	bin, err := os.MkdirTemp("", "stripe-mock")
	if err != nil {
		return nil, err
	}
	install := exec.Command("go", "install", "github.com/stripe/stripe-mock@"+mockVersion)
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=")
	if out, err := install.CombinedOutput(); err != nil {
		return nil, errors.Join(err, errors.New(string(out)))
	}
	mock := exec.Command(filepath.Join(bin, "stripe-mock"), "-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0")
	out, err := mock.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := mock.Start(); err != nil {
		return nil, err
	}
	stopMock = func() {
		_ = mock.Process.Kill()
		_ = mock.Wait()
		_ = os.RemoveAll(bin)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, address, ok := strings.Cut(lines.Text(), "Listening for HTTP at address: "); ok {
			return url.Parse("http://" + address)
		}
	}
	return nil, errors.New("stripe-mock printed no address")
})

var stopMock = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	stopMock()
	os.Exit(code)
}

// bank is a proxy in front of stripe-mock, which keeps no state. It records requests and controls
// the outcome of charges.
type bank struct {
	*httptest.Server
	mu       sync.Mutex
	asked    []*http.Request // with parsed forms
	charges  map[string]bool // idempotency keys of charges
	change   func(path string, response map[string]any) (status int)
	breaking bool // cut the connection after charging
}

func newBank(t *testing.T) *bank {
	t.Helper()
	mock, err := stripeMock()
	if err != nil {
		t.Fatal(err)
	}
	b := &bank{charges: map[string]bool{}}
	proxy := httputil.NewSingleHostReverseProxy(mock)
	proxy.ModifyResponse = b.modifyResponse
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		noted := r.Clone(context.Background())
		noted.Form, _ = url.ParseQuery(r.URL.RawQuery + "&" + string(body))
		b.mu.Lock()
		b.asked = append(b.asked, noted)
		if r.Method == http.MethodPost && r.URL.Path == "/v1/payment_intents" {
			b.charges[r.Header.Get("Idempotency-Key")] = true
		}
		breaking := b.breaking
		b.mu.Unlock()
		if breaking {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(b.Close)
	return b
}

func (b *bank) modifyResponse(r *http.Response) error {
	var response map[string]any
	if err := json.NewDecoder(r.Body).Decode(&response); err != nil {
		return err
	}
	b.mu.Lock()
	change := b.change
	b.mu.Unlock()
	if change != nil && r.StatusCode == http.StatusOK {
		if status := change(r.Request.Method+" "+r.Request.URL.Path, response); status != 0 {
			r.StatusCode = status
		}
	}
	text, err := json.Marshal(response)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	r.Header.Del("Content-Length")
	return err
}

// set changes the behavior of the bank.
func (b *bank) set(breaking bool, change func(path string, response map[string]any) int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.breaking, b.change = breaking, change
}

// paying makes every charge succeed.
func paying(path string, response map[string]any) int {
	if path == "POST /v1/payment_intents" {
		response["status"] = "succeeded"
	}
	return 0
}

// declining makes every charge fail as Stripe does.
func declining(path string, response map[string]any) int {
	if path != "POST /v1/payment_intents" {
		return 0
	}
	clear(response)
	response["error"] = map[string]any{
		"type":    "card_error",
		"code":    "card_declined",
		"message": "Your card has insufficient funds.",
	}
	return http.StatusPaymentRequired
}

// requests returns the requests to a path.
func (b *bank) requests(path string) (found []*http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.asked {
		if r.Method+" "+r.URL.Path == path {
			found = append(found, r)
		}
	}
	return found
}
