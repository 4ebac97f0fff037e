package syndic

import (
	"errors"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// oweMoved makes every master above one that the words on a job are owed to, as its
// returns are, see [strangers], when a minion has come at work on it and nobody has
// asked this node for it. One that did not ask keeps what another one may be waiting
// for.
func (s *Syndic) oweMoved(e bus.Event) {
	p := s.parents
	if len(p.links) < 2 || !jid.Valid(e.Tag) || !moved(e.Data) || len(p.origins.of(e.Tag, "")) > 0 {
		return
	}
	for _, l := range p.links {
		if _, _, err := p.origins.learn(l.ch.Addr(), e.Tag, "", false); err != nil {
			l.log.Error("To whom the returns of a job are owed will not be known after a restart", "jid", e.Tag, "err", err)
		}
	}
}

// moved tells whether an expectation is that of minions that came at work on the
// job.
func moved(data wire.Raw) bool {
	err := wire.Fields(data, func(key string, val wire.Raw) error {
		if key != "mom" {
			return nil
		}
		return wire.Fields(val, func(key string, val wire.Raw) error {
			if key == "moved" && wire.Truth(val) {
				return errFound
			}
			return nil
		})
	})
	return errors.Is(err, errFound)
}
