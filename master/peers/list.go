package peers

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
)

// listFile holds the peers that announced themselves, and the connected ones. So after a restart a
// minion that is gone is not taken for a silent Python one, and jobs do not wait for minions that
// were not connected. Its rows are
//
//	[id, role, version, gone]   a peer that announces itself; gone: it was not connected
//	[id, "stock"]               a stock minion that was connected
//	["", when, sure]            when it was written, and whether it has all connected minions
const listFile = "presence.p"

const (
	// listAge is how old the list may be to prove that a minion was not connected.
	listAge = 10 * time.Minute
	// listEvery is the longest time between two writes, and listPause the shortest if only
	// connections have changed.
	listEvery = 3 * time.Minute
	listPause = 5 * time.Second
)

// kept is the content of the list.
type kept struct {
	known []presence.Peer
	sure  bool
}

// stockRow marks a stock minion.
const stockRow = "stock"

// OpenRegistry returns a registry with the peers known before the restart. position counts
// publications and sign-ins; see [presence.Config].
func OpenRegistry(c *config.Master, position func() int64, log *slog.Logger, now func() time.Time) *presence.Registry {
	known, sure, err := load(c.Cachedir, now())
	if err != nil { // the list is rewritten with the next change
		log.Warn("list of known peers ignored", "err", err)
	}
	return presence.New(presence.Config{
		Known: known, Sure: sure, Now: now, Asks: c.PresenceAsk, Reconnect: c.PresenceReconnect, Position: position,
	})
}

// load reads the list. sure reports whether it is recent and complete.
func load(cachedir string, now time.Time) (out []presence.Peer, sure bool, err error) {
	path := filepath.Join(cachedir, listFile)
	v, err := wire.ReadFile(path)
	if err != nil {
		return nil, false, err
	}
	rows, ok := v.([]any)
	if !ok && v != nil {
		return nil, false, wire.SpoiltFile(path, fmt.Errorf("%w: want a list, have %T", wire.ErrType, v))
	}
	fresh := false
	for _, row := range rows {
		list := asList(row)
		switch f := wire.Texts(list); {
		case len(f) == 1 && f[0] == "" && len(list) == 3:
			at, _ := list[1].(int64)
			age := now.Sub(time.Unix(at, 0))
			fresh = age >= 0 && age <= listAge
			sure, _ = list[2].(bool)
		case len(f) == 2 && f[1] == stockRow:
			out = append(out, presence.Peer{ID: f[0], Role: presence.Minion, Stock: true})
		case len(f) == 3:
			p := presence.Peer{ID: f[0], Role: f[1], Version: f[2]}
			if len(list) > 3 {
				p.Gone, _ = list[3].(bool)
			}
			out = append(out, p)
		}
	}
	if !fresh {
		for i := range out {
			out[i].Gone = out[i].Stock
		}
	}
	return out, sure && fresh, nil
}

func asList(v any) []any {
	l, _ := v.([]any)
	return l
}

// save writes the list if peers were added or removed. If only connections have changed, it
// writes at the end of the service, or after a pause.
func (s *Service) save(last bool) error {
	now := s.o.Now()
	fresh := s.TakeChanged()
	pause := now.Sub(s.saved)
	if !fresh && !last && pause >= 0 && pause < listPause {
		return nil
	}
	known, sure := s.Export()
	if f := s.frozen.Load(); f != nil {
		known, sure = f.known, f.sure
	}
	slices.SortFunc(known, func(a, b presence.Peer) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.Role, b.Role))
	})
	rows := make([]any, 0, len(known)+1)
	for _, p := range known {
		if p.Stock {
			rows = append(rows, []any{p.ID, stockRow})
		} else {
			rows = append(rows, []any{p.ID, p.Role, p.Version, p.Gone})
		}
	}
	b, err := wire.EncodeBus(append(rows, sure))
	if err != nil {
		return fmt.Errorf("encode known peers: %w", err)
	}
	sum := sha256.Sum256(b)
	if !fresh && sum == s.list && pause >= 0 && pause < listEvery && !last {
		return nil
	}
	if b, err = wire.EncodeBus(append(rows, []any{"", now.Unix(), sure})); err != nil {
		return fmt.Errorf("encode known peers: %w", err)
	}
	if err := durable.WriteFileLazy(filepath.Join(s.o.Config.Cachedir, listFile), b, 0o600); err != nil {
		if fresh {
			s.MarkChanged()
		}
		return err
	}
	s.saved, s.list = now, sum
	return nil
}
