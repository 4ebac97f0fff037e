package peers

import "github.com/momtree/mom/internal/wire"

// passedOver is a master_id by which Python syndics pass a publication over: they
// compare it with their own, and take this number for theirs where none is set. A
// minion sends it back and does nothing else with it.
const passedOver = 1

// askWho publishes a find_job to one connection alone. Nothing is stored, and the bus
// hears nothing of it. Like sign-ins it takes its turn at the private key.
func (s *Service) askWho(conn uint64, jid string) error {
	s.p.Signing.Take()
	defer s.p.Signing.Give()
	p := wire.Publication{JID: jid, TgtType: "glob", User: s.p.User, Extra: wire.NewMap("master_id", passedOver)}
	var err error
	for field, v := range map[*wire.Raw]any{&p.Fun: findJob, &p.Arg: []any{jid}, &p.Tgt: "*"} {
		if *field, err = wire.Encode(v); err != nil {
			return err
		}
	}
	plain, err := p.Encode()
	if err != nil {
		return err
	}
	return s.p.Send(conn, plain)
}

// AskedWho tells whether a jid is that of a question who hangs on a connection.
func (s *Service) AskedWho(jid string) bool { return s.who.Asked(jid) }

// answeredWho takes a return if it answers who hangs on a connection.
func (s *Service) answeredWho(jid, id string, version int) bool {
	//mutant:late-who-answer-is-no-job
	if !s.who.Asked(jid) {
		return false
	}
	conn, ok := s.who.Answered(jid)
	if !ok { // the connection is gone: it will be asked on its next one
		return true
	}
	if line, stands := s.ConnInfo(conn); stands && version >= 2 {
		//mutant:missed-publications-are-redelivered
		s.p.GiveMissed(conn, id, line.Before)
	}
	s.Named(conn, id)
	return true
}
