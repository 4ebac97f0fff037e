package peers

import "github.com/momtree/mom/internal/wire"

// passedOver is a master_id that Python syndics ignore a publication for: it is the default of
// their own id, and they skip publications of their own. A minion returns it unchanged.
const passedOver = 1

// askWho sends a find_job to one connection. It is not stored and fires no event. Like a sign-in,
// it waits for its turn at the private key.
func (s *Service) askWho(conn uint64, jid string) error {
	s.o.Signing.Take()
	defer s.o.Signing.Give()
	p := wire.Publication{JID: jid, TgtType: "glob", User: s.o.User, Extra: wire.NewMap("master_id", passedOver)}
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
	return s.o.Publications.SendPeer(conn, plain)
}

// AskedWho reports whether a jid is that of a question for the id behind a connection.
func (s *Service) AskedWho(jid string) bool { return s.who.Asked(jid) }

// answeredWho handles a return that identifies a connection, and reports whether it is one.
func (s *Service) answeredWho(jid, id string, version int) bool {
	//mutant:late-who-answer-is-no-job
	if !s.who.Asked(jid) {
		return false
	}
	conn, ok := s.who.Answered(jid)
	if !ok { // the connection is closed; the next one will be asked
		return true
	}
	if line, stands := s.ConnInfo(conn); stands && version >= 2 {
		//mutant:missed-publications-are-redelivered
		s.o.Publications.SendMissed(conn, id, line.Before)
	}
	s.Named(conn, id)
	return true
}
