package server

import (
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// submit queues a costly request, unless it is too large.
func (s *Server) submit(req *zmtp.Request, e *entry, env wire.Envelope) {
	if len(env.Load) > e.Costly.MaxBytes { // check before queueing
		s.Turned.Note(e.Costly.TooLarge, s.Now(), "", "peer", req.Peer.Source(), "reason", fmt.Sprintf("load of %d bytes", len(env.Load)))
		s.answer(req, BadLoad)
		return
	}
	s.costly.Submit(func() { s.serveCostly(req, e, env) }, func() {
		if !req.Peer.Gone() {
			s.Turned.Note(e.Costly.Full, s.Now(), "", "peer", req.Peer.Source())
		}
		req.Drop()
	}, req.Peer.Gone)
}

// serveCostly serves a queued request. It drops the request if the peer has disconnected.
func (s *Server) serveCostly(req *zmtp.Request, e *entry, env wire.Envelope) {
	defer s.rescue(req, e.Name)
	s.Turns.Take()
	defer s.Turns.Give()
	if req.Peer.Gone() {
		s.Stats.HungUp.Add(1)
		req.Drop()
		return
	}
	v, err := e.handle(s.Ctx, &Request{Cmd: e.Name, Load: env.Load, Peer: req.Peer, Version: env.Version})
	s.answerClear(req, e, v, err)
}
