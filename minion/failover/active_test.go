package failover

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// opened is a session that does not serve, with the options that it was opened with.
type opened struct {
	name    string
	o       SessionOptions
	ch      *channel.Channel
	up      bool
	changed chan struct{}
}

func (s *opened) Name() string                                       { return s.name }
func (s *opened) Channel() *channel.Channel                          { return s.ch }
func (s *opened) SignIn(ctx context.Context) (channel.Result, error) { return channel.Result{}, nil }
func (s *opened) Serve(ctx context.Context, _ channel.Result)        { <-ctx.Done() }
func (s *opened) ReportInterrupted()                                 {}
func (s *opened) Subscribed() (bool, <-chan struct{})                { return s.up, s.changed }
func (s *opened) Announced() <-chan struct{}                         { return nil }

// newMover returns a mover whose sessions get no answers.
func newMover(t *testing.T) (*mover, *[]*opened) {
	t.Helper()
	cfg := config.DefaultMinion()
	cfg.ID, cfg.Cachedir, cfg.PkiDir = "m1", t.TempDir(), t.TempDir()
	cfg.Master = []string{"127.0.0.1:1"} // nothing listens there
	k, err := openKnown(cfg.Cachedir, cfg.Master[0])
	if err != nil {
		t.Fatal(err)
	}
	all := &[]*opened{}
	return &mover{known: k, Config: Config{
		Options: cfg, Master: cfg.Master[0], Log: slog.New(slog.DiscardHandler),
		Open: func(name string, o SessionOptions) (Session, error) {
			c, err := channel.FromMinion(cfg, "minion", name)
			if err != nil {
				return nil, err
			}
			ch, err := channel.New(c)
			s := &opened{name: name, o: o, ch: ch, changed: make(chan struct{})}
			*all = append(*all, s)
			return s, err
		},
	}}, all
}

// A master that will get returns of jobs that it did not send to the minion must know of them
// beforehand: each master that accepts it as a guest, and the primary to which it comes back.
func TestOpen_WhoIsKnownBeforeReturnsCome(t *testing.T) {
	for name, tt := range map[string]struct {
		open      func(ctx context.Context, m *mover) error
		announced bool
	}{
		"the primary at the start": {func(ctx context.Context, m *mover) error { _, err := m.primary(ctx, true, false); return err }, false},
		"the primary again":        {func(ctx context.Context, m *mover) error { _, err := m.primary(ctx, true, true); return err }, true},
		"the configured master":    {func(ctx context.Context, m *mover) error { _, err := m.configured(ctx); return err }, true},
		"a sibling": {func(ctx context.Context, m *mover) error {
			_, err := m.sibling(ctx, sibling.Node{ID: "b", Host: "127.0.0.1", Port: 1}, nil)
			return err
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			m, all := newMover(t)
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // no request is sent
			if err := tt.open(ctx, m); err == nil {
				t.Fatal("nobody was asked, and it took us")
			}
			s := (*all)[0]
			if first := s.o.AnnounceFirst > 0; first != tt.announced {
				t.Errorf("returns wait for an announcement: %v", first)
			}
			if back := s.o.Announce().Bool("back"); back != (name == "the primary again") {
				t.Errorf("says that it comes back: %v", back)
			}
		})
	}
}

// A minion names the masters that it has left, at each later connect and after a restart.
func TestOpen_NamesTheMastersLeft(t *testing.T) {
	m, all := newMover(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // no request is sent
	m.known.node = "home"
	home, err := m.open("home", SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	said := func() []string { return wire.Texts((*all)[len(*all)-1].o.Announce().List(sibling.AnnouncedVisits)) }
	if got := said(); len(got) != 0 {
		t.Errorf("before it has left any: %v", got)
	}
	defer home.Channel().Close()
	m.leave(home)
	guest := &active{node: sibling.Node{ID: "b"}}
	guest.guest.Store(true)
	m.leave(guest)
	_, _ = m.primary(ctx, true, true)
	if got := said(); !slices.Equal(got, []string{"b", "home"}) {
		t.Errorf("back at its primary it says %v", got)
	}
	k, err := openKnown(m.Options.Cachedir, m.Master)
	if err != nil {
		t.Fatal(err)
	}
	if got := k.left.Recent(time.Now()); !slices.Equal(got, []string{"b", "home"}) {
		t.Errorf("after a restart it knows %v", got)
	}
}

// The interval between requests for siblings: short where none is known or the minion is a
// guest, otherwise long; at once when the master reports a change.
func TestAwaitChange(t *testing.T) {
	const after = 2 * time.Second
	for name, tt := range map[string]struct {
		knows, guest, down bool
		change             string
		waits, spread      time.Duration
	}{
		"all is well":                 {knows: true, waits: askEvery, spread: after},
		"no sibling is known":         {waits: 5 * after, spread: after},
		"a guest":                     {knows: true, guest: true, waits: 5 * after, spread: after},
		"change, and none was known":  {change: sibling.Changed, spread: 7 * time.Second},
		"change, and some were known": {knows: true, change: sibling.Changed, spread: renewWithin},
		"change of something else":    {change: "else", waits: 5 * after, spread: after},
		"not subscribed":              {knows: true, down: true, spread: renewWithin},
	} {
		t.Run(name, func(t *testing.T) {
			m, all := newMover(t)
			m.Options.RehomeAfter = after
			synctest.Test(t, func(t *testing.T) {
				a, err := m.open(m.Master, SessionOptions{})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = a.Channel().Close() }()
				a.guest.Store(tt.guest)
				s := (*all)[0]
				s.up = !tt.down
				if tt.change != "" {
					for range 3 { // more than it keeps
						s.o.Changed(nodecall.Change{What: tt.change, Within: 7 * time.Second})
					}
				}
				start := time.Now()
				if got := m.awaitChange(t.Context(), a, tt.knows); got != tt.spread {
					t.Errorf("spread over %v, want %v", got, tt.spread)
				}
				if took := time.Since(start); took != tt.waits {
					t.Errorf("waited %v, want %v", took, tt.waits)
				}
			})
		})
	}
}

func TestReadOrder(t *testing.T) {
	for text, want := range map[string]trigger{
		"":                              {asked: true},
		"\x81\xa2to\xa1b":               {asked: true, to: "b"},
		"\x82\xa2to\xa1b\xa6settle\xc3": {asked: true, to: "b", forGood: true},
		"\x81\xa4data\x81\xa2to\xa1b":   {asked: true, to: "b"},
		"\xa1?":                         {asked: true},
	} {
		if got := readOrder([]byte(text)); got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
