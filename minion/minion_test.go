package minion

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

func TestMinion_Start(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Pillar: wire.NewMap("who", "me")})
	cfg := testConfig(t, m)
	cfg.StartEventGrains = []string{"os", "none"}
	d := start(t, cfg)
	events := m.Await(t, "_minion_event", 2)
	for i, tag := range []string{"minion_start", "salt/minion/m1/start"} {
		e := events[i]
		if e.String("tag") != tag || !strings.HasPrefix(e.String("data"), "Minion m1 started at ") {
			t.Errorf("event %d: %#v", i, e)
		}
		if g := e.Map("grains"); g.Len() != 1 || g.String("os") != "Debian" {
			t.Errorf("grains of the start event: %#v", g)
		}
	}
	if p := m.Seen("_pillar")[0]; p.Map("grains").String("os") != "Debian" {
		t.Errorf("pillar request: %v", p.Keys())
	}
	// The subscribed connection is the one that was announced.
	ident := m.AwaitSubscribers(t, 1)[0]
	if got := m.Await(t, "_presence", 1)[0]; got.String("session") != ident || got.String("version") != "test" {
		t.Errorf("announced %q, subscribed as %q", got.String("session"), ident)
	}
	if err := d.end(); err != nil {
		t.Error(err)
	}
}

func TestMinion_LegacyStartEventsCanBeTurnedOff(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.EnableLegacyStartupEvents = false
	start(t, cfg)
	if e := m.Await(t, "_minion_event", 1)[0]; e.String("tag") != "salt/minion/m1/start" {
		t.Errorf("first event %s", e.String("tag"))
	}
}

func TestMinion_Returns(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Pillar: wire.NewMap("who", "me")})
	cfg := testConfig(t, m)
	cfg.MaxFrameSize = 1 << 20
	start(t, cfg)
	m.AwaitSubscribers(t, 1)
	kwarg := wire.NewMap("__kwarg__", true, "k", "v")
	tests := []struct {
		name    string
		fun     string
		args    []any
		value   any // a string must be contained
		success bool
		retcode int64
		out     string
	}{
		{name: "ping", fun: "test.ping", value: true, success: true},
		{name: "echo", fun: "test.echo", args: []any{"é\xff"}, value: "é\xff", success: true},
		{name: "keyword", fun: "test.arg", args: []any{int64(1), kwarg}, success: true},
		{name: "unknown", fun: "no.such", value: "'no.such' is not available.", retcode: 1, out: "nested"},
		{name: "wrong call", fun: "test.echo", value: "Passed invalid arguments to test.echo", retcode: 1, out: "nested"},
		{name: "failure", fun: "gate.fail", value: "ERROR: it failed", retcode: 1, out: "nested"},
		{name: "panic", fun: "gate.panic", value: "panic: as requested", retcode: 1, out: "nested"},
		{name: "retcode", fun: "gate.code", value: "out", retcode: 3},
		{name: "too big", fun: "gate.big", value: "max_frame_size", retcode: 1, out: "nested"},
		{name: "no wire form", fun: "gate.odd", value: "cannot be returned", retcode: 1, out: "nested"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			jid := newJID()
			job := channeltest.Job(jid, "m1", tt.fun, tt.args...)
			job.Set("master_id", "syndic-a")
			job.Set("metadata", wire.NewMap("ticket", 7))
			m.Publish(job)
			ret := m.AwaitReturn(t, jid)
			got, _ := ret.Get("return")
			if want, isText := tt.value.(string); isText {
				if text, _ := got.(string); !strings.Contains(text, want) {
					t.Errorf("return %.200q, want %q in it", got, want)
				}
			} else if tt.value != nil && got != tt.value {
				t.Errorf("return %v, want %v", got, tt.value)
			}
			if ret.Bool("success") != tt.success || ret.Int("retcode") != tt.retcode || ret.String("out") != tt.out {
				t.Errorf("success %v retcode %d out %q", ret.Bool("success"), ret.Int("retcode"), ret.String("out"))
			}
			if ret.String("id") != "m1" || ret.String("fun") != tt.fun || ret.String("user") != "root" ||
				ret.String("master_id") != "syndic-a" || ret.Map("metadata").Int("ticket") != 7 ||
				len(ret.List("fun_args")) != len(tt.args) {
				t.Errorf("fields %#v", ret)
			}
		})
	}
}

func TestMinion_Environment(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Pillar: wire.NewMap("who", "me")})
	cfg := testConfig(t, m)
	cfg.MineEnabled = false // otherwise its job may be running
	start(t, cfg)
	m.AwaitSubscribers(t, 1)
	jid := newJID()
	m.Publish(channeltest.Job(jid, "m1", "gate.env"))
	got := m.AwaitReturn(t, jid).Map("return")
	if got.String("os") != "Debian" || got.String("who") != "me" || got.Int("retry") != 3 || got.Int("masters") != 1 || got.Int("jobs") != 1 {
		t.Errorf("environment %#v", got)
	}
	if v, ok := got.Get("nothing"); !ok || v != nil {
		t.Errorf("unknown option %v", v)
	}
	fired := false
	for _, e := range m.Seen("_minion_event") {
		fired = fired || e.String("tag") == "my/tag" && e.Map("data").Int("a") == 1
	}
	if !fired {
		t.Error("the event did not reach the master")
	}
	if n := len(m.Await(t, "_pillar", 2)); n != 2 {
		t.Errorf("%d pillar requests", n)
	}
}

func TestMinion_SeveralFunctions(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		m := channeltest.Start(t, channeltest.Rules{})
		cfg := testConfig(t, m)
		cfg.MultifuncOrdered = ordered
		start(t, cfg)
		m.AwaitSubscribers(t, 1)
		jid := newJID()
		job := channeltest.Job(jid, "m1", "")
		job.Set("fun", []any{"test.ping", "gate.fail", "test.echo"})
		job.Set("arg", []any{[]any{}, []any{}, []any{"x"}})
		m.Publish(job)
		ret := m.AwaitReturn(t, jid)
		if len(ret.List("fun")) != 3 || len(ret.List("fun_args")) != 3 {
			t.Errorf("fun %v", ret.List("fun"))
		}
		if ordered {
			v, c, s := ret.List("return"), ret.List("retcode"), ret.List("success")
			if len(v) != 3 || v[0] != true || v[2] != "x" || c[1] != int64(1) || s[1] != false || s[2] != true {
				t.Errorf("ordered: %v %v %v", v, c, s)
			}
			continue
		}
		v, c, s := ret.Map("return"), ret.Map("retcode"), ret.Map("success")
		if !v.Bool("test.ping") || v.String("test.echo") != "x" || v.String("gate.fail") != "ERROR: it failed" {
			t.Errorf("values %#v", v)
		}
		if c.Int("gate.fail") != 1 || c.Int("test.ping") != 0 || s.Bool("gate.fail") || !s.Bool("test.echo") {
			t.Errorf("codes %#v %#v", c, s)
		}
	}
}

func TestMinion_Targets(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Pillar: wire.NewMap("who", "me", "deep", wire.NewMap("key", "value"))})
	start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	tests := []struct {
		kind      string
		tgt       any
		delimiter string
		match     bool
	}{
		{"glob", "m*", "", true},
		{"glob", "x*", "", false},
		{"", "m1", "", true},
		{"pcre", "m[0-9]", "", true},
		{"pcre", "x.*", "", false},
		{"list", []any{"x", "m1"}, "", true},
		{"list", "x,m1", "", true},
		{"list", []any{"x"}, "", false},
		{"grain", "os:Deb*", "", true},
		{"grain", "roles:db", "", true},
		{"grain", "os|Debian", "|", true},
		{"grain", "os:Suse", "", false},
		{"grain_pcre", "os:^Deb", "", true},
		{"pillar", "who:me", "", true},
		{"pillar", "deep:key:value", "", true},
		{"pillar", "who:you", "", false},
		{"ipcidr", "10.1.0.0/16", "", true},
		{"ipcidr", "192.168.0.0/16", "", false},
		{"compound", "G@os:Debian and not x* and I@who:me", "", true},
		{"compound", "G@os:Debian and x*", "", false},
		{"range", "%x", "", false},
		{"nonsense", "m1", "", false},
	}
	// After the publications that must not be answered comes one that must. When its return has
	// arrived, no answer to the others can follow.
	unwanted := map[string]string{}
	for _, tt := range tests {
		jid := newJID()
		job := channeltest.Job(jid, "", "test.ping")
		job.Set("tgt", tt.tgt)
		job.Set("tgt_type", tt.kind)
		if tt.delimiter != "" {
			job.Set("delimiter", tt.delimiter)
		}
		m.Publish(job)
		if tt.match {
			m.AwaitReturn(t, jid)
		} else {
			unwanted[jid] = tt.kind
		}
	}
	last := newJID()
	m.Publish(channeltest.Job(last, "m1", "test.ping"))
	m.AwaitReturn(t, last)
	for _, r := range m.Seen("_return") {
		if kind, ok := unwanted[r.String("jid")]; ok {
			t.Errorf("a %s target of others was answered", kind)
		}
	}
}

func TestMinion_JobsRunOnce(t *testing.T) {
	gates.reset()
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.MinionJidQueueHwm, cfg.Bounds.StartedJobs = 1, 3
	d := start(t, cfg)
	m.AwaitSubscribers(t, 1)
	first := newJID()
	for _, jid := range []string{first, first, newJID(), first, newJID(), first, newJID()} {
		m.Publish(channeltest.Job(jid, "m1", "gate.count"))
	}
	m.Await(t, "_return", 4)
	waiting.Until(t, "the jobs to end", func() bool { return len(d.jobs.Table().Running()) == 0 })
	if got := counted.Load(); got != 4 {
		t.Errorf("ran %d times", got)
	}
	m.Publish(channeltest.Job(first, "m1", "gate.count")) // beyond the window
	m.Await(t, "_return", 5)
}

// A minion that comes home is given the jobs that its master could not deliver. It knows those that it has run elsewhere,
// also after a restart, however many followed them.
func TestMinion_KnowsWhatItRanElsewhere(t *testing.T) {
	gates.reset()
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	const jobs = 250 // more than minion_jid_queue_hwm
	jids := make([]string, jobs)
	publish := func() {
		for i := range jids {
			m.Publish(channeltest.Job(jids[i], "m1", "gate.count"))
		}
	}
	d := start(t, cfg)
	m.AwaitSubscribers(t, 1)
	for i := range jids {
		jids[i] = newJID()
	}
	publish()
	m.Await(t, "_return", jobs)
	publish()
	last := newJID()
	m.Publish(channeltest.Job(last, "m1", "test.ping"))
	m.AwaitReturn(t, last)
	waiting.Until(t, "the jobs to end", func() bool { return len(d.jobs.Table().Running()) == 0 })
	if err := d.end(); err != nil {
		t.Fatal(err)
	}
	start(t, cfg)
	m.AwaitSubscribers(t, 2)
	publish()
	last = newJID()
	m.Publish(channeltest.Job(last, "m1", "test.ping"))
	m.AwaitReturn(t, last)
	if got := counted.Load(); got != jobs {
		t.Errorf("ran %d times", got)
	}
}

func TestMinion_GarbageIsDropped(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	empty, _ := wire.Encode(wire.NewMap("enc", "aes", "load", ""))
	for _, body := range [][]byte{{0xc1}, {0x80}, []byte("text"), {0xdf, 0xff, 0xff, 0xff, 0xff}, empty} {
		m.PublishRaw("", body)
	}
	for _, jid := range []string{"", "../../etc/x", ".hidden", strings.Repeat("9", 300), "a\x00b"} {
		m.Publish(channeltest.Job(jid, "m1", "test.ping"))
	}
	for _, field := range []string{"fun", "arg", "tgt", "jid"} {
		job := channeltest.Job(newJID(), "m1", "test.ping")
		job.Delete(field)
		m.Publish(job)
	}
	odd := newJID()
	job := channeltest.Job(odd, "m1", "")
	job.Set("fun", 7)
	m.Publish(job)
	if v := m.AwaitReturn(t, odd).String("return"); !strings.HasPrefix(v, "ERROR: fun is") {
		t.Errorf("return %q", v)
	}
	last := newJID()
	m.Publish(channeltest.Job(last, "m1", "test.ping"))
	m.AwaitReturn(t, last)
	if n := len(m.Seen("_return")); n != 2 {
		t.Errorf("%d returns", n)
	}
}

func TestMinion_KeyRotationInMidStream(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	var sent []string
	for i := range 9 {
		if i%3 == 2 {
			m.Rotate()
		}
		jid := newJID()
		sent = append(sent, jid)
		m.Publish(channeltest.Job(jid, "m1", "test.ping"))
		if i%3 == 2 {
			m.AwaitReturn(t, jid)
		}
	}
	for _, jid := range sent {
		m.AwaitReturn(t, jid)
	}
}

func TestMinion_Filtering(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Filtering: true})
	cfg := testConfig(t, m)
	cfg.ZmqFiltering = true
	start(t, cfg)
	m.AwaitSubscribers(t, 2) // two topics
	jid := newJID()
	m.Publish(channeltest.Job(newJID(), "other", "test.ping"))
	m.Publish(channeltest.Job(jid, "m1", "test.ping"))
	m.AwaitReturn(t, jid)
	broadcast := newJID()
	m.PublishRaw("broadcast", m.Seal(channeltest.Job(broadcast, "*", "test.ping")))
	m.AwaitReturn(t, broadcast)
}

func TestMinion_Rejected(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Auth: func(*wire.Map) any { return false }})
	d := start(t, testConfig(t, m))
	err := <-d.done
	d.done <- err
	if !errors.Is(err, channel.ErrRejected) || ExitCode(err) != 77 {
		t.Errorf("got %v, exit code %d", err, ExitCode(err))
	}
}

// A rejection, for instance because another machine has the id, is logged before the minion
// waits and ends, with a command line that removes only this key.
func TestMinion_RejectedIsLoggedAtOnce(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Auth: func(*wire.Map) any { return false }})
	cfg := testConfig(t, m)
	cfg.ID = "x*"
	logged := make(chan string, 16)
	d, err := New(Options{Config: cfg, Version: "test", Log: slog.New(slog.NewTextHandler(lines(logged), nil))})
	if err != nil {
		t.Fatal(err)
	}
	d.rejectPause = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	for line := range logged {
		if strings.Contains(line, "level=ERROR") && strings.Contains(line, "refused the sign-in") {
			if want := "salt-key -d 'x[*]'"; !strings.Contains(line, want) {
				t.Errorf("%s lacks %s", line, want)
			}
			break
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// lines sends each line of a log to a channel, and drops it when nobody reads.
type lines chan<- string

func (l lines) Write(b []byte) (int, error) {
	select {
	case l <- string(b):
	default:
	}
	return len(b), nil
}

func TestMinion_WaitsForAcceptance(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Auth: func(*wire.Map) any { return true }})
	start(t, testConfig(t, m))
	m.Await(t, "_auth", 3)
	m.Change(func(r *channeltest.Rules) { r.Auth = nil })
	m.AwaitSubscribers(t, 1)
}

func TestExitCode(t *testing.T) {
	for want, err := range map[int]error{0: nil, 1: errors.New("x"), 42: channel.ErrBadFinger, 77: channel.ErrRejected} {
		if got := ExitCode(err); got != want {
			t.Errorf("%v: %d", err, got)
		}
	}
}

func TestNew_NeedsAConfiguration(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("accepted")
	}
}

// patience bounds the waits of a test.
const patience = 20 * time.Second
