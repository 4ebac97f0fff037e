package gossip

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
)

// maxRecords bounds the table; further nodes are ignored.
const maxRecords = 4096

// Trust is why a record is accepted.
type Trust string

// The kinds of trust.
const (
	// Vouched: the tree knows this key for the node.
	Vouched Trust = "vouched"
	// Pinned: the key is the first one seen for the node.
	Pinned Trust = "pinned"
)

// errKey means that a record has another key than the node's.
var errKey = errors.New("gossip: not the node's key")

// table holds the newest record of each node. It is safe for concurrent use.
type table struct {
	vouched func(id string) string
	pins    *pins

	mu      sync.Mutex
	rows    map[string]signed
	strange map[string]string // id → fingerprint of a refused key
	refused uint64
}

func newTable(vouched func(string) string, p *pins) *table {
	return &table{vouched: vouched, pins: p, rows: map[string]signed{}, strange: map[string]string{}}
}

// offer stores a record if it is newer and its key is the node's. fresh means that it should be
// forwarded.
func (t *table) offer(s signed) (fresh bool, err error) {
	t.mu.Lock()
	old, known := t.rows[s.ID]
	full := !known && len(t.rows) >= maxRecords
	t.mu.Unlock()
	if full || known && !s.newer(old.Record) && bytes.Equal(s.key, old.key) {
		return false, nil
	}
	if err := s.verify(); err != nil { // the expensive check comes last
		t.mu.Lock()
		t.refused++
		t.mu.Unlock()
		return false, err
	}
	if _, err := t.trust(s); err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.refused++
		if len(t.strange) < maxRecords {
			t.strange[s.ID] = fingerprint(s.key)
		}
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, known := t.rows[s.ID]; known && !s.newer(old.Record) && bytes.Equal(s.key, old.key) {
		return false, nil
	}
	t.rows[s.ID] = s
	return true, nil
}

// trust decides whether a key is the node's: the one vouched for by the tree, otherwise the pinned
// one; the first key seen is pinned.
func (t *table) trust(s signed) (Trust, error) {
	have := fingerprint(s.key)
	if want := t.vouched(s.ID); want != "" {
		if want != have {
			return "", fmt.Errorf("%w: the tree has another one for %s", errKey, s.ID)
		}
		return Vouched, t.pins.set(s.ID, have)
	}
	want, err := t.pins.first(s.ID, have)
	if err != nil {
		return "", err
	}
	if want != have {
		return "", fmt.Errorf("%w: another one is pinned for %s; if its key was changed, delete its line in %s", errKey, s.ID, t.pins.path)
	}
	return Pinned, nil
}

// all returns the whole table for a push-pull exchange.
func (t *table) all() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b []byte
	for _, s := range t.rows {
		b = s.append(b)
	}
	return b
}

// snapshot returns copies of the records and of the refused keys.
func (t *table) snapshot() (rows map[string]signed, strange map[string]string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows, strange = make(map[string]signed, len(t.rows)), make(map[string]string, len(t.strange))
	for id, s := range t.rows {
		rows[id] = s
	}
	for id, f := range t.strange {
		strange[id] = f
	}
	return rows, strange
}

// drop removes nodes.
func (t *table) drop(ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range ids {
		delete(t.rows, id)
		delete(t.strange, id)
	}
}
