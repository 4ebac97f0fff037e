package server

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/returners"
)

// Plain replies of the request server (Salt wire reference §4). A Python minion that expects
// ciphertext and gets a short string signs in again and retries.
const (
	// BadLoad answers a request that is invalid or too large.
	BadLoad       = "bad load"
	notAMap       = "payload and load must be a dict"
	handlerRaised = "Some exception handling minion payload"
)

// Clear is the value of an encrypted command that is answered in clear (`_pillar`).
type Clear struct{ Value any }

// Held is the value of an encrypted command whose answer uses limited memory.
type Held struct {
	// Parts is the encoded answer, in pieces to avoid copies of large ones.
	Parts [][]byte
	// Sealed is called once, when the parts are no longer used. Release is called once, when the
	// answer was sent or dropped.
	Sealed, Release func()
}

// ErrNotNow is wrapped by handlers that cannot answer at present, if an empty answer would be
// wrong. The sender is asked to retry.
var ErrNotNow = errors.New("it cannot be answered now")

// answer sends a value in clear.
func (s *Server) answer(req *zmtp.Request, v any) {
	b, err := wire.Encode(v)
	if err != nil {
		s.Log.Error("reply not encoded", "err", err)
		b, _ = wire.Encode(handlerRaised)
	}
	req.Reply(b)
}

// seal encrypts the answer with the key of the request, preceded by the nonce.
func (s *Server) seal(req *zmtp.Request, key *crypt.Crypticle, r *Request, v any) {
	if h, ok := v.(Held); ok {
		body := key.SealParts(func(n int) []byte { return wire.AppendHead(nil, n) }, nonceOf(r), h.Parts...)
		h.Sealed()
		req.ReplyThen(body, h.Release)
		return
	}
	b, err := wire.Encode(v)
	if err != nil {
		s.Log.Error("reply not encoded", "cmd", r.Cmd, "err", err)
		b, _ = wire.Encode("")
	}
	frame, err := key.Seal(nonceOf(r), b)
	if err != nil {
		s.Log.Error("reply not encrypted", "cmd", r.Cmd, "err", err)
		s.answer(req, handlerRaised)
		return
	}
	body, err := wire.Encode(frame)
	if err != nil {
		s.answer(req, handlerRaised)
		return
	}
	req.Reply(body)
}

// nonceOf returns what precedes the answer to a request.
func nonceOf(r *Request) string {
	if r.Version < 2 {
		return ""
	}
	return r.Nonce
}

// notStored returns the plain reply for a load that was not stored: either nothing can be stored at
// present, or the load may be at fault.
func notStored(err error) string {
	for _, passing := range []error{
		jobstore.ErrOutboxFull, returners.ErrFull, returners.ErrUnavailable, returners.ErrCorrupt, returners.ErrClosed,
		context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, passing) {
			return wire.NotNow
		}
	}
	return handlerRaised
}
