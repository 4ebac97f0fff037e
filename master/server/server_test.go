package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// said is the answer of a test command.
func said(_ context.Context, r *Request) (any, error) { return "done for " + r.User + r.ID, nil }

// shown returns a value for comparison: a refusal by its name.
func shown(v any) string {
	if m, ok := v.(*wire.Map); ok && m.Map("error") != nil {
		return m.Map("error").String("name")
	}
	if m, ok := v.(*wire.Map); ok && m.Len() == 0 {
		return "{}"
	}
	return fmt.Sprint(v)
}

// A clear command is served to those its rule names, whatever else they send, and never to an
// encrypted request.
func TestRulesInClear(t *testing.T) {
	var called atomic.Int64
	s := serve(t, func(s *Server) {
		for name, who := range map[string]Who{"anyone": Anyone, "user": User, "operator": Operator} {
			s.Add(Command{Name: name, Who: who, Doc: "Says who asks."}, func(ctx context.Context, r *Request) (any, error) {
				called.Add(1)
				return said(ctx, r)
			})
		}
		s.Add(Command{
			Name: "calls", Who: Operator, Doc: "Calls functions.", NoAccess: AuthenticationFailed,
			WhoOf: func(fun string) Who {
				if fun == "for.users" {
					return User
				}
				return Operator
			},
		}, said)
	})
	const denied = "AuthenticationError"
	for _, c := range []struct {
		cmd  string
		with []any
		want string
	}{
		{"anyone", nil, "done for "},
		{"anyone", []any{"key", "the key of fred"}, "done for "},
		{"user", nil, denied},
		{"user", []any{"key", "guessed"}, denied},
		{"user", []any{"key", strings.Repeat("x", maxName+1)}, denied},
		{"user", []any{"key", 7}, denied},
		{"user", []any{"key", "the key of fred"}, "done for fred"},
		{"user", []any{"key", "the key of root"}, "done for root"},
		{"user", []any{"key", "the key of root", "token", nil}, denied},
		{"user", []any{"key", "the key of root", "kwargs", wire.NewMap("eauth", "pam")}, denied},
		{"operator", []any{"key", "the key of fred", "user", "root"}, denied},
		{"operator", []any{"key", "the key of root", "user", "fred"}, "done for root"},
		{"calls", []any{"fun", "for.users", "key", "the key of fred"}, "done for fred"},
		{"calls", []any{"fun", "for.users", "key", "guessed"}, "UserAuthenticationError"},
		{"calls", []any{"fun", "other", "key", "the key of fred"}, "UserAuthenticationError"},
		{"calls", []any{"fun", "other", "key", "the key of root"}, "done for root"},
		{"calls", []any{"fun", "for.users", "key", "the key of root", "token", "x"}, "TokenAuthenticationError"},
		{"calls", []any{"fun", "for.users", "key", "the key of root", "eauth", "x"}, "EauthAuthenticationError"},
		{"no such", nil, "{}"},
	} {
		load := wire.NewMap(append([]any{"cmd", c.cmd}, c.with...)...)
		if got := shown(s.say(load)); got != c.want {
			t.Errorf("%s with %v: %s, want %s", c.cmd, c.with, got, c.want)
		}
	}
	was := called.Load()
	for _, cmd := range []string{"anyone", "user", "operator"} {
		if got := shown(s.send(wire.NewMap("cmd", cmd, "id", "m1", "tok", s.tok, "key", "the key of root"))); got != "{}" || called.Load() != was {
			t.Errorf("%s of a minion: %s", cmd, got)
		}
	}
}

// An encrypted command is served to those its rule names. In protocol 2 a request may lack the
// proof.
func TestRulesSealed(t *testing.T) {
	s := serve(t, func(s *Server) {
		for name, who := range map[string]Who{"peer": Peer, "proven": Proven, "node": Node} {
			s.Add(Command{Name: name, Who: who, Doc: "Says who asks."}, said)
		}
	})
	for _, c := range []struct {
		cmd, id string
		tok     any
		want    string
	}{
		{"peer", "m1", nil, "done for m1"},
		{"peer", "m1", s.tok, "done for m1"},
		{"peer", "m1", []byte("wrong"), BadLoad},
		{"proven", "m1", nil, "{}"},
		{"proven", "m1", s.tok, "done for m1"},
		{"proven", "stranger", s.tok, BadLoad},
		{"node", "n1", nil, "{}"},
		{"node", "m1", s.tok, "{}"},
		{"node", "n1", s.tok, "done for n1"},
		{"no such", "m1", s.tok, "{}"},
		{"", "m1", s.tok, handlerRaised},
	} {
		load := wire.NewMap("cmd", c.cmd, "id", c.id)
		if c.tok != nil {
			load.Set("tok", c.tok)
		}
		if got := shown(s.send(load)); got != c.want {
			t.Errorf("%s of %s with tok %v: %s, want %s", c.cmd, c.id, c.tok != nil, got, c.want)
		}
		if got := shown(s.say(load)); c.cmd != "" && got != "{}" {
			t.Errorf("%s in clear: %s", c.cmd, got)
		}
	}
}

// The result of a handler reaches the sender in its form.
func TestAnswers(t *testing.T) {
	errs := map[string]error{
		"logged":   fmt.Errorf("m1: %w", Logged("it was logged")),
		"stored":   fmt.Errorf("%w: %w", ErrNotStored, context.DeadlineExceeded),
		"at fault": fmt.Errorf("%w: the disk says no", ErrNotStored),
		"refused":  Refusal{"SomeError", "no"},
		"failed":   errors.New("because"),
	}
	s := serve(t, func(s *Server) {
		fail := func(_ context.Context, r *Request) (any, error) {
			m, err := wire.DecodeMap(r.Load)
			if err != nil {
				return nil, err
			}
			return Clear{"in clear"}, errs[m.String("how")]
		}
		s.Add(Command{Name: "sealed", Who: Peer, Doc: "Fails."}, fail)
		s.Add(Command{Name: "clear", Who: Anyone, Doc: "Fails."}, func(ctx context.Context, r *Request) (any, error) {
			_, err := fail(ctx, r)
			return "done", err
		})
		s.Add(Command{Name: "panics", Who: Peer, Doc: "Panics."}, func(context.Context, *Request) (any, error) { panic("boom") })
	})
	for how, want := range map[string]string{
		"": "in clear", "logged": "", "stored": wire.NotNow, "at fault": handlerRaised, "refused": "", "failed": "",
	} {
		if got := shown(s.send(wire.NewMap("cmd", "sealed", "id", "m1", "how", how))); got != want {
			t.Errorf("%s: %q, want %q", how, got, want)
		}
	}
	for how, want := range map[string]Refusal{"refused": {"SomeError", "no"}, "failed": {"SaltInvocationError", "clear: because"}} {
		got := s.say(wire.NewMap("cmd", "clear", "how", how)).(*wire.Map).Map("error")
		if got.String("name") != want.Name || got.String("message") != want.Message {
			t.Errorf("%s: %v, want %v", how, got, want)
		}
	}
	if got := s.send(wire.NewMap("cmd", "panics", "id", "m1")); got != handlerRaised || s.Stats.Panics.Load() != 1 {
		t.Errorf("a panic: %v, %d counted", got, s.Stats.Panics.Load())
	}
}

// A load with too many values does not reach its handler, unless the command leaves them undecoded.
func TestTooManyValues(t *testing.T) {
	many := wire.Raw(append(binary.BigEndian.AppendUint32([]byte{0xdd}, MaxValues), strings.Repeat("\xc0", MaxValues)...))
	s := serve(t, func(s *Server) {
		s.Add(Command{Name: "plain", Who: Peer, Doc: "Is not called."}, said)
		s.Add(Command{Name: "whole", Who: Peer, Whole: true, Doc: "Does not decode it."}, said)
	})
	if got := s.send(wire.NewMap("cmd", "plain", "id", "m1", "x", many)); got != "" {
		t.Errorf("got %v", got)
	}
	if got := s.send(wire.NewMap("cmd", "whole", "id", "m1", "x", many)); got != "done for m1" {
		t.Errorf("got %v", got)
	}
}

// An incomplete declaration panics at program start.
func TestRegister(t *testing.T) {
	nothing := func(int) Handler { return said }
	for name, c := range map[string]Command{
		"no rule":                  {Name: "x", Doc: "Does x."},
		"no such rule":             {Name: "x", Doc: "Does x.", Who: Node + 1},
		"no documentation":         {Name: "x", Who: Peer},
		"an undocumented argument": {Name: "x", Who: Peer, Doc: "Does x.", Args: []string{"tgt"}},
		"costly, with a key":       {Name: "x", Who: User, Doc: "Does x.", Costly: &Costly{}},
		"whole, in clear":          {Name: "x", Who: User, Doc: "Does x.", Whole: true},
		"by function, sealed":      {Name: "x", Who: Peer, Doc: "Does x.", WhoOf: func(string) Who { return User }},
		"words for local users":    {Name: "x", Who: Peer, Doc: "Does x.", NoAccess: AuthenticationFailed},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: registered", name)
				}
			}()
			(&Set[int]{}).Register(c, nothing)
		}()
	}
	var set Set[int]
	set.Register(Command{Name: "x", Who: Peer, Doc: "Does x."}, nothing)
	set.Register(Command{Name: "x", Who: Anyone, Doc: "Does x in clear."}, nothing)
	if got := len(set.Commands()); got != 2 {
		t.Errorf("%d commands", got)
	}
	s := New(Options{})
	set.AddTo(s, 0)
	if got := len(s.Commands()); got != 2 {
		t.Errorf("%d are served", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a name was taken twice")
		}
	}()
	set.AddTo(s, 0)
}

// Scanning the load of a stranger is safe, whatever it contains.
func FuzzClearLoad(f *testing.F) {
	for _, m := range []*wire.Map{
		wire.NewMap("cmd", "publish", "fun", []any{"a", "b"}, "user", "root", "kwargs", wire.NewMap("token", nil)),
		wire.NewMap("cmd", 7, "eauth", "pam", "kwargs", "x"),
	} {
		b, err := wire.Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(b))
	}
	f.Add([]byte{0x81, 0xa3})
	f.Fuzz(func(t *testing.T, b []byte) {
		name, err := nameOf(b)
		user, fun := namesOf(b)
		if len(name) > maxName || len(user) > maxName || len(fun) > maxName {
			t.Errorf("names of %d, %d and %d bytes", len(name), len(user), len(fun))
		}
		if _, by, lerr := proofOf(b); err != nil && (by != "" || lerr == nil) {
			t.Errorf("a login %q in what cannot be read: %v", by, lerr)
		}
	})
}

// lines counts log lines.
type lines struct {
	slog.Handler
	n atomic.Int64
}

func (l *lines) Handle(context.Context, slog.Record) error { l.n.Add(1); return nil }

// Attack: a minion keeps sending requests that fail. The log reports them at intervals for each
// command and minion.
func TestFailures_Log(t *testing.T) {
	log := &lines{Handler: slog.NewTextHandler(new(bytes.Buffer), nil)}
	s := serve(t, func(s *Server) {
		s.Log = slog.New(log)
		for _, cmd := range []string{"a", "b"} {
			s.Add(Command{Name: cmd, Who: Peer, Doc: "Fails."}, func(context.Context, *Request) (any, error) { return nil, errors.New("because") })
		}
	})
	for _, c := range []struct {
		cmd, id string
		want    int64
	}{{"a", "m1", 1}, {"a", "m1", 1}, {"b", "m1", 2}, {"a", "n1", 3}, {"a", "m1", 3}} {
		s.send(wire.NewMap("cmd", c.cmd, "id", c.id, "tok", s.tok))
		if n := log.n.Load(); n != c.want {
			t.Errorf("%s of %s: %d lines, want %d", c.cmd, c.id, n, c.want)
		}
	}
}
