package mine

import (
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/wire"
)

// EntriesOptions configure [Entries].
type EntriesOptions struct {
	Cachedir string
	// MaxSize bounds the mine of one minion, in bytes as packed.
	MaxSize    int
	Nodegroups map[string]any
	Log        *slog.Logger
	Now        func() time.Time
}

// Entries holds the mine entries of the minions of one master. It is safe for concurrent use.
type Entries struct {
	o      EntriesOptions
	store  *Store
	hidden logs.Throttle[string]
}

// NewEntries returns the entries in cachedir.
func NewEntries(o EntriesOptions) *Entries {
	return &Entries{o: o, store: NewStore(o.Cachedir, o.MaxSize)}
}

// Forget drops the entries in memory of a minion whose data were removed.
func (e *Entries) Forget(id string) { e.store.Forget(id) }

// Packed returns entries of a minion as they travel through the tree; nil names means all.
func (e *Entries) Packed(id string, names []string) (*wire.Map, error) {
	m, err := e.store.Get(id)
	if err != nil {
		return nil, err
	}
	if names == nil {
		names = m.Names()
	}
	out := wire.NewMap()
	for _, name := range names {
		raw, ok := m.Entry(name)
		if !ok {
			continue
		}
		read, err := readEntry(raw)
		if err == nil {
			read, err = read.expanded(e.o.Nodegroups)
		}
		if err == nil {
			raw, err = read.packed()
		}
		if err != nil {
			e.hide(id, name, err)
			continue
		}
		out.Set(name, raw)
	}
	return out, nil
}

// Clear removes entries of a minion and reports whether it had any; nil names means all.
func (e *Entries) Clear(id string, names []string) (had bool, err error) {
	if names == nil {
		return e.store.Flush(id)
	}
	for _, name := range names {
		m, err := e.store.Get(id)
		if err != nil {
			return had, err
		}
		if _, ok := m.Entry(name); !ok {
			continue
		}
		had = true
		if _, err := e.store.Delete(id, name); err != nil {
			return had, err
		}
	}
	return had, nil
}

// hide logs an entry that is shown to no minion, because its rules are invalid.
func (e *Entries) hide(id, name string, err error) {
	name = shown(name)
	if n := e.hidden.Note(id+" "+name, e.o.Now()); n > 0 {
		e.o.Log.Warn("mine entry hidden from all minions", "minion", id, "fun", name, "times", n, "err", err)
	}
}
