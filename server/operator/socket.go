package operator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
)

// SocketName is the name of the socket in the data directory. Users who can open the socket have
// the rights of an operator.
const SocketName = "roughcut.sock"

// URL precedes the path of each request that a client sends through the socket. The host name has
// no meaning.
const URL = "http://roughcut"

// maxSocketPath is a length in bytes that every system accepts for the path of a Unix socket.
const maxSocketPath = 100

// Serve answers the requests of a listener until ctx ends, then closes it.
type Serve func(ctx context.Context, listener net.Listener, handler http.Handler) error

// Do calls do with a client of the operator API for a data directory. It connects to the server
// that has the directory open. Without such a server, Do opens the directory itself: open returns
// the options with an open store, which Do closes after do has returned.
func Do(
	ctx context.Context,
	dir string,
	open func() (Options, error),
	serve Serve,
	do func(*http.Client) error,
) (err error) {
	client, closeClient, err := Connect(ctx, dir)
	switch {
	case err == nil:
		defer closeClient()
		return do(client)
	case errors.Is(err, ErrNotListening):
		return doLocally(open, serve, do)
	}

	return err
}

// ErrNotListening says that no server listens on the socket of a data directory.
var ErrNotListening = errors.New("no Roughcut server uses this data directory")

// Connect returns a client for the server that has a data directory open. It returns
// ErrNotListening without such a server. Call closeClient after the last request.
func Connect(ctx context.Context, dir string) (client *http.Client, closeClient func(), err error) {
	address, closeAddress, err := socketAddress(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, ErrNotListening
	}
	if err != nil {
		return nil, nil, err
	}
	conn, err := dial(ctx, address)
	if err == nil {
		_ = conn.Close() // the connection only shows that a server listens
		return socketClient(address), closeAddress, nil
	}

	closeAddress()
	if errors.Is(err, fs.ErrPermission) {
		return nil, nil, fmt.Errorf("%w; run this command as the user that runs the server", err)
	}
	return nil, nil, ErrNotListening
}

// doLocally serves the operator API from this process while do runs. Its socket is in a temporary
// folder because the one in the data directory belongs to servers.
func doLocally(open func() (Options, error), serve Serve, do func(*http.Client) error) (err error) {
	options, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, options.Store.Close()) }()
	folder, err := os.MkdirTemp("", "roughcut-")
	if err != nil {
		return fmt.Errorf("create a folder for the operator socket: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	socket, err := Listen(folder, options)
	if err != nil {
		return err
	}

	serving, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- socket.Run(serving, serve) }()
	defer func() { stop(); err = errors.Join(err, <-ended) }()
	return do(socketClient(socket.address))
}

func socketClient(address string) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dial(ctx, address)
			},
		},
	}
}

// dial connects to a server. On Windows, address is the file of a loopbackListener.
func dial(ctx context.Context, address string) (net.Conn, error) {
	if runtime.GOOS == "windows" {
		return dialLoopback(ctx, address)
	}
	return (&net.Dialer{}).DialContext(ctx, "unix", address)
}

// Socket is the operator API on a Unix socket, or on Windows on a loopback port with a secret.
type Socket struct {
	service  *Service
	listener net.Listener
	address  string
	close    func()
}

// Listen opens the socket in a directory and replaces one that a crash left behind.
func Listen(dir string, o Options) (*Socket, error) {
	service, err := New(o)
	if err != nil {
		return nil, err
	}
	address, closeAddress, err := socketAddress(dir)
	if err != nil {
		return nil, err
	}
	listen := listenUnix
	if runtime.GOOS == "windows" {
		listen = listenLoopback
	}
	listener, err := listen(address)
	if err != nil {
		closeAddress()
		return nil, fmt.Errorf("open the operator socket: %w", err)
	}

	return &Socket{service: service, listener: listener, address: address, close: closeAddress}, nil
}

// listenUnix creates the socket inside a new folder that only its owner may enter, and moves it
// into place after setting its mode to 0600. So no other user can connect before the mode is set.
func listenUnix(address string) (net.Listener, error) {
	shelter := filepath.Join(filepath.Dir(address), "tmp.sock")
	if err := os.RemoveAll(shelter); err != nil {
		return nil, err
	}
	if err := os.Mkdir(shelter, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(shelter)
	fresh := filepath.Join(shelter, SocketName)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: fresh, Net: "unix"})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	err = os.Chmod(fresh, 0o600)
	if err == nil {
		err = os.Rename(fresh, address)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// Run serves requests until ctx ends, waits for running ones as serve does, and removes the socket.
func (s *Socket) Run(ctx context.Context, serve Serve) error {
	defer s.close()
	err := serve(ctx, s.listener, s.service)
	s.service.Wait()
	return errors.Join(err, os.Remove(s.address))
}

// socketAddress returns a path to the socket of a directory that is short enough for a Unix socket,
// and a function that releases the path. On Linux it shortens long paths through an open directory.
// Other systems return an error for long paths.
func socketAddress(dir string) (address string, release func(), err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	address = filepath.Join(dir, SocketName)
	if runtime.GOOS == "windows" || len(filepath.Join(dir, "tmp.sock", SocketName)) <= maxSocketPath {
		return address, func() {}, nil
	}
	if runtime.GOOS != "linux" {
		return "", nil, fmt.Errorf(
			"the path %s is too long for the operator socket; set DATA_DIR to a shorter path", address,
		)
	}

	folder, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), SocketName), func() { _ = folder.Close() }, nil
}
