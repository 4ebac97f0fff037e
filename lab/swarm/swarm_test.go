package swarm

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/waiting"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// play runs a swarm below a fake until the end of the test.
func play(t *testing.T, f *fake, change func(*Config)) *Swarm {
	t.Helper()
	keys := &Keys{Dir: t.TempDir(), Count: 1, Bits: 1024}
	ids := IDs{Pattern: "s%03d", Count: 60}
	if err := keys.Make(t.Context(), ids, nil); err != nil {
		t.Fatal(err)
	}
	c := Config{
		Host: "127.0.0.1", Port: port(f.router.Addr()), IDs: ids, Keys: keys, Source: Loopback, Protocol: f.protocol,
		Timers: Timers{ReturnRetry: 300 * time.Millisecond, ReturnRetryMax: 300 * time.Millisecond, AcceptanceWait: 50 * time.Millisecond, Recon: 10 * time.Millisecond, ReconMax: 10 * time.Millisecond},
		Log:    slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&c)
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

const n = 60

// ready waits until all minions have sent their start events and the master has processed their
// subscriptions: until then they receive nothing, as with Salt.
func ready(t *testing.T, f *fake, s *Swarm, want int) {
	t.Helper()
	waiting.Until(t, "all subscribe", func() bool { return int(f.pub.Stats().Subscribers) == want })
	waiting.Until(t, "all are ready", func() bool { r := s.Report(); return r.Ready.Done == want && r.Conns.Up == int64(want) })
}

// Sixty stock minions of each protocol below a master like Python's: each signs in once and starts
// like salt-minion, and the account of each job is exact.
func TestStock_BelowAPythonMaster(t *testing.T) {
	for _, protocol := range []int{2, 3} {
		f := newFake(t, protocol)
		s := play(t, f, nil)
		ready(t, f, s, n)
		for _, cmd := range []string{"_auth", "_pillar", "minion_start"} {
			if got := f.count(func() int { return f.cmds[cmd] }); got != n {
				t.Errorf("protocol %d: %d of %s, want %d", protocol, got, cmd, n)
			}
		}
		if got := f.count(func() int { return f.cmds["_presence"] }); got != 0 {
			t.Errorf("a stock minion reported its presence %d times", got)
		}
		f.publish("20260101000000000001", "test.ping", "*", "glob")
		f.publish("20260101000000000002", "test.echo", []any{"s001", "s002", "nobody"}, "list", "hello")
		f.publish("20260101000000000003", "test.ping", "s00* and not s005", "compound")
		f.publish("20260101000000000001", "test.ping", "*", "glob") // a repetition: skipped
		waiting.Until(t, "all answered", func() bool { return s.Report().Totals.Acknowledged == n+2+9 && s.Report().Totals.PassedOver == n })
		r := s.Report()
		if r.Totals.Received != n+2+9 || r.Totals.Lost+r.Totals.Waiting+r.Totals.Doubled != 0 || len(f.twice()) > 0 {
			t.Errorf("protocol %d: %+v, twice: %v", protocol, r.Totals, f.twice())
		}
		if r.Conns.Opened < int64(n*5+n+2+9) {
			t.Errorf("%d connections: each request has its own", r.Conns.Opened)
		}
	}
}

// A return that is refused or not answered is sent again, like by salt-minion, and given up after
// the last try: then it counts as lost.
func TestStock_Retries(t *testing.T) {
	f := newFake(t, 3)
	s := play(t, f, nil)
	ready(t, f, s, n)
	f.count(func() int { f.refuse, f.lose = 5, 5; return 0 })
	f.publish("20260101000000000001", "test.ping", "*", "glob")
	waiting.Until(t, "all answered", func() bool { return s.Report().Totals.Acknowledged == n })
	if r := s.Report(); r.Totals.Retried < 10 || r.Requests.Rejected < 5 || r.Requests.TimedOut < 5 {
		t.Errorf("%+v %+v", r.Totals, r.Requests)
	}
	f.count(func() int { f.lose = 3; return 0 })
	f.publish("20260101000000000002", "test.ping", "s001", "glob")
	waiting.Until(t, "it was given up", func() bool { return s.Report().Totals.Lost == 1 })
	if got := f.twice(); len(got) > 0 {
		t.Errorf("came twice: %v", got)
	}
}

// A publication under a new shared key is decrypted after a sign-in: no job is lost.
func TestStock_Rotation(t *testing.T) {
	f := newFake(t, 3)
	s := play(t, f, nil)
	ready(t, f, s, n)
	f.rotate()
	f.publish("20260101000000000001", "test.ping", "*", "glob")
	waiting.Until(t, "all answered", func() bool { return s.Report().Totals.Acknowledged == n })
	if got := f.count(func() int { return f.cmds["_auth"] }); got != 2*n {
		t.Errorf("%d sign-ins, want %d", got, 2*n)
	}
}

// Publications that arrive during that sign-in are read in their order: a later one that were read first would make an
// earlier one a replay.
func TestStock_RotationKeepsTheOrder(t *testing.T) {
	const jobs = 20
	f := newFake(t, 3)
	s := play(t, f, nil)
	ready(t, f, s, n)
	f.rotate()
	for i := range jobs {
		f.publish(fmt.Sprintf("202601010000000000%02d", i), "test.ping", "*", "glob")
	}
	waiting.Until(t, "all have all jobs", func() bool { return s.Report().Totals.Received == n*jobs }) // not those acknowledged: so many returns at once may be lost
}

// Shares that are down, mute or die, and a herd, have the configured size and are in the
// account.
func TestStock_Shares(t *testing.T) {
	f := newFake(t, 3)
	s := play(t, f, func(c *Config) {
		c.Down, c.Mute, c.Die, c.DieFor = 0.1, 0.1, 0.1, 10*time.Millisecond
		c.Herds = []Herd{{At: 0, Away: 10 * time.Millisecond, Share: 1}}
	})
	waiting.Until(t, "the herd is back", func() bool { r := s.Report(); return r.SignIns >= 2*54 && r.Conns.Up == 54 })
	waiting.Until(t, "it has said so", func() bool { return f.count(func() int { return f.cmds["minion_start"] }) == 2*54 })
	waiting.Until(t, "all subscribe", func() bool { return int(f.pub.Stats().Subscribers) == 54 })
	f.publish("20260101000000000001", "test.ping", "*", "glob")
	waiting.Until(t, "all answered", func() bool { return s.Report().Totals.Acknowledged == 42 })
	waiting.Until(t, "who fell is back", func() bool { r := s.Report(); return r.SignIns >= 2*54+6 && r.Conns.Up == 54 })
	r := s.Report()
	if r.Totals.Received != 54 || r.Totals.Silent != 12 || r.Down != 6 || r.Requests.Fallen != 54+6 {
		t.Errorf("%+v down %d fallen %d", r.Totals, r.Down, r.Requests.Fallen)
	}
}

// find_job returns the running job in the format of salt-minion's file.
func TestStock_FindJob(t *testing.T) {
	f := newFake(t, 3)
	s := play(t, f, func(c *Config) { c.IDs.Count = 1 })
	ready(t, f, s, 1)
	f.publish("20260101000000000001", "test.sleep", "*", "glob", 30)
	waiting.Until(t, "it runs", func() bool { return s.Report().Totals.Received == 1 })
	m := s.minions[0]
	m.mu.Lock()
	w := world{id: m.id, running: slices.Clone(m.runs)}
	m.mu.Unlock()
	o := &order{fun: findJobFun, args: []any{"20260101000000000001"}}
	got := (Answers{Size: 5}).answer(o, w)
	if text := strings.TrimSpace(goString(got.value)); !strings.Contains(text, "test.sleep") || !strings.Contains(text, "pid") {
		t.Error(text)
	}
	o.args = []any{"20260101000000000009"}
	if got := (Answers{}).answer(o, w); strings.Contains(goString(got.value), "jid") {
		t.Error(goString(got.value))
	}
}

func goString(v any) string {
	if s, ok := v.(interface{ GoString() string }); ok {
		return s.GoString()
	}
	return ""
}
