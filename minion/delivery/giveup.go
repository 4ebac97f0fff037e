package delivery

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
)

// largeReturn is the size from which a broken connection may mean that the return is larger
// than the master accepts.
const largeReturn = 1 << 20

// refused reports whether the master refuses this return, as opposed to a master that cannot be
// reached.
func (s *Sender) refused(ctx context.Context, load []byte, err error) bool {
	switch {
	case errors.Is(err, channel.ErrFailed), errors.Is(err, errBadReturn):
		return true
	case errors.Is(err, channel.ErrRefused):
		return s.serves(ctx)
	case errors.Is(err, channel.ErrNoAnswer) && !errors.Is(err, context.DeadlineExceeded):
		return len(load) > largeReturn && s.serves(ctx)
	}
	return false
}

// serves sends the master a small request that every master answers.
func (s *Sender) serves(ctx context.Context) bool {
	_, err := s.Channel.Request(ctx, wire.NewMap("cmd", "_master_opts", "id", s.Minion, "env_only", true))
	return err == nil
}

// giveUp replaces a return that the master refuses by an error that says so, because otherwise
// the job would wait for this minion forever. If the error is refused, too, nothing is sent.
func (s *Sender) giveUp(seq uint64, load []byte, why error) {
	jid := s.Outbox.jid(seq)
	s.Log.Error("return abandoned: master cannot accept it", "jid", jid, "bytes", len(load), "err", why)
	defer s.Outbox.ack(seq) // after the replacement is stored
	if wire.IsErrorReturn(load) || jid == "" {
		return
	}
	ret, err := wire.ParseReturn(load)
	if err != nil {
		ret = wire.Return{}
	}
	ret.ID, ret.JID = s.Minion, jid
	full, err := wire.Encode(wire.ErrorReturn(ret, wire.NotTaken(ret.ID, s.Master, why)))
	if err == nil {
		//mutant:minion-gives-up-with-an-error
		err = s.Outbox.Push(jid, full)
	}
	if err != nil {
		s.Log.Error("job cannot be declined, the master waits for this minion until its timeout", "jid", jid, "err", err)
	}
}
