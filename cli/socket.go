package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"

	"roughcut/server"
	"roughcut/store"
)

// socketName is the local socket in the data directory. Whoever can open it may do what an operator
// may.
const socketName = "roughcut.sock"

// maxSocketPath is how long the path of a Unix socket may be on every system.
const maxSocketPath = 100

// operate calls do with a client that speaks to the operator's service over the data of settings:
// that of the server which has the data directory open, or one that is started here for as long as
// do runs.
func operate(ctx context.Context, build Build, settings settings, do func(*http.Client) error) (err error) {
	address, closeAddress, err := socketAddress(settings.DataDir)
	if err == nil {
		defer closeAddress()
		if conn, err := net.Dial("unix", address); err == nil {
			_ = conn.Close() // only asked whether somebody listens
			return do(socketClient(address))
		} else if errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%w; run this as the user that runs the server", err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return operateHere(ctx, build, settings, do)
}

// operateHere opens the data directory itself. Its socket lies in a folder of its own: that of the
// data directory belongs to servers.
func operateHere(ctx context.Context, build Build, settings settings, do func(*http.Client) error) (err error) {
	log := newLogger(settings.LogLevel)
	data, err := store.Open(ctx, settings.storeOptions(log))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	folder, err := os.MkdirTemp("", "roughcut-")
	if err != nil {
		return fmt.Errorf("making a folder for the local socket: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	service, err := openSocket(folder, build, data, nil, log)
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.run(serving) }()
	defer func() { stop(); err = errors.Join(err, <-ended) }()
	return do(socketClient(service.address))
}

func socketClient(address string) *http.Client {
	var dialer net.Dialer
	return &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, "unix", address)
			},
		},
	}
}

// localSocket is the operator's service listening in a data directory.
type localSocket struct {
	operator *server.Operator
	listener net.Listener
	address  string
	close    func()
}

// openSocket begins to listen in a folder, in place of a socket that a crash left there. The socket
// is made in a new folder, which only its owner may enter, and takes its place with its mode set.
// raise brings the desktop window before the others; it is nil without one.
func openSocket(
	dir string,
	build Build,
	data *store.Store,
	raise func(files []string),
	log *slog.Logger,
) (*localSocket, error) {
	operator, err := server.NewOperator(data, build.Version, raise, log)
	if err != nil {
		return nil, err
	}
	address, closeAddress, err := socketAddress(dir)
	if err != nil {
		return nil, err
	}
	shelter := filepath.Join(filepath.Dir(address), "tmp.sock")
	if err := errors.Join(os.RemoveAll(shelter), os.Mkdir(shelter, 0o700)); err != nil {
		closeAddress()
		return nil, fmt.Errorf("opening the local socket: %w", err)
	}
	defer os.RemoveAll(shelter)
	fresh := filepath.Join(shelter, socketName)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: fresh, Net: "unix"})
	if err != nil {
		closeAddress()
		return nil, fmt.Errorf("opening the local socket: %w", err)
	}
	listener.SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(fresh, 0o600), os.Rename(fresh, address)); err != nil {
		err = errors.Join(err, listener.Close())
		closeAddress()
		return nil, fmt.Errorf("opening the local socket: %w", err)
	}
	return &localSocket{operator: operator, listener: listener, address: address, close: closeAddress}, nil
}

// run answers until ctx ends, then gives requests under way shutdownGrace, and removes the socket.
func (l *localSocket) run(ctx context.Context) error {
	defer l.close()
	err := listen(ctx, l.listener, server.HTTP(l.operator), noStreams)
	l.operator.Wait()
	return errors.Join(err, os.Remove(l.address))
}

// socketAddress returns where the socket of a data directory is, by a path that is short enough for
// one, and what is to be called when the path is no longer needed. On Linux a long path is
// shortened by an open folder; elsewhere it is refused.
func socketAddress(dir string) (address string, done func(), err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	address = filepath.Join(dir, socketName)
	if len(filepath.Join(dir, "tmp.sock", socketName)) <= maxSocketPath {
		return address, func() {}, nil
	}
	if runtime.GOOS != "linux" {
		return "", nil, fmt.Errorf("the path %s is too long for the local socket; give DATA_DIR a shorter one", address)
	}
	folder, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), socketName), func() { _ = folder.Close() }, nil
}
