package operator

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

// secretBytes is the length of each of the two secrets of a loopback listener.
const secretBytes = 32

// greetingTime limits how long a server takes to answer the secret of a client.
const greetingTime = 5 * time.Second

// loopbackListener accepts connections on a loopback port from clients that know a secret. It
// replaces a Unix socket on Windows, which supports Unix sockets only from version 1803. A file has
// the address, the clients' secret and the server's secret. So everyone who can read the file has
// the rights of an operator, and no client mistakes another program on the port for the server.
type loopbackListener struct {
	net.Listener
	client, server []byte
}

// listenLoopback opens a port and writes its file, in place of one that a crash left behind.
func listenLoopback(path string) (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &loopbackListener{listener, make([]byte, secretBytes), make([]byte, secretBytes)}
	_, _ = rand.Read(l.client) // never fails
	_, _ = rand.Read(l.server)
	text := fmt.Sprintf("%s %x %x\n", listener.Addr(), l.client, l.server)
	fresh := path + ".new"
	err = os.WriteFile(fresh, []byte(text), 0o600)
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(fresh), listener.Close())
	}
	return l, nil
}

// Accept returns the next connection. Its first Read fails if the client does not know the secret.
func (l *loopbackListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &greetedConn{Conn: conn, greet: sync.OnceValue(func() error { return l.greet(conn) })}, nil
}

func (l *loopbackListener) greet(conn net.Conn) error {
	secret := make([]byte, secretBytes)
	if _, err := io.ReadFull(conn, secret); err != nil {
		return err
	}
	if subtle.ConstantTimeCompare(secret, l.client) != 1 {
		return errors.New("a client does not know the secret of the operator socket")
	}
	_, err := conn.Write(l.server)
	return err
}

// greetedConn is a connection whose reads fail unless the greeting succeeds.
type greetedConn struct {
	net.Conn
	greet func() error
}

func (c *greetedConn) Read(to []byte) (int, error) {
	if err := c.greet(); err != nil {
		return 0, err
	}
	return c.Conn.Read(to)
}

// dialLoopback connects to the server that wrote the file at path. It returns an error if that
// server does not run.
func dialLoopback(ctx context.Context, path string) (net.Conn, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(text))
	if len(fields) != 3 {
		return nil, fmt.Errorf("%s has no address", path)
	}
	client, clientErr := hex.DecodeString(fields[1])
	server, serverErr := hex.DecodeString(fields[2])
	if err := errors.Join(clientErr, serverErr); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", fields[0])
	if err != nil {
		return nil, err
	}
	answer := make([]byte, len(server))
	err = conn.SetDeadline(time.Now().Add(greetingTime))
	if err == nil {
		_, err = conn.Write(client)
	}
	if err == nil {
		_, err = io.ReadFull(conn, answer)
	}
	if err == nil && !bytes.Equal(answer, server) {
		err = errors.New("another program uses the port of the operator socket")
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}
