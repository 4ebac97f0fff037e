package server

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// serveClear serves a command of this machine (Salt wire reference §8.1).
func (s *Server) serveClear(req *zmtp.Request, e *entry, env wire.Envelope) {
	defer s.rescue(req, e.Name)
	ctx, cancel := context.WithTimeout(s.Ctx, timeout)
	defer cancel()
	r := &Request{Cmd: e.Name, Load: env.Load, Peer: req.Peer, Version: env.Version}
	if e.Who != Anyone {
		if err := s.entitle(ctx, e, r); err != nil {
			s.answerClear(req, e, nil, err)
			return
		}
		done, err := s.weigh(ctx, &e.Command, r.Load)
		if err != nil {
			s.answerClear(req, e, nil, Invalid("%s: %v", e.Name, err))
			return
		}
		defer done()
	}
	ctx, span := s.traced(ctx, r)
	v, err := e.handle(ctx, r)
	span.End(err)
	s.answerClear(req, e, v, err)
}

// entitle tells whether a command comes from somebody who may give it, by the key or the
// login alone: nothing else of a stranger's load is decoded.
func (s *Server) entitle(ctx context.Context, e *entry, r *Request) error {
	proof, by, err := proofOf(r.Load)
	if err != nil {
		return Invalid("%s: %v", e.Name, err)
	}
	//mutant:cve2020-25592-login,login-before-key
	if by != "" {
		proof.From = s.From(r)
		r.From = proof.From
		return s.entitleLogin(ctx, e, r, proof, by)
	}
	//mutant:key-before-decoding
	f, err := wire.Pick(r.Load, atDoor, "key")
	key := ""
	if err == nil {
		key = textUpTo(f[0], maxName)
	}
	owner, ok := s.User(key)
	if ok && owner != s.Own { // who may do everything
		ok = e.rule(r.Load) == User
	}
	//mutant:cve2020-25592-key
	if !ok {
		user, fun := namesOf(r.Load)
		s.RefusedUser(e.Name, user, fun)
		return e.noAccess("user")
	}
	r.User = owner
	return nil
}

// entitleLogin asks who has logged in. What such a user may do with the command, its
// handler knows.
func (s *Server) entitleLogin(ctx context.Context, e *entry, r *Request, p Proof, by string) error {
	err := errNoLogins
	if e.Logins {
		var l Login
		//mutant:wrong-login
		if l, err = s.Logins.Identify(ctx, p); err == nil {
			l.By, r.Login = by, &l
			return nil
		}
	}
	_, fun := namesOf(r.Load)
	s.RefusedUser(e.Name+" with "+by+": "+err.Error(), p.Username, fun)
	return e.noAccess(by)
}

// errNoLogins is a command that only those with a key may give.
var errNoLogins = errors.New("the command is given with a key alone")

// rule is who may give the command with this load.
func (e *entry) rule(load wire.Raw) Who {
	if e.WhoOf == nil {
		return e.Who
	}
	_, fun := namesOf(load)
	return e.WhoOf(fun)
}

func (e *entry) noAccess(with string) error {
	if e.NoAccess != nil {
		return e.NoAccess(with)
	}
	return ErrNoAccess
}

// answerClear answers a command in clear.
func (s *Server) answerClear(req *zmtp.Request, e *entry, v any, err error) {
	if err != nil {
		var no Refusal
		if !errors.As(err, &no) {
			no = Invalid("%s: %v", e.Name, err)
		}
		v = no.reply()
	}
	s.answer(req, v)
}
