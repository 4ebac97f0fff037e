package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

const (
	// keysCommand passes records of keys.
	keysCommand = "_cluster_keys"
	// recordsPage is the number of records of a request.
	recordsPage = 200
	// keysLane names the lane of these requests.
	keysLane = "keys"
	// differAfter is how many hellos in a row must find different records before all are sent again:
	// a change may be under way. allEvery is the least time between two such transfers.
	differAfter = 3
	allEvery    = 30 * time.Second
)

func init() {
	commands.Register(server.Command{
		Name: keysCommand, Who: server.Proven, Whole: true,
		Args: []string{"records"},
		Doc: `
Another top of the cluster passes what operators decided about keys; our own addition.

records
    For each: the id, accepted, rejected or deleted, the fingerprint, whether it is
    admitted as a node, the time and the top of the decision, and the key.
`,
	}, func(s *Service) server.Handler { return s.onKeys })
}

// onKeys applies the records of another top.
func (s *Service) onKeys(_ context.Context, r *server.Request) (any, error) {
	//mutant:only-tops-pass-keys
	if err := s.Admits(r.ID); err != nil {
		return wire.NewMap("error", err.Error()), nil
	}
	raw, err := wire.Field(r.Load, "records")
	if err != nil {
		return nil, fmt.Errorf("keys of top %s: %w", r.ID, err)
	}
	v, err := wire.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("keys of top %s: %w", r.ID, err)
	}
	list, _ := v.([]any)
	if err := s.o.Sync.take(r.ID, list); err != nil {
		s.o.Log.Error("keys of another top not applied", "master", r.ID, "err", err)
		return wire.NewMap("error", err.Error()), nil
	}
	return wire.NewMap("taken", true), nil
}

// KeysChanged reports that keys or admissions may have changed here.
func (s *Service) KeysChanged(ids ...string) { s.o.Sync.Changed(ids...) }

// pushKeys sends records to the other tops.
func (s *Service) pushKeys(list ...any) {
	for _, l := range s.links {
		l.pushKeys(list)
	}
}

func (l *link) pushKeys(list []any) {
	for part := range slices.Chunk(list, recordsPage) {
		raw, err := wire.Encode(part)
		if err != nil { // texts and numbers
			l.s.o.Log.Error("key records not encoded", "err", err)
			return
		}
		l.push(newRequest(keysLane, wire.NewMap("cmd", keysCommand, "records", wire.Raw(raw))))
	}
}

// compareKeys sends all records if those of the other top differ.
func (l *link) compareKeys(theirs string) {
	ours, now := l.s.o.Sync.Digest(), l.s.o.Now()
	switch {
	case theirs == ours, ours != l.digest:
		l.differ = 0
	default:
		l.differ++
	}
	l.digest = ours
	if theirs == ours || !l.sentKeys.IsZero() && (l.differ < differAfter || now.Sub(l.sentKeys) < allEvery) {
		return
	}
	l.sentKeys, l.differ = now, 0
	l.pushKeys(l.s.o.Sync.all())
}
