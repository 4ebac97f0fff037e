package zmtp

import (
	"fmt"
	"io"

	"github.com/go-zeromq/zmq4"
)

// null is the NULL security mechanism, with a READY parser that does not read past its input.
type null struct {
	local ready
	said  bool  // our READY was sent with the greeting
	peer  ready // set by Handshake
}

// Type implements zmq4.Security.
func (*null) Type() zmq4.SecurityType { return zmq4.NullSecurity }

// Handshake implements zmq4.Security: both sides send READY, then check that of the other.
func (s *null) Handshake(c *zmq4.Conn, _ bool) error {
	if !s.said {
		if err := c.SendCmd(zmq4.CmdReady, appendReady(nil, s.local)); err != nil {
			return fmt.Errorf("send READY: %w", err)
		}
	}
	cmd, err := c.RecvCmd()
	if err != nil {
		return fmt.Errorf("receive READY: %w", err)
	}
	switch cmd.Name {
	case zmq4.CmdReady:
	case zmq4.CmdError:
		return fmt.Errorf("%w: %q", ErrPeerRefused, errorReason(cmd.Body))
	default:
		return fmt.Errorf("%w: command %.16q in its place", ErrReady, cmd.Name)
	}
	if s.peer, err = parseReady(cmd.Body); err != nil {
		return err
	}
	// zmq4 panics on an unknown socket type, so it only sees compatible ones.
	if !compatible(s.local.socketType, s.peer.socketType) {
		return fmt.Errorf("%w: a %.16q cannot talk to a %s", ErrReady, s.peer.socketType, s.local.socketType)
	}
	c.Peer.Meta[propSocketType] = s.peer.socketType
	return nil
}

// Encrypt implements zmq4.Security.
func (*null) Encrypt(w io.Writer, b []byte) (int, error) { return w.Write(b) }

// Decrypt implements zmq4.Security.
func (*null) Decrypt(w io.Writer, b []byte) (int, error) { return w.Write(b) }

// compatible reports whether a socket type can talk to one of this package's four.
func compatible(local, peer string) bool {
	switch local {
	case "ROUTER":
		return peer == "REQ" || peer == "DEALER"
	case "PUB":
		return peer == "SUB" || peer == "XSUB"
	case "REQ":
		return peer == "ROUTER" || peer == "REP"
	case "SUB":
		return peer == "PUB" || peer == "XPUB"
	}
	return false
}

// errorReason returns the text of an ERROR command.
func errorReason(b []byte) []byte {
	if len(b) > 0 && int(b[0]) <= len(b)-1 {
		return b[1 : 1+int(b[0])]
	}
	return nil
}
