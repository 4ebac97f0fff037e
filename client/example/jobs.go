package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/client"
)

// follow publishes a job and follows it to its end.
func (s *show) follow(ctx context.Context) (err error) {
	job, err := s.client.Follow(ctx, client.Job{
		Tgt: s.target, Fun: []string{"test.arg"}, Args: []any{"hello", 7}, Kwargs: map[string]any{"who": "momclient"},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, job.Close()) }()
	s.jid = job.JID
	for u, err := range job.Updates(ctx) {
		switch {
		case err != nil:
			return err
		case u.Return != nil:
			var got struct {
				Args   []any
				Kwargs map[string]string
			}
			if err := u.Return.Value.Unmarshal(&got); err != nil {
				return err
			}
			s.say("%s received %v from %s", u.Return.ID, got.Args, got.Kwargs["who"])
		case u.Complete != nil:
			for id, why := range u.Complete.Missing {
				s.say("%s did not answer: %s", id, why.Reason)
			}
			s.say("job complete: %d of %d minions returned", u.Complete.Returned, u.Complete.Expected)
		}
	}
	return nil
}

// lookUp reads the stored returns of that job.
func (s *show) lookUp(ctx context.Context) error {
	n := 0
	for ret, err := range s.client.Returns(ctx, s.jid) {
		if err != nil {
			return err
		}
		if ret.Success {
			n++
		}
	}
	s.say("stored: %d returns", n)
	return nil
}

// refused shows how to distinguish errors.
func (s *show) refused(ctx context.Context) error {
	_, err := s.client.Run(ctx, client.Job{Tgt: "no such group", TgtType: "nodegroup", Fun: []string{"test.ping"}})
	var target *client.TargetError
	var refused *client.Refused
	switch {
	case errors.As(err, &target):
		s.say("bad target: %v", target.Target)
	case errors.As(err, &refused):
		s.say("refused: %s", refused.Name)
	case errors.Is(err, client.ErrNoMatch):
		s.say("no minion matches")
	default:
		return fmt.Errorf("invalid target: %w", err)
	}
	return nil
}
