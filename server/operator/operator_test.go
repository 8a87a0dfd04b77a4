package operator

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"roughcut/server/contract"
	"roughcut/server/problem"
	"roughcut/store"
	"roughcut/store/storetest"
)

// openStore returns the options of the operator API for a data directory.
func openStore(t *testing.T, dir string) Options {
	t.Helper()
	yaml, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := contract.Read(yaml)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	options := store.Options{Dir: dir, Now: storetest.NewClock().Now, MinFreeBytes: 1, Log: log}
	data, err := store.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Store: data, Contract: rules, Version: "test", Log: log}
}

// serve answers requests until ctx ends.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// listen serves the operator API of a data directory until the test ends.
func listen(t *testing.T, dir string, o Options) {
	t.Helper()
	socket, err := Listen(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- socket.Run(ctx, serve) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, o.Store.Close()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(dir, SocketName)); !os.IsNotExist(err) {
			t.Errorf("the socket still exists: %v", err)
		}
	})
}

// send sends a request and decodes the response into a value.
func send(t *testing.T, client *http.Client, method, path, body string, into any) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return problem.Read(response)
	}
	return json.NewDecoder(response.Body).Decode(into)
}

const ada = `{"email":"ada@example.org","name":"Ada","username":"ada","password":"correct horse battery"}`

func TestAccountsOverSocket(t *testing.T) {
	dir := t.TempDir()
	listen(t, dir, openStore(t, dir))
	if info, err := os.Stat(filepath.Join(dir, SocketName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v %v", info, err)
	}
	client, closeClient, err := Connect(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer closeClient()

	var account Account
	if err := send(t, client, "POST", "/users", ada, &account); err != nil || account.Email != "ada@example.org" {
		t.Fatalf("created %+v, %v", account, err)
	}
	err = send(t, client, "PUT", "/users/admin", `{"email":"ada@example.org"}`, &account)
	if err != nil || !account.Admin {
		t.Errorf("account after the grant: %+v, %v", account, err)
	}
	err = send(t, client, "PUT", "/users/tier", `{"email":"ada@example.org","tier":"viral"}`, &account)
	if err != nil || account.Tier != "viral" {
		t.Errorf("account after the change: %+v, %v", account, err)
	}
	var all []Account
	if err := send(t, client, "GET", "/users", "", &all); err != nil || len(all) != 1 || all[0] != account {
		t.Errorf("accounts %+v, %v", all, err)
	}
}

func TestAccountErrors(t *testing.T) {
	dir := t.TempDir()
	listen(t, dir, openStore(t, dir))
	client, closeClient, err := Connect(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer closeClient()
	var account Account
	if err := send(t, client, "POST", "/users", ada, &account); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, path, body string
		kind               store.Kind
	}{
		{"POST", "/users", ada, store.Conflict},
		{"POST", "/users", `{"email":"eve@example.org"}`, store.Unprocessable},
		{"POST", "/users", strings.Replace(ada, "correct horse battery", "short", 1), store.Unprocessable},
		{"POST", "/users", strings.Replace(ada, "ada@example.org", "Ada <ada@example.org>", 1), store.Unprocessable},
		{"POST", "/users", ada + "trailing", store.Unprocessable},
		{"PUT", "/users/admin", `{"email":"eve@example.org"}`, store.NotFound},
		{"PUT", "/users/tier", `{"email":"ada@example.org","tier":"gold"}`, store.Unprocessable},
		{"POST", "/window", `{"paths":[]}`, store.Conflict},
	} {
		if err := send(t, client, c.method, c.path, c.body, &account); !store.IsKind(err, c.kind) {
			t.Errorf("%s %s %s: got %v, want kind %d", c.method, c.path, c.body, err, c.kind)
		}
	}
}

func TestRaiseWindowPassesFiles(t *testing.T) {
	dir := t.TempDir()
	o := openStore(t, dir)
	raised := make(chan []string, 1)
	o.RaiseWindow = func(files []string) { raised <- files }
	listen(t, dir, o)
	client, closeClient, err := Connect(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer closeClient()
	var files WindowFiles
	if err := send(t, client, "POST", "/window", `{"paths":["/tmp/talk.mp4"]}`, &files); err != nil {
		t.Fatal(err)
	}
	if got := <-raised; !slices.Equal(got, []string{"/tmp/talk.mp4"}) {
		t.Errorf("raised with %q", got)
	}
}

// Without a server Do opens the data directory itself. The path may exceed the limit of Unix
// sockets on Linux.
func TestDoWithoutServer(t *testing.T) {
	dir := t.TempDir()
	if runtime.GOOS == "linux" {
		dir = filepath.Join(dir, strings.Repeat("long", 30))
	}
	opened := 0
	open := func() (Options, error) {
		opened++
		return openStore(t, dir), nil
	}
	var all []Account
	for range 2 {
		err := Do(t.Context(), dir, open, serve, func(client *http.Client) error {
			return send(t, client, "GET", "/users", "", &all)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if opened != 2 {
		t.Errorf("opened the data directory %d times, want 2", opened)
	}
	if _, _, err := Connect(t.Context(), dir); !errors.Is(err, ErrNotListening) {
		t.Errorf("connect after Do: %v", err)
	}

	listen(t, dir, openStore(t, dir))
	err := Do(t.Context(), dir, open, serve, func(client *http.Client) error {
		return send(t, client, "GET", "/users", "", &all)
	})
	if err != nil || opened != 2 {
		t.Errorf("with a server: %v, opened the data directory %d times", err, opened)
	}
}

func TestListenReplacesSocketOfCrash(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, SocketName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	listen(t, dir, openStore(t, dir))
	_, closeClient, err := Connect(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	closeClient()
}
