package main

import (
	"context"
	"errors"

	"github.com/momtree/mom/client"
)

// runner calls a runner and waits for its result.
func (s *show) runner(ctx context.Context) error {
	v, err := s.client.Runner(ctx, "manage.up")
	if err != nil {
		return err
	}
	var up []string
	if err := v.Unmarshal(&up); err != nil {
		return err
	}
	s.say("runner: %d minions are up", len(up))
	return nil
}

// startedRunner starts a runner in the background; the result is an event.
func (s *show) startedRunner(ctx context.Context) (err error) {
	events, err := s.client.Subscribe(ctx, "salt/run/") // before, so that nothing is missed
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close()) }()
	run, err := s.client.StartRunner(ctx, client.RunnerCall{Fun: "test.arg", Args: []any{"later"}})
	if err != nil {
		return err
	}
	for e, err := range events.All(ctx) {
		if err != nil {
			return err
		}
		if e.Tag != run.Tag+"/ret" {
			continue
		}
		result, err := e.Data.Field("return")
		if err != nil {
			return err
		}
		s.say("started runner: %s", result)
		break
	}
	return nil
}

// wheel lists the keys of the master.
func (s *show) wheel(ctx context.Context) error {
	v, err := s.client.Wheel(ctx, "key.list_all", nil)
	if err != nil {
		return err
	}
	var keys struct{ Minions []string }
	if err := v.Unmarshal(&keys); err != nil {
		return err
	}
	s.say("wheel: %d keys are accepted", len(keys.Minions))
	return nil
}

// events receives an event that it fires itself.
func (s *show) events(ctx context.Context) (err error) {
	events, err := s.client.Subscribe(ctx, "momclient/")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close()) }()
	if err := s.client.Fire(ctx, "momclient/hello", map[string]any{"text": "to myself"}); err != nil {
		return err
	}
	e, err := events.Next(ctx)
	if err != nil {
		return err
	}
	var data struct{ Text string }
	if err := e.Data.Unmarshal(&data); err != nil {
		return err
	}
	s.say("event: %s says %q", e.Tag, data.Text)
	return nil
}
