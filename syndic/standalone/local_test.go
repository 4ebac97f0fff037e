package standalone

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

const job1, job2 = "20260301120000000001", "20260301120000000002"

// salt is the event bus of a master beside the forwarder.
type salt struct {
	tb      testing.TB
	dir     string
	framing bus.Framing
	bus     *bus.Bus
	server  *bus.Server
}

func startSalt(tb testing.TB, framing bus.Framing) *salt {
	tb.Helper()
	dir, err := os.MkdirTemp("", "sa") // socket paths must be short
	if err != nil {
		tb.Fatal(err)
	}
	s := &salt{tb: tb, dir: dir, framing: framing}
	s.up()
	tb.Cleanup(func() {
		s.down()
		_ = os.RemoveAll(dir)
	})
	return s
}

func (s *salt) up() {
	s.tb.Helper()
	s.bus = bus.New(nil)
	var err error
	if s.server, err = bus.Serve(s.bus, bus.ServerConfig{SockDir: s.dir, Framing: s.framing, Log: quiet}); err != nil {
		s.tb.Fatal(err)
	}
}

func (s *salt) down() {
	_ = s.server.Close()
	s.bus.Close()
}

func (s *salt) readers() int64 { return s.server.Stats().Readers }

func (s *salt) fire(tag string, kv ...any) {
	s.tb.Helper()
	if err := s.bus.Fire(tag, wire.NewMap(kv...)); err != nil {
		s.tb.Fatal(err)
	}
}

func (s *salt) published(jid string, minions ...any) {
	s.fire(jid, "minions", append([]any{}, minions...))
	s.fire("salt/job/"+jid+"/new", "jid", jid, "tgt_type", "glob", "tgt", "*", "user", "root", "fun", "test.ping",
		"arg", []any{}, "minions", append([]any{}, minions...), "missing", []any{})
}

func (s *salt) returned(jid, id string) {
	s.fire("salt/job/"+jid+"/ret/"+id, "cmd", "_return", "id", id, "success", true, "return", true, "retcode", 0,
		"jid", jid, "fun", "test.ping", "fun_args", []any{})
}

// open runs a Local beside the fake master; stop ends it.
func (s *salt) open(change ...func(*Options)) (l *Local, stop func()) {
	s.tb.Helper()
	o := Options{ID: "syn-a", Bus: bus.ClientConfig{SockDir: s.dir}, Store: filepath.Join(s.dir, "syndic.db"), Log: quiet}
	for _, f := range change {
		f(&o)
	}
	l, err := Open(context.Background(), o)
	if err != nil {
		s.tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := l.Run(ctx); err != nil {
			s.tb.Error(err)
		}
	}()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		<-done
		if err := l.Close(); err != nil {
			s.tb.Error(err)
		}
	}
	s.tb.Cleanup(stop)
	waiting.Until(s.tb, "a reader at the bus", func() bool { return s.readers() == 1 })
	return l, stop
}

func pending(tb testing.TB, l *Local) []returners.Item {
	tb.Helper()
	rows, err := l.Outbox().OutboxRead(context.Background(), returners.DestAbove, 0, 100, 1<<20)
	if err != nil {
		tb.Fatal(err)
	}
	return rows
}

func TestReturnsOnTheBusAreQueued(t *testing.T) {
	for _, framing := range []bus.Framing{bus.Bare, bus.Length} {
		t.Run(string(framing), func(t *testing.T) {
			s := startSalt(t, framing)
			l, stop := s.open()
			sub := l.Bus().Subscribe(bus.SubscribeOptions{})
			s.published(job1, "web-1", "web-2")
			s.returned(job1, "web-1")
			s.fire("salt/job/"+job1+"/ret/web-3", "id", "web-4", "jid", job1, "return", true) // forged
			s.returned(job1, "web-1")                                                         // sent twice
			if e := <-sub.C(); e.Tag != job1 {
				t.Errorf("first event %s", e.Tag)
			} else if d, err := e.Map(); err != nil || !d.Map("mom").Bool("untracked") || d.String("jid") != job1 {
				t.Errorf("expectation %#v", d)
			}
			waiting.Until(t, "a row", func() bool { return len(pending(t, l)) == 1 })
			if open := l.OpenJobs("", 10); len(open) != 1 || open[0] != job1 || len(slices.Collect(l.Reports(job1, 1))) != 2 {
				t.Errorf("open %v", open)
			}
			s.returned(job1, "web-2")
			for {
				e, ok := <-sub.C()
				if !ok {
					t.Fatal("bus closed before the job was complete")
				}
				if e.Tag == "salt/job/"+job1+"/complete" {
					break
				}
			}
			if len(l.OpenJobs("", 10)) != 0 {
				t.Error("complete job still open")
			}
			rows := pending(t, l)
			if len(rows) != 2 || rows[0].ID != "web-1" || rows[1].Return.Fun != "test.ping" {
				t.Errorf("rows %+v", rows)
			}
			load, ok, err := l.Jobs().GetLoad(t.Context(), job1)
			if err != nil || !ok {
				t.Fatal(err)
			}
			if m, err := wire.DecodeMap(load.Raw); err != nil || m.String("fun") != "test.ping" || len(m.List("Minions")) != 2 {
				t.Errorf("load %#v", m)
			}
			// A restart of the forwarder loses nothing; a restart of the master loses what passes
			// meanwhile.
			stop()
			waiting.Until(t, "the reader to go", func() bool { return s.readers() == 0 })
			l, _ = s.open()
			if len(pending(t, l)) != 2 {
				t.Errorf("%d rows after a restart", len(pending(t, l)))
			}
			s.down()
			s.up()
			waiting.Until(t, "a reader at the new bus", func() bool { return s.readers() == 1 })
			s.returned(job2, "web-1")
			waiting.Until(t, "the new row", func() bool { return len(pending(t, l)) == 3 })
		})
	}
}

func TestMasterWithSyndicsOfItsOwn(t *testing.T) {
	s := startSalt(t, bus.Bare)
	l, _ := s.open(func(o *Options) { o.Nodes = true })
	sub := l.Bus().Subscribe(bus.SubscribeOptions{})
	s.published(job1, "web-1")
	if d, err := (<-sub.C()).Map(); err != nil || d.Has("mom") {
		t.Errorf("marked as complete: %#v", d)
	}
	s.fire("syndic/syn-c/my/tag", "a", 1)
	for e := range sub.C() {
		if e.Tag == "syndic/syn-c/my/tag" {
			if !e.Copy {
				t.Error("not marked as a copy")
			}
			break
		}
	}
}

func TestOpenJobsAreBounded(t *testing.T) {
	js := newJobs(true)
	data, err := wire.Encode(wire.NewMap("minions", []any{"m"}))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i := range maxJobs + 100 {
		jid := at.Add(time.Duration(i) * time.Second).Format("20060102150405000000")
		if _, err := js.expect(jid, bus.Event{Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(js.jids()); n != maxJobs {
		t.Errorf("%d open", n)
	}
	if _, err := js.expect(job1, bus.Event{Data: wire.Raw{0xc1}}); err == nil {
		t.Error("invalid expectation accepted")
	}
}

// A forwarder beside another program's master.
func TestForwarderBesideAMaster(t *testing.T) {
	s := startSalt(t, bus.Length)
	port, err := zmtp.ListenRouter("127.0.0.1:0", zmtp.RouterConfig{Log: quiet}, func(r *zmtp.Request) {
		env, err := wire.ParseEnvelope(r.Body)
		if err != nil {
			r.Drop()
			return
		}
		load, err := wire.DecodeMap(env.Load)
		if err != nil || load.String("key") != "local" {
			r.Drop()
			return
		}
		s.published(load.String("jid"), "web-1")
		s.returned(load.String("jid"), "web-1")
		b, err := wire.Encode(wire.NewMap("enc", "clear", "load", wire.NewMap("jid", load.String("jid"), "minions", []any{"web-1"})))
		if err != nil {
			r.Drop()
			return
		}
		r.Reply(b)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = port.Close() })
	top := channeltest.Start(t, channeltest.Rules{})
	channeltest.WriteKeys(t, s.dir, "syndic", "minion")
	if err := os.WriteFile(filepath.Join(s.dir, ".root_key"), []byte("local"), 0o400); err != nil {
		t.Fatal(err)
	}
	conf := &config.Syndic{Local: config.DefaultMaster(), Upper: config.DefaultMinion()}
	conf.Upper.ID, conf.Upper.PkiDir, conf.Upper.Master = "syn-a", s.dir, []string{top.Addr()}
	conf.Upper.ReconDefault, conf.Upper.ReconMax = 5*time.Millisecond, 20*time.Millisecond
	l, _ := s.open(func(o *Options) { o.Master = client.Options{Addr: port.Addr().String(), Cachedir: s.dir, User: "root"} })
	f, err := syndic.New(syndic.Options{Config: conf, Local: l, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	top.AwaitSubscribers(t, 1)
	top.Await(t, "_minion_event", 1) // announced
	top.Publish(channeltest.Job(job1, "*", "test.ping"))
	var job *wire.Map
	waiting.Until(t, "the return at the top", func() bool {
		for _, l := range top.Seen("_syndic_return") {
			if jobs := l.List("load"); len(jobs) == 1 {
				job, _ = jobs[0].(*wire.Map)
			}
		}
		return job != nil
	})
	if job.String("jid") != job1 || !job.Map("return").Map("web-1").Bool("return") || job.Map("load").String("tgt") != "*" {
		t.Errorf("sent %#v", job)
	}
	waiting.Until(t, "an empty outbox", func() bool { return len(pending(t, l)) == 0 })
}
