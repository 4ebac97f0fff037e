package bus

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/posix"
)

// needsSecret reports whether a client of a port has to know a secret. Every user of the machine
// can connect to a port of 127.0.0.1, and an event can start a program. On Unix a port is chosen
// for Salt's programs, which know no secret; on Windows there is nothing else.
var needsSecret = !posix.HasModes

const (
	secretFile = "secret" // in sock_dir
	secretSize = 32
	// secretWait bounds how long a client may take to send the secret.
	secretWait = 5 * time.Second
)

var errSecret = errors.New("the client does not know the secret of sock_dir")

// makeSecret writes a new secret, which only this user and administrators can read.
func makeSecret(dir string) ([]byte, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making sock_dir: %w", err)
	}
	if err := posix.Restrict(dir); err != nil {
		return nil, fmt.Errorf("restrict sock_dir %s: %w", dir, err)
	}
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // never fails
	return secret, durable.WriteFileLazy(filepath.Join(dir, secretFile), secret, 0o600)
}

// prove sends the secret of sock_dir to a server.
func prove(ctx context.Context, c net.Conn, dir string) error {
	secret, err := os.ReadFile(filepath.Join(dir, secretFile))
	if err != nil {
		return err
	}
	if end, ok := ctx.Deadline(); ok {
		_ = c.SetWriteDeadline(end)
		defer func() { _ = c.SetWriteDeadline(time.Time{}) }()
	}
	_, err = c.Write(secret)
	return err
}

// check reads the secret that a client sends first.
func check(c net.Conn, secret []byte) error {
	_ = c.SetReadDeadline(time.Now().Add(secretWait))
	defer func() { _ = c.SetReadDeadline(time.Time{}) }()
	got := make([]byte, len(secret))
	if _, err := io.ReadFull(c, got); err != nil {
		return fmt.Errorf("%w: %w", errSecret, err)
	}
	//mutant:bus-secret
	if subtle.ConstantTimeCompare(got, secret) != 1 {
		return errSecret
	}
	return nil
}
