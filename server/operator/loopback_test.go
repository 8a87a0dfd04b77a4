package operator

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// openLoopback serves "ok" on a loopback listener, whose file it returns, until the test ends.
func openLoopback(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), SocketName)
	if err := os.WriteFile(path, []byte("127.0.0.1:1 left by a crash"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := listenLoopback(path)
	if err != nil {
		t.Fatal(err)
	}
	service := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok")
	})}
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(listener) }()
	t.Cleanup(func() { service.Close(); <-ended })
	return path
}

func getLoopback(path string) (string, error) {
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialLoopback(ctx, path)
		},
	}}
	response, err := client.Get(URL)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

func TestLoopbackNeedsTheSecretOfItsFile(t *testing.T) {
	path := openLoopback(t)
	if text, err := getLoopback(path); text != "ok" || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	right, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(right))
	zero := strings.Repeat("00", secretBytes)
	for _, wrong := range []string{
		fields[0] + " " + zero + " " + fields[2],
		fields[0] + " " + fields[1] + " " + zero, // another program on the port
		fields[0] + " x x",
		"",
	} {
		if err := os.WriteFile(path, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		if text, err := getLoopback(path); err == nil {
			t.Errorf("%q: %q", wrong, text)
		}
	}
}

func TestLoopbackRefusesRequestsWithoutGreeting(t *testing.T) {
	text, err := os.ReadFile(openLoopback(t))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Get("http://" + strings.Fields(string(text))[0] + "/users")
	if err != nil {
		return
	}
	response.Body.Close()
	if response.StatusCode != http.StatusBadRequest {
		t.Errorf("%s", response.Status)
	}
}
