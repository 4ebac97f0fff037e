package client

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

func ping(tgt any) Job { return Job{Tgt: tgt, Fun: []string{"test.ping"}} }

func TestPublish(t *testing.T) {
	m := startMaster(t)
	c := m.client()
	p, err := c.Publish(within(t), ping("*"))
	if err != nil {
		t.Fatal(err)
	}
	if p.JID != jobID || !slices.Equal(p.Minions, []string{"web-1"}) || !slices.Equal(p.Missing, []string{"ghost"}) || !slices.Equal(p.Nodes, []string{"syn-a"}) {
		t.Errorf("published %+v", p)
	}
	_, err = c.Publish(within(t), Job{
		Tgt: []string{"a", "b"}, TgtType: "list", Fun: []string{"test.ping", "test.echo"}, Arg: []any{[]any{}, []any{"x"}},
		Ret: "mysql", JID: jobID, Timeout: 1500 * time.Millisecond, Kwargs: wire.NewMap("metadata", "m"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []*wire.Map{
		wire.NewMap("cmd", "publish", "tgt", "*", "fun", "test.ping", "arg", []any{}, "key", "first", "tgt_type", "glob",
			"ret", "", "jid", "", "kwargs", wire.NewMap(), "user", "root"),
		wire.NewMap("cmd", "publish", "tgt", []any{"a", "b"}, "fun", []any{"test.ping", "test.echo"}, "arg", []any{[]any{}, []any{"x"}},
			"key", "first", "tgt_type", "list", "ret", "mysql", "jid", jobID, "timeout", int64(2), "to", int64(2),
			"kwargs", wire.NewMap("metadata", "m"), "user", "root"),
	}
	for i, got := range m.seen() {
		if g, w := fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", want[i]); g != w {
			t.Errorf("sent\n%s\nwant\n%s", g, w)
		}
	}
}

func TestRefusals(t *testing.T) {
	reply := func(v any) func(*wire.Map) any { return func(*wire.Map) any { return v } }
	for _, c := range []struct {
		name   string
		answer func(*wire.Map) any
		is     error
		says   string
	}{
		{"named", reply(wire.NewMap("error", wire.NewMap("name", "AuthorizationError", "message", "no"))), &Refused{}, "publish: AuthorizationError: no"},
		{"text", reply(wire.NewMap("error", "cannot")), &Refused{}, "cannot"},
		{"nobody", reply(wire.NewMap("enc", "clear", "load", wire.NewMap("jid", nil, "minions", []any{}))), ErrNoMatch, "no minions matched the target: *"},
		{"plain", reply("bad load"), nil, "the master refused publish: bad load"},
		{"number", reply(int64(7)), nil, "neither map nor text"},
		{"empty", reply(wire.NewMap()), nil, "no load"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := startMaster(t)
			m.answer = c.answer
			_, err := m.client().Publish(within(t), ping("*"))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("error %v, want %q", err, c.says)
			}
			var refused *Refused
			if _, want := c.is.(*Refused); want != errors.As(err, &refused) {
				t.Errorf("%T, refused: %v", err, refused)
			}
			if c.is == ErrNoMatch && !errors.Is(err, ErrNoMatch) {
				t.Errorf("%v is not ErrNoMatch", err)
			}
			if n := len(m.seen()); n != 1 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func TestKeyIsReadAgain(t *testing.T) {
	m := startMaster(t)
	c := m.client()
	if _, err := c.Publish(within(t), ping("*")); err != nil {
		t.Fatal(err)
	}
	// A restart while the command is on its way: the first key read is the old one.
	restarted := false
	m.change(func() {
		m.answer = func(*wire.Map) any {
			if restarted {
				return wire.NewMap("load", wire.NewMap("jid", jobID))
			}
			restarted = true
			m.writeKey("second")
			return wire.NewMap("error", wire.NewMap("name", "UserAuthenticationError", "message", "no"))
		}
	})
	if _, err := c.Publish(within(t), ping("*")); err != nil {
		t.Error(err)
	}
	// A refused key that is still the one in the file is not tried again.
	m.change(func() { m.key, m.loads = "another", nil })
	_, err := c.Publish(within(t), ping("*"))
	var refused *Refused
	if !errors.As(err, &refused) || len(m.seen()) != 1 {
		t.Errorf("%v after %d attempts", err, len(m.seen()))
	}
}

func TestNoKey(t *testing.T) {
	m := startMaster(t)
	_, err := m.client(func(o *Options) { o.User = "ann" }).Publish(within(t), ping("*"))
	if !errors.Is(err, ErrNoKey) || !strings.Contains(err.Error(), ".ann_key does not exist") {
		t.Errorf("%v", err)
	}
	// A folder in the place of the file can be read by nobody, root included.
	if err := os.Mkdir(m.dir+"/.bob_key", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err = m.client(func(o *Options) { o.User = "bob" }).Publish(within(t), ping("*")); !errors.Is(err, ErrNoKey) {
		t.Errorf("%v", err)
	}
	// Under sudo the key is the master's own.
	if _, err = m.client(func(o *Options) { o.User = "sudo_ann" }).Publish(within(t), ping("*")); err != nil {
		t.Errorf("%v", err)
	}
	if got := m.seen()[0].String("user"); got != "sudo_ann" {
		t.Errorf("user %s", got)
	}
}

func TestUnreachable(t *testing.T) {
	m := startMaster(t)
	for name, addr := range map[string]string{"refused": "127.0.0.1:1", "silent": m.router.Addr().String()} {
		m.change(func() { m.raw = func() []byte { return nil } })
		_, err := m.client(func(o *Options) { o.Addr, o.Timeout = addr, 200*time.Millisecond }).Publish(within(t), ping("*"))
		if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), addr) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestGarbledAnswers(t *testing.T) {
	m := startMaster(t)
	c := m.client()
	for _, b := range []string{"", "\xc1", "\x81", "\xdf\xff\xff\xff\xff", "\x80\x80"} {
		m.change(func() { m.raw = func() []byte { return []byte(b) } })
		if _, err := c.Publish(within(t), ping("*")); err == nil {
			t.Errorf("%q was taken for an answer", b)
		}
	}
}

func TestWheel(t *testing.T) {
	m := startMaster(t)
	answers := func(success bool) func(*wire.Map) any {
		return func(*wire.Map) any {
			return wire.NewMap("tag", "salt/wheel/1", "data", wire.NewMap("return", wire.NewMap("minions", []any{"web-1"}), "success", success))
		}
	}
	m.change(func() { m.answer = answers(true) })
	c := m.client()
	v, err := c.Wheel(within(t), "key.accept", wire.NewMap("match", "web-1"))
	if err != nil || len(v.(*wire.Map).List("minions")) != 1 {
		t.Errorf("%v, %v", v, err)
	}
	if got := m.seen()[0]; got.String("match") != "web-1" || got.String("fun") != "key.accept" {
		t.Errorf("sent %#v", got)
	}
	m.change(func() { m.answer = answers(false) })
	var failed *WheelError
	if _, err := c.Wheel(within(t), "key.list_all", nil); !errors.As(err, &failed) || failed.Fun != "key.list_all" {
		t.Errorf("%v", err)
	}
	m.change(func() { m.answer = func(*wire.Map) any { return wire.NewMap() } })
	if _, err := c.Wheel(within(t), "key.list_all", nil); err == nil {
		t.Error("an answer without data is none")
	}
}

func TestPing(t *testing.T) {
	m := startMaster(t)
	m.change(func() { m.key = "" })
	m.answer = func(load *wire.Map) any { return load }
	c := m.client()
	if err := c.Ping(within(t)); err != nil {
		t.Error(err)
	}
	m.change(func() { m.answer = func(*wire.Map) any { return wire.NewMap() } })
	if err := c.Ping(within(t)); !errors.Is(err, ErrUnreachable) {
		t.Errorf("%v", err)
	}
}

func TestFromMaster(t *testing.T) {
	for iface, want := range map[string]string{"0.0.0.0": "127.0.0.1", "::": "::1", "10.0.0.1": "10.0.0.1", "2001:db8::1": "2001:db8::1"} {
		conf := config.DefaultMaster()
		conf.Interface, conf.RetPort, conf.Cachedir = iface, 5506, "/c"
		o := FromMaster(conf)
		if o.Addr != net.JoinHostPort(want, "5506") || o.KeyDir != "/c" || o.Bus.PubName != "master_event_pub.ipc" {
			t.Errorf("%s: %+v", iface, o)
		}
	}
	for _, form := range []string{"auto", "bare", "length"} { // a master of Salt's takes its own only
		conf := config.DefaultMaster()
		if conf.IpcFraming = form; FromMaster(conf).Bus.Framing != bus.Framing(form) {
			t.Errorf("events are fired as %q, the master takes %q", FromMaster(conf).Bus.Framing, form)
		}
	}
}
