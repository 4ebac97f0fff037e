package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/jobstore"
)

// serveSealed decrypts, checks and serves a request of a minion or node.
func (s *Server) serveSealed(req *zmtp.Request, env wire.Envelope) {
	defer s.rescue(req, env.Enc)
	key, r, err := s.Unseal(env)
	if err != nil {
		s.Refused("request", req.Peer, err)
		if errors.Is(err, ErrNotAMap) {
			s.answer(req, notAMap)
			return
		}
		s.answer(req, BadLoad)
		return
	}
	req.Peer.Trust()
	s.Trusted.Note(req.Peer.Source())
	r.Peer = req.Peer
	if r.Cmd == "" {
		s.Refused("command", req.Peer, fmt.Errorf("a request of %q has no cmd", r.ID))
		s.answer(req, handlerRaised)
		return
	}
	e := s.sealed[r.Cmd]
	//mutant:cve2020-11651-sealed-list
	if e == nil {
		s.seal(req, key, r, wire.NewMap())
		return
	}
	ctx, cancel := context.WithTimeout(s.Ctx, timeout)
	defer cancel()
	done, err := s.weigh(ctx, &e.Command, r.Load)
	switch {
	case err == nil:
		defer done()
	case errors.Is(err, admission.ErrBusy), ctx.Err() != nil:
		s.answer(req, wire.NotNow)
		return
	default:
		s.inVain(ctx, slog.LevelWarn, "request refused", r, err)
		s.seal(req, key, r, "")
		return
	}
	v, err := s.call(ctx, e, r)
	if clear, ok := v.(Clear); ok && err == nil {
		s.answer(req, clear.Value)
		return
	}
	if errors.Is(err, ErrNotStored) {
		// Without an answer the sender would time out. A plain string makes it retry; it keeps the
		// load in its queue until it is stored.
		level := slog.LevelError
		if errors.Is(err, jobstore.ErrOutboxFull) { // logged by the store, once
			level = slog.LevelDebug
		}
		s.Log.Log(ctx, level, "request not stored, not acknowledged", "cmd", r.Cmd, "id", r.ID, "err", err)
		s.answer(req, notStored(err))
		return
	}
	if errors.Is(err, ErrNotNow) {
		s.Log.Log(ctx, slog.LevelDebug, "request not answered, temporary failure", "cmd", r.Cmd, "id", r.ID, "err", err)
		s.answer(req, wire.NotNow)
		return
	}
	if err != nil {
		level := slog.LevelWarn
		if errors.As(err, new(Logged)) {
			level = slog.LevelDebug
		}
		s.inVain(ctx, level, "request failed", r, err)
		v = ""
	}
	s.seal(req, key, r, v)
}

// inVain logs a failed request, at intervals for each peer and command: a peer can send any number.
func (s *Server) inVain(ctx context.Context, level slog.Level, what string, r *Request, err error) {
	n := uint64(1)
	if level > slog.LevelDebug {
		if n = s.vain.Note([2]string{r.Cmd, r.ID}, s.Now()); n == 0 {
			//mutant:failures-share-log-lines
			level = slog.LevelDebug
		}
	}
	s.Log.Log(ctx, level, what, "cmd", r.Cmd, "id", r.ID, "err", err, "times", n) //nolint:sloglint // constant in each caller
}

// call calls the handler for an authorized request.
func (s *Server) call(ctx context.Context, e *entry, r *Request) (v any, err error) {
	switch {
	case e.Who == Node && (!r.Proven || !s.Node(r.ID)):
		s.Refused("node", nil, fmt.Errorf("%s of %q, which is not a node of this master", r.Cmd, r.ID))
		return wire.NewMap(), nil
	case e.Who == Proven && !r.Proven:
		return wire.NewMap(), nil
	}
	begun := time.Now()
	ctx, span := s.traced(ctx, r)
	v, err = e.handle(ctx, r)
	span.End(err)
	e.count.Done(begun, err)
	return v, err
}
