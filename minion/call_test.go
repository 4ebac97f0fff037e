package minion

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/modules"
)

func call(t *testing.T, cfg *config.Minion, o CallOptions) (CallResult, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	o.Config, o.Log, o.SkipGrains = cfg, testLog(), true
	return Call(ctx, o)
}

func TestCall_Local(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	tests := []struct {
		fun     string
		args    []any
		want    any
		retcode int
		err     error
	}{
		{fun: "test.ping", want: true},
		{fun: "gate.code", want: "out", retcode: 3},
		{fun: "no.such", want: "'no.such' is not available.", retcode: 1, err: modules.ErrNotAvailable},
		{fun: "pillar.get", args: []any{"who"}, want: "given"},
		{fun: "grains.get", args: []any{"id"}, want: "m1"},
	}
	for _, tt := range tests {
		res, err := call(t, cfg, CallOptions{Local: true, Fun: tt.fun, Args: tt.args, Pillars: fixedPillar{wire.NewMap("who", "given")}})
		if err != nil || res.Return != tt.want || res.Retcode != tt.retcode || res.ID != "m1" || len(res.JID) != 20 {
			t.Errorf("%s: %+v %v", tt.fun, res, err)
		}
		if !errors.Is(res.Err, tt.err) || res.Success != (tt.retcode == 0) || res.ReturnErr != nil {
			t.Errorf("%s: %+v", tt.fun, res)
		}
	}
	if n := len(m.Seen("_auth")); n != 0 {
		t.Errorf("the master was asked %d times", n)
	}
}

// A function that does not exist is not a job: the master gets no result.
func TestCall_Unknown(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	for _, fun := range []string{"no.such", "test.pin"} {
		res, err := call(t, cfg, CallOptions{Fun: fun})
		if err != nil || res.Retcode == 0 || res.Docs != (fun == "test.pin") {
			t.Errorf("%s: %+v %v", fun, res, err)
		}
	}
	if n := len(m.Seen("_return")); n != 0 {
		t.Errorf("%d results were returned", n)
	}
}

// A master is named, since the option has a default, but no call may wait for it.
func TestCall_FilesOfThisHost(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.FileClient = "local"
	m.Down()
	cfg.AuthTimeout, cfg.AuthTries, cfg.MasterTries = time.Second, 1, 1
	if res, err := call(t, cfg, CallOptions{Fun: "test.ping"}); err != nil || res.Return != true || res.ReturnErr != nil {
		t.Errorf("%+v %v", res, err)
	}
}

func TestCall_WithAMaster(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Pillar: wire.NewMap("who", "me")})
	cfg := testConfig(t, m)
	store := fakeReturner()
	res, err := call(t, cfg, CallOptions{
		Fun: "pillar.get", Args: []any{"who"}, Metadata: wire.NewMap("t", 1), Returners: []string{"minion_test"},
	})
	if err != nil || res.Return != "me" || res.ReturnErr != nil {
		t.Fatalf("%+v %v", res, err)
	}
	ret := m.Await(t, "_return", 1)[0]
	if ret.String("jid") != "req" || ret.String("return") != "me" || ret.String("fun") != "pillar.get" || !ret.Bool("success") ||
		ret.String("tgt") != "m1" || len(ret.List("fun_args")) != 1 || ret.Map("metadata").Int("t") != 1 {
		t.Errorf("return %#v", ret)
	}
	if saved := store.saved(); len(saved) != 1 || saved[0].JID != res.JID {
		t.Errorf("saved %+v", saved)
	}
}

func TestCall_NoReturnEvent(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	res, err := call(t, testConfig(t, m), CallOptions{Fun: "test.ping", NoReturnEvent: true, Returners: []string{"no_such"}})
	if err != nil || res.Return != true {
		t.Fatalf("%+v %v", res, err)
	}
	if res.ReturnErr == nil || !strings.Contains(res.ReturnErr.Error(), "no_such") {
		t.Errorf("an unknown returner is not reported: %v", res.ReturnErr)
	}
	if n := len(m.Seen("_return")); n != 0 {
		t.Errorf("%d returns", n)
	}
}

func TestCall_TriesTheMastersInTurn(t *testing.T) {
	down, up := channeltest.Start(t, channeltest.Rules{}), channeltest.Start(t, channeltest.Rules{})
	down.Down()
	cfg := testConfig(t, down, up)
	cfg.AuthTimeout, cfg.AuthTries = time.Second, 1
	if res, err := call(t, cfg, CallOptions{Fun: "test.ping"}); err != nil || res.Return != true {
		t.Errorf("%+v %v", res, err)
	}
	cfg.Master = cfg.Master[:1]
	cfg.MasterTries = 2
	if _, err := call(t, cfg, CallOptions{Fun: "test.ping"}); !errors.Is(err, channel.ErrNoAnswer) {
		t.Errorf("got %v", err)
	}
	cfg.Master = nil
	if _, err := call(t, cfg, CallOptions{Fun: "test.ping"}); err == nil {
		t.Error("ran without a master")
	}
}

func TestCall_PendingKey(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Auth: func(*wire.Map) any { return true }})
	cfg := testConfig(t, m)
	cfg.MasterTries = 1
	if _, err := call(t, cfg, CallOptions{Fun: "test.ping"}); !errors.Is(err, channel.ErrPending) {
		t.Errorf("got %v", err)
	}
}

// TestCall_BesideTheDaemon runs calls on the host of a running minion.
func TestCall_BesideTheDaemon(t *testing.T) {
	gates.reset()
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	start(t, cfg)
	m.AwaitSubscribers(t, 1)
	m.Await(t, "_pillar", 1)
	if res, err := call(t, cfg, CallOptions{Local: true, Fun: "saltutil.refresh_pillar"}); err != nil || res.Return != true {
		t.Fatalf("%+v %v", res, err)
	}
	m.Await(t, "_pillar", 2)

	jid := newJID()
	m.Publish(channeltest.Job(jid, "m1", "gate.wait"))
	_, entered := gates.channels()
	<-entered
	// Both are this process here, so the proc file counts as stale: check the daemon's table
	// for the job that a call in another process would end.
	if err := (beside{cfg: cfg, now: time.Now}).signal(jid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if ret := m.AwaitReturn(t, jid); ret.Bool("success") {
		t.Errorf("return %#v", ret)
	}
}

func TestOptionNames(t *testing.T) {
	cfg := config.DefaultMinion()
	cfg.ID = "m1"
	cfg.Raw = map[string]any{"my_own": map[string]any{"b": []any{1, "x"}, "a": 1}, "id": "m1"}
	e := &env{core: &core{cfg: cfg}}
	all := e.Options()
	for _, name := range []string{"id", "master", "my_own", "return_retry_tries"} {
		if !all.Has(name) {
			t.Errorf("no option %s", name)
		}
	}
	if keys := all.Map("my_own").Keys(); !slices.Equal(keys, []any{"a", "b"}) {
		t.Errorf("own option: %v", keys)
	}
}

// Every option can be returned, even those with types of their own.
func TestCall_ConfigItems(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	res, err := call(t, testConfig(t, m), CallOptions{Fun: "config.items"})
	items, ok := res.Return.(*wire.Map)
	if err != nil || res.ReturnErr != nil || !ok || items.String("id") != "m1" {
		t.Errorf("%+v %v", res, err)
	}
}
