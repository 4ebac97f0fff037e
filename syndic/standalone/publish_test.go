package standalone

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/local"
)

// port is the master's request port: it answers each publication as configured.
type port struct {
	router *zmtp.Router
	loads  chan *wire.Map
	answer any
}

// open returns a Local beside such a master.
func (p *port) open(t *testing.T) (l *Local, dir string) {
	t.Helper()
	p.loads = make(chan *wire.Map, 8)
	var err error
	p.router, err = zmtp.ListenRouter("127.0.0.1:0", zmtp.RouterConfig{Log: quiet}, func(r *zmtp.Request) {
		env, err := wire.ParseEnvelope(r.Body)
		if err != nil {
			r.Drop()
			return
		}
		load, err := wire.DecodeMap(env.Load)
		if err != nil {
			r.Drop()
			return
		}
		p.loads <- load
		b, err := wire.Encode(p.answer)
		if err != nil {
			r.Drop()
			return
		}
		r.Reply(b)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.router.Close() })
	s := startSalt(t, bus.Length)
	if err := os.WriteFile(filepath.Join(s.dir, ".root_key"), []byte("local key"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, _ = s.open(func(o *Options) {
		o.Master = client.Options{Addr: p.router.Addr().String(), Cachedir: s.dir, User: "root", Timeout: time.Second}
	})
	return l, s.dir
}

func raw(t *testing.T, v any) wire.Raw {
	t.Helper()
	b, err := wire.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var asks = returners.Note{Kind: returners.NoteOrigin, JID: job1, Key: "above:4506"}

func asked(t *testing.T, l *Local) int {
	t.Helper()
	notes, err := l.Jobs().NotesOf(t.Context(), returners.NoteOrigin, job1)
	if err != nil {
		t.Fatal(err)
	}
	return len(notes)
}

// Requests to a Python master equal those of Salt's client.
func TestPublish_OnTheWire(t *testing.T) {
	p := &port{answer: wire.NewMap("enc", "clear", "load", wire.NewMap("jid", job1, "minions", []any{"m1"}))}
	l, _ := p.open(t)
	args := []any{"a", wire.NewMap("__kwarg__", true, "b", int64(2))}
	err := l.Publish(context.Background(), wire.PublishLoad{
		Tgt: raw(t, "web*"), TgtType: "glob", Fun: raw(t, "test.arg"), Arg: raw(t, args), Ret: "mysql", JID: job1,
		Timeout: raw(t, int64(7)), To: 7, HasTo: true, Kwargs: raw(t, wire.NewMap("user", "sudo_ann", "auth_list", []any{"web*"}, "delimiter", "|")),
	}, asks)
	if err != nil {
		t.Fatal(err)
	}
	if n := asked(t, l); n != 1 {
		t.Errorf("requester stored %d times", n)
	}
	want := wire.NewMap("cmd", "publish", "tgt", "web*", "fun", "test.arg", "arg", args, "key", "local key", "tgt_type", "glob",
		"ret", "mysql", "jid", job1, "timeout", int64(7), "to", int64(7),
		"kwargs", wire.NewMap("auth_list", []any{"web*"}, "delimiter", "|", "user", "sudo_ann"), "user", "root")
	if g, w := fmt.Sprintf("%#v", <-p.loads), fmt.Sprintf("%#v", want); g != w {
		t.Errorf("published\n%s\nwant\n%s", g, w)
	}
	several := wire.PublishLoad{Tgt: raw(t, "*"), Fun: raw(t, []any{"a.b", "c.d"}), Arg: raw(t, []any{[]any{}, []any{"x"}}), JID: job2, Kwargs: raw(t, wire.NewMap())}
	if err := l.Publish(context.Background(), several); err != nil {
		t.Fatal(err)
	}
	if got := <-p.loads; len(got.List("fun")) != 2 || len(got.List("arg")) != 2 {
		t.Errorf("published %#v", got)
	}
}

// Permanent refusals are distinguished from temporary ones.
func TestPublish_WhatTheMasterSays(t *testing.T) {
	refusal := func(name string) any { return wire.NewMap("error", wire.NewMap("name", name, "message", "no")) }
	kinds := []error{local.ErrNoMatch, local.ErrNotNow}
	for name, c := range map[string]struct {
		answer any
		want   error // nil: permanent
	}{
		"invalid":      {refusal("SaltInvocationError"), nil},
		"may not":      {refusal("AuthorizationError"), nil},
		"old key":      {refusal("AuthenticationError"), local.ErrNotNow},
		"disk is full": {refusal("SaltReqTimeoutError"), local.ErrNotNow},
		"nobody":       {wire.NewMap("enc", "clear", "load", wire.NewMap("jid", nil, "minions", []any{}, "error", "nobody")), local.ErrNoMatch},
	} {
		t.Run(name, func(t *testing.T) {
			l, _ := (&port{answer: c.answer}).open(t)
			err := l.Publish(context.Background(), wire.PublishLoad{Tgt: raw(t, "*"), Fun: raw(t, "test.ping"), JID: job1, Kwargs: raw(t, wire.NewMap())}, asks)
			if err == nil {
				t.Fatal("no error")
			}
			if n := asked(t, l); (n == 1) != (c.want == local.ErrNotNow) { // the master may have accepted it
				t.Errorf("requester stored %d times", n)
			}
			for _, kind := range kinds {
				if errors.Is(err, kind) != (kind == c.want) {
					t.Errorf("%v is %v: %v", err, kind, errors.Is(err, kind))
				}
			}
		})
	}
	load := wire.PublishLoad{Tgt: raw(t, "*"), Fun: raw(t, "test.ping"), JID: job1, Kwargs: raw(t, wire.NewMap())}
	p := &port{}
	l, dir := p.open(t)
	if err := os.Remove(filepath.Join(dir, ".root_key")); err != nil {
		t.Fatal(err)
	}
	if err := l.Publish(context.Background(), load); !errors.Is(err, local.ErrNotNow) {
		t.Errorf("without a key: %v", err)
	}
	p = &port{}
	l, _ = p.open(t)
	if err := p.router.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Publish(context.Background(), load); !errors.Is(err, local.ErrNotNow) {
		t.Errorf("without a master: %v", err)
	}
}
