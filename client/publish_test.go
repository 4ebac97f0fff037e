package client

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
		Tgt: []string{"a", "b"}, TgtType: "list", Fun: []string{"test.ping", "test.echo"}, Args: []any{[]any{}, []any{"x"}},
		Ret: "mysql", JID: jobID, Timeout: 1500 * time.Millisecond, Extra: map[string]any{"metadata": "m"},
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

// Keyword arguments from a Go map are sorted; those in Salt's own form keep their order.
func TestKeywordArguments(t *testing.T) {
	m := startMaster(t)
	c := m.client()
	marked := wire.NewMap("__kwarg__", true, "z", 1, "a", 2)
	if _, err := c.Publish(within(t), Job{Tgt: "*", Fun: []string{"f"}, Args: []any{"x"}, Kwargs: map[string]any{"k": 1, "b": map[string]any{"y": 1}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Publish(within(t), Job{Tgt: "*", Fun: []string{"f", "g"}, Args: []any{[]any{marked}, []any{}}}); err != nil {
		t.Fatal(err)
	}
	m.change(func() { m.answer = func(*wire.Map) any { return wire.NewMap("tag", runTag) } })
	if _, err := c.StartRunner(within(t), RunnerCall{Fun: "f", Args: []any{"x", marked}, Kwargs: map[string]any{"k": 3}}); err != nil {
		t.Fatal(err)
	}
	if marked.Len() != 3 {
		t.Error("what was given has been changed")
	}
	seen := m.seen()
	for i, want := range []string{
		`["x", {"__kwarg__": true, "b": {"y": 1}, "k": 1}]`, `[[{"__kwarg__": true, "z": 1, "a": 2}], []]`, `{"arg": ["x"], "kwarg": {"z": 1, "a": 2, "k": 3}}`,
	} {
		v, ok := seen[i].Get("arg")
		if !ok {
			v, _ = seen[i].Get("kwarg")
		}
		if raw, err := RawOf(v); err != nil || raw.String() != want {
			t.Errorf("sent %s (%v), want %s", raw, err, want)
		}
	}
	if _, err := c.Publish(within(t), Job{Tgt: "*", Fun: []string{"f", "g"}, Kwargs: map[string]any{"k": 1}}); err == nil || len(m.seen()) != 3 {
		t.Errorf("nobody knows for which function: %v", err)
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
		{"number", reply(int64(7)), nil, "neither a map nor text"},
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
	// A refused key that is unchanged in the file is not tried again.
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
	// A directory in place of the file is unreadable even for root.
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
	v, err := c.Wheel(within(t), "key.accept", map[string]any{"match": "web-1"})
	if err != nil || v.String() != `{"minions": ["web-1"]}` {
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

func TestClosedClient(t *testing.T) {
	m := startMaster(t)
	c := m.client()
	if err := c.Fire(within(t), "x", map[string]any{}); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{"publish": second(c.Publish(within(t), ping("*"))), "ping": c.Ping(within(t)), "fire": c.Fire(within(t), "x", map[string]any{})} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestFromConfig(t *testing.T) {
	for iface, want := range map[string]string{"0.0.0.0": "127.0.0.1", "::": "::1", "10.0.0.1": "10.0.0.1", "2001:db8::1": "2001:db8::1"} {
		if got := LocalAddr(iface, 5506); got != net.JoinHostPort(want, "5506") {
			t.Errorf("%s is reached at %s", iface, got)
		}
	}
	dir := t.TempDir()
	text := "interface: '::'\nret_port: 5506\ncachedir: /c\nsock_dir: /s\nipc_framing: bare\nnodegroups: {web: 'web*'}\nno_such_option: 1\n"
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	o, err := FromConfig(dir, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		t.Fatal(err)
	}
	if o.Addr != "[::1]:5506" || o.Cachedir != "/c" || o.Bus.Dir != "/s" || o.Bus.Framing != "bare" || o.Nodegroups["web"] != "web*" {
		t.Errorf("%+v", o)
	}
	if !strings.Contains(log.String(), "no_such_option") {
		t.Errorf("log %s", log.String())
	}
	if _, err := FromConfig(dir, nil); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte("ret_port: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := FromConfig(dir, nil); err == nil {
		t.Error("a port that is not a number is accepted")
	}
}
