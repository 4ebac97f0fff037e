package redis

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
	"github.com/momtree/mom/returners/redis/redistest"
	"github.com/momtree/mom/returners/returnertest"
)

func TestDrain(t *testing.T) {
	s := redistest.Start(t)
	returnertest.RunDrain(t, s, memory.Open(nil), open(t, s, func(o *Options) { o.Timeout = 5 * time.Second }))
}

// fails checks the class of an error, what it wraps and what it says.
func fails(t *testing.T, what string, err error, class string, sentinel error, text string) {
	t.Helper()
	if returners.Class(err) != class || !errors.Is(err, sentinel) || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: class %s: %v", what, returners.Class(err), err)
	}
}

func TestMemoryFull(t *testing.T) {
	srv := redistest.Start(t, "--maxmemory", "4mb", "--maxmemory-policy", "noeviction")
	s, c := open(t, srv), raw(t, srv)
	var err error
	stored := 0
	for job := 0; err == nil && job < 100; job++ {
		if err = s.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, job, "m", "test.echo", strings.Repeat("x", 200_000))}); err == nil {
			stored++
		}
	}
	fails(t, "returns", err, returners.ClassFull, returners.ErrFull, "maxmemory")
	must(t, c.ConfigSet(t.Context(), "maxmemory", "1").Err())
	fails(t, "a load", s.SaveLoads(t.Context(), []returners.Load{returnertest.Load(t, 1, "test.ping", "*")}), returners.ClassFull, returners.ErrFull, "OOM")
	fails(t, "an expectation", s.SaveExpectations(t.Context(), []returners.Expectation{{JID: returnertest.JID(1), Minions: []string{"m"}}}), returners.ClassFull, returners.ErrFull, "OOM")
	if stored == 0 {
		t.Error("nothing was stored before")
	}
	must(t, c.ConfigSet(t.Context(), "maxmemory", "0").Err())
	must(t, s.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, stored, "m", "test.ping", true)}))
}

func errOf[T any](_ T, err error) error { return err }

func TestAccess(t *testing.T) {
	srv := redistest.Start(t, "--requirepass", "hush")
	acl := func(words ...any) {
		t.Helper()
		admin := raw(t, srv).Pipeline()
		admin.Do(t.Context(), "auth", "hush")
		admin.Do(t.Context(), append([]any{"acl", "setuser"}, words...)...)
		if _, err := admin.Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	acl("reader", "on", ">open", "~*", "-@all", "+@read", "+@connection")
	ret := []returners.Return{returnertest.Return(t, 1, "m", "test.ping", true)}
	for name, c := range map[string]struct {
		user, password, text string
	}{
		"no password":    {"", "", "NOAUTH"},
		"wrong password": {"", "hash", "WRONGPASS"},
		"unknown user":   {"eve", "hush", "WRONGPASS"},
		"no rights":      {"reader", "open", "NOPERM"},
	} {
		s := open(t, srv, func(o *Options) { o.Username, o.Password = c.user, c.password })
		err := s.SaveReturns(t.Context(), ret)
		fails(t, name, err, returners.ClassAccess, returners.ErrUnavailable, c.text)
		if c.password != "" && strings.Contains(err.Error(), c.password) {
			t.Errorf("%s: the error has the password: %v", name, err)
		}
	}
	s := open(t, srv, func(o *Options) { o.Password = "hush" })
	must(t, s.SaveReturns(t.Context(), ret))
	// The account of the guide.
	acl("salt", "on", ">pw", "~*", "-@all", "+@read", "+@write", "+@connection", "+@scripting", "+time", "-@dangerous")
	salt := open(t, srv, func(o *Options) { o.Username, o.Password = "salt", "pw" })
	must(t, salt.SaveLoads(t.Context(), []returners.Load{returnertest.Load(t, 1, "test.ping", "*")}))
	must(t, salt.SaveReturns(t.Context(), ret))
	must(t, salt.SaveExpectations(t.Context(), []returners.Expectation{{JID: returnertest.JID(1), Minions: []string{"m"}}}))
	must(t, salt.Hold(t.Context(), []string{returnertest.JID(1)}))
	if jobs, err := salt.ListJobs(t.Context(), returners.Filter{}); err != nil || len(jobs) != 1 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
	for _, err := range []error{
		errOf(salt.GetReturns(t.Context(), returnertest.JID(1))), errOf(salt.GetExpectations(t.Context(), returnertest.JID(1))),
		errOf(salt.GetFun(t.Context(), "test.ping")), errOf(salt.CleanOlder(t.Context(), time.Hour, 10)), errOf(salt.Clean(t.Context(), time.Now(), 10)),
	} {
		must(t, err)
	}
	bad := open(t, srv, func(o *Options) { o.Password, o.DB = "hush", 99 })
	fails(t, "unknown database", bad.Ping(t.Context()), returners.ClassAccess, returners.ErrUnavailable, "out of range")
}

// A key of a job with another type costs the rows of that job; one that all share stops the
// write-behind, and the error names it.
func TestWrongTypes(t *testing.T) {
	srv := empty(t)
	s, c := open(t, srv), raw(t, srv)
	ctx := t.Context()
	must(t, c.Set(ctx, retKey(returnertest.JID(1)), "x", 0).Err())
	must(t, c.SAdd(ctx, loadKey(returnertest.JID(1)), "x").Err())
	must(t, c.SAdd(ctx, "m:test.ping", "x").Err())
	fails(t, "a load", s.SaveLoads(ctx, []returners.Load{returnertest.Load(t, 1, "test.ping", "*")}), returners.ClassData, returners.ErrRejected, "load:"+returnertest.JID(1))
	from := memory.Open(nil)
	returnertest.Owe(t, from, returnertest.Return(t, 1, "m", "test.ping", true), returnertest.Return(t, 2, "m", "test.ping", true), returnertest.Return(t, 3, "m", "test.ping", true))
	d := returners.NewDrain(from, s, returners.DrainConfig{Log: slog.New(slog.DiscardHandler)})
	if n, err := d.Step(ctx); n != 3 || err != nil {
		t.Fatalf("%d rows, %v", n, err)
	}
	if st := d.Stats(); st.Rejected != 1 || st.Delivered[returners.KindReturn] != 2 {
		t.Errorf("%+v", st)
	}
	if last, err := s.GetFun(ctx, "test.ping"); err != nil || last["m"].JID != returnertest.JID(3) { // the pointer was replaced
		t.Errorf("%+v, %v", last, err)
	}
	must(t, c.Del(ctx, minionsKey).Err())
	must(t, c.Set(ctx, minionsKey, "x", 0).Err())
	fails(t, "a shared key", s.SaveReturns(ctx, []returners.Return{returnertest.Return(t, 4, "m", "test.ping", true)}), returners.ClassSchema, returners.ErrUnavailable, "key minions")
	must(t, c.Del(ctx, minionsKey).Err())
	must(t, s.SaveReturns(ctx, []returners.Return{returnertest.Return(t, 4, "m", "test.ping", true)}))
}

func TestAway(t *testing.T) {
	s := open(t, &redistest.Server{Socket: filepath.Join(t.TempDir(), "none")})
	fails(t, "no server", s.Ping(t.Context()), returners.ClassConnection, returners.ErrUnavailable, "check that the server runs")
	fails(t, "returns without a server", s.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, 1, "m", "test.ping", true)}), returners.ClassConnection, returners.ErrUnavailable, "connect")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.SaveReturns(ctx, []returners.Return{returnertest.Return(t, 1, "m", "test.ping", true)}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	must(t, s.Close())
	if _, err := s.ListJobs(t.Context(), returners.Filter{}); !errors.Is(err, returners.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	broken := returnertest.Return(t, 1, "m", "test.ping", true)
	broken.Full = []byte{0x81, 0xa1}
	fails(t, "broken msgpack", s.SaveReturns(t.Context(), []returners.Return{broken}), returners.ClassData, returners.ErrRejected, "JSON")
}
