package fault_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roughcut/store/fault"
)

// Errors of real connections become sentences, without the words of Go.
func TestNetworkErrorsAreSentences(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	cutting := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}))
	defer cutting.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	closed.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, c := range []struct{ address, want string }{
		{"http://no-such-host.invalid/", "cannot reach example.org. Is this computer online?"},
		{"http://" + address + "/", "refuses the connection"},
		{secure.URL, "certificate of example.org is not trusted"},
		{cutting.URL, "the connection to example.org failed"},
		{"http://" + silent.Addr().String() + "/", "does not answer"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, cause := http.DefaultClient.Do(request)
		cancel()
		if cause == nil {
			response.Body.Close()
			t.Fatalf("%s responds", c.address)
		}
		text := fault.Network("example.org", cause).Error()
		if !strings.Contains(text, c.want) || strings.Contains(text, "dial") || strings.Contains(text, "tcp") {
			t.Errorf("%s: %q, want %q", c.address, text, c.want)
		}
	}
	other := httptest.NewUnstartedServer(http.NotFoundHandler())
	other.StartTLS()
	defer other.Close()
	transport := other.Client().Transport.(*http.Transport).Clone()
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, other.Listener.Addr().String())
	}
	_, cause := (&http.Client{Transport: transport}).Get("https://mail.invalid/")
	if text := fault.Network("mail.invalid", cause).Error(); !strings.Contains(text, "is for example.com") {
		t.Errorf("a certificate of another host: %q", text)
	}
	if other := errors.New("full"); !errors.Is(fault.Network("example.org", other), other) ||
		fault.Network("example.org", other).Error() != "full" {
		t.Error("an error that is not about the connection is changed")
	}
}
