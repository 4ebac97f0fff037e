package auth

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// saslauthd is the daemon of Cyrus SASL, which runs as root and keeps the PAM stack out of this program.
// A request on its socket is four texts (name, password, service, realm), each after its length in two
// bytes. The answer is one text that starts with OK or NO.
type saslauthd struct{ socket, service string }

// maxSASL bounds an answer, in bytes.
const maxSASL = 1 << 10

func (s saslauthd) check(ctx context.Context, name, password string) (err error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", s.socket)
	if err != nil {
		return fmt.Errorf("saslauthd: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	var ask []byte
	for _, text := range []string{name, password, s.service, ""} {
		ask = binary.BigEndian.AppendUint16(ask, uint16(len(text))) // short ones: they were checked
		ask = append(ask, text...)
	}
	if _, err := conn.Write(ask); err != nil {
		return s.failed(ctx, err)
	}
	var n [2]byte
	if _, err := io.ReadFull(conn, n[:]); err != nil {
		return s.failed(ctx, err)
	}
	size := int(binary.BigEndian.Uint16(n[:]))
	if size < 2 || size > maxSASL {
		return s.failed(ctx, fmt.Errorf("an answer of %d bytes", size))
	}
	answer := make([]byte, size)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return s.failed(ctx, err)
	}
	switch text := string(answer); {
	case strings.HasPrefix(text, "OK"):
		return nil
	case strings.HasPrefix(text, "NO"):
		return denied("wrong name or password")
	}
	return s.failed(ctx, errors.New("the answer is neither OK nor NO"))
}

func (s saslauthd) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return fmt.Errorf("saslauthd at %s: %w", s.socket, err)
}
