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

// Plain replies of the request server (Salt wire reference §4). A Python minion that
// gets a short text where it awaits ciphertext signs in again and resends.
const (
	// BadLoad answers what cannot be read, or is more than is looked at.
	BadLoad       = "bad load"
	notAMap       = "payload and load must be a dict"
	handlerRaised = "Some exception handling minion payload"
)

// Clear is the value of a sealed command that is answered in clear (`_pillar`).
type Clear struct{ Value any }

// Held is the value of a sealed command whose answer takes memory that somebody counts.
type Held struct {
	// Parts are the answer as it is packed, one behind the other: the large one needs no copy.
	Parts [][]byte
	// Sealed is called once, when the parts are not needed any more; Release once, when the
	// answer has left or will not be sent.
	Sealed, Release func()
}

// ErrNotNow is wrapped by handlers that cannot answer at the moment, where an empty answer
// would be taken for the truth. The sender is told to ask again.
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

// seal answers with the key the request came under, the nonce in front.
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

// nonceOf is what stands in front of the answer to a request.
func nonceOf(r *Request) string {
	if r.Version < 2 {
		return ""
	}
	return r.Nonce
}

// notStored is the plain reply to what could not be stored: whether nothing can be
// stored now, or this very thing may be at fault.
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
