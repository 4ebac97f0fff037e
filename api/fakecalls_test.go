package api

import (
	"context"
	"fmt"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

func (s *fakeSession) Runner(ctx context.Context, c client.RunnerCall) (client.Raw, error) {
	var err error
	if c.Fun == "jobs.list_job" {
		err = s.mayRead(ctx, fmt.Sprint(c.Args[0]))
	} else {
		_, err = s.mayRun(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	s.f.runners = append(s.f.runners, c)
	if c.Began != nil {
		c.Began(client.Started{JID: "20240101000000000010", Tag: "salt/run/20240101000000000010"})
	}
	var v any
	switch c.Fun {
	case "test.arg":
		kwargs := value.NewMap()
		for k, a := range c.Kwargs {
			kwargs.Set(k, a)
		}
		v = value.NewMap("args", append([]any{}, c.Args...), "kwargs", kwargs)
	case "test.sleep":
		v = true
	case "manage.up":
		v = minionIDs
	case "jobs.lookup_jid", "jobs.list_jobs":
		v = value.NewMap()
	case "jobs.list_job":
		jid := fmt.Sprint(c.Args[0])
		if j := s.f.jobs[jid]; j != nil {
			v = j
			break
		}
		start := ""
		if len(jid) == 20 {
			start = "2024, Jan 01 00:00:00.000000"
		}
		raw, _ := client.RawOf(value.NewMap("jid", jid, "Error", "Cannot contact returner or no job with this jid", "StartTime", start, "Result", value.NewMap()))
		return nil, &client.RunnerError{Fun: c.Fun, Reason: "no job with the id", Value: raw}
	default:
		return nil, &client.RunnerError{Fun: c.Fun, Reason: "'" + c.Fun + "' is not available."}
	}
	return client.RawOf(v)
}

func (s *fakeSession) StartRunner(ctx context.Context, c client.RunnerCall) (client.Started, error) {
	if _, err := s.mayRun(ctx); err != nil {
		return client.Started{}, err
	}
	return client.Started{JID: "20240101000000000009", Tag: "salt/run/20240101000000000009"}, nil
}

func (s *fakeSession) Wheel(ctx context.Context, fun string, kwargs map[string]any) (client.WheelAnswer, error) {
	name, err := s.mayRun(ctx)
	if err != nil {
		return client.WheelAnswer{}, err
	}
	if name == "carol" {
		return client.WheelAnswer{}, refusal("TokenAuthenticationError", `Authentication failure of type "token" occurred for user carol.`)
	}
	tag, jid := "salt/wheel/20240101000000000010", "20240101000000000010"
	var v any
	good := true
	kw, _ := kwargs["kwarg"].(*value.Map)
	switch fun {
	case "key.list_all":
		v = value.NewMap("minions", []any{"syndic-a", "syndic-b", "top-01"}, "minions_pre", []any{}, "minions_rejected", []any{}, "minions_denied", []any{}, "local", []any{"master.pem", "master.pub"})
	case "key.finger":
		v = value.NewMap()
		if kw.String("match") == "top-01" {
			v = value.NewMap("minions", value.NewMap("top-01", "4d:2f:f8:09:a2:48:05:38:37:41:b0:69:e5:e6:7f:14:55:4e:96:71:59:07:83:0a:ee:57:eb:df:bc:83:55:e7"))
		}
	case "key.gen_accept":
		v = value.NewMap("pub", "PUB "+kw.String("id_"), "priv", "PRIV")
		if kw.String("id_") == "top-01" && !kw.Bool("force") {
			v = value.NewMap()
		}
	default:
		v, good = "Exception occurred in wheel "+fun, false
	}
	data, err := client.RawOf(value.NewMap("fun", "wheel."+fun, "jid", jid, "tag", tag, "user", name, "_stamp", "2024-01-01T00:00:00.000000", "return", v, "success", good))
	return client.WheelAnswer{Tag: tag, Data: data}, err
}

func (s *fakeSession) StartWheel(ctx context.Context, fun string, kwargs map[string]any) (client.Started, error) {
	a, err := s.Wheel(ctx, fun, kwargs)
	return client.Started{JID: "20240101000000000010", Tag: a.Tag}, err
}
