package server

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// serveClear serves a clear command from this machine (Salt wire reference §8.1).
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

// entitle checks that the sender may give the command, by its key or login. It decodes nothing else
// of a stranger's load.
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

// entitleLogin authenticates a login. The handler checks what the user may do.
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

// errNoLogins refuses a login for a command that requires a key.
var errNoLogins = errors.New("the command accepts a key only")

// rule returns the access rule of the command for this load.
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

// answerClear answers a clear command.
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
