package reactor

import (
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// managePrefix is part of the tags of events that change a table; see [Reactor.manage].
const managePrefix = "salt/reactors/manage/"

// Table holds the files for each tag, and whether this master reacts. It is safe for concurrent
// use.
type Table struct {
	bus   *bus.Bus
	log   *slog.Logger
	leads atomic.Bool
	file  string // with the entries; "": the option itself

	mu      sync.RWMutex
	entries []config.Reaction
	stamp   time.Time
	size    int64
}

// NewTable returns the table of the option reactor, or of the file that the option names. Changes
// are fired on b.
func NewTable(o config.Reactors, b *bus.Bus, log *slog.Logger) *Table {
	t := &Table{bus: b, log: log, file: o.File, entries: o.List}
	t.leads.Store(true)
	t.reload()
	return t
}

// reload reads the file again if it has changed.
func (t *Table) reload() {
	if t.file == "" {
		return
	}
	info, err := os.Stat(t.file)
	if err == nil && info.ModTime().Equal(t.stamp) && info.Size() == t.size {
		return
	}
	var read config.Reactors
	if err == nil {
		read, err = readMap(t.file)
	}
	if len(read.Faults) > 0 && !t.stamp.IsZero() { // probably being edited: keep the old table
		err = errors.New(strings.Join(read.Faults, "; "))
	}
	if err != nil {
		if t.size >= 0 {
			t.log.Error("reactor file unreadable, previous entries stay in force", "path", t.file, "err", err)
		}
		t.size = -1 // logged once
		return
	}
	for _, fault := range read.Faults {
		t.log.Error("invalid reactor entry ignored", "option", "reactor", "path", t.file, "err", fault)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries, t.stamp, t.size = read.List, info.ModTime(), info.Size()
}

func readMap(file string) (config.Reactors, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return config.Reactors{}, err
	}
	v, err := pyfmt.ReadYAML(b)
	if err != nil {
		return config.Reactors{}, err
	}
	plain := value.Plain(v)
	if _, ok := plain.([]any); !ok {
		return config.Reactors{}, errors.New("it has no list of {tag: [files]}")
	}
	return config.ReadReactors(plain), nil
}

// wants reports whether a tag has files.
func (t *Table) wants(tag string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.ContainsFunc(t.entries, func(e config.Reaction) bool { return target.Glob(e.Tag, tag) })
}

// slss returns the files of a tag, in order.
func (t *Table) slss(tag string) (out []string) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, e := range t.entries {
		if target.Glob(e.Tag, tag) {
			out = append(out, e.SLS...)
		}
	}
	return out
}

// list returns the table in the form of the option.
func (t *Table) list() []any {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make([]any, 0, len(t.entries))
	for _, e := range t.entries {
		out = append(out, value.NewMap(e.Tag, texts(e.SLS)))
	}
	return out
}

// maxReactors limits the added reactors.
const maxReactors = 10_000

// add adds files for a tag without files. It returns the result in Salt's words.
func (t *Table) add(tag string, slss []string) *value.Map {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case slices.ContainsFunc(t.entries, func(e config.Reaction) bool { return e.Tag == tag }):
		return answer(false, "Reactor already exists.")
	case len(t.entries) >= maxReactors:
		return answer(false, "There are too many reactors.")
	}
	t.entries = append(slices.Clone(t.entries), config.Reaction{Tag: tag, SLS: slss})
	return answer(true, "Reactor added.")
}

// remove removes the files of a tag.
func (t *Table) remove(tag string) *value.Map {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.entries, func(e config.Reaction) bool { return e.Tag == tag })
	if i < 0 {
		return answer(false, "Reactor does not exists.")
	}
	t.entries = slices.Delete(slices.Clone(t.entries), i, i+1)
	return answer(true, "Reactor deleted.")
}

// List returns the table in the form of the option, and fires it.
func (t *Table) List() []any {
	all := t.list()
	t.fire(managePrefix+"list-results", value.NewMap("reactors", all))
	return all
}

// Add adds files for a tag until the master ends.
func (t *Table) Add(tag string, slss []string) *value.Map {
	res := answer(false, "A reactor needs a tag and files.")
	if tag != "" && len(slss) > 0 {
		res = t.add(tag, slss)
	}
	t.fire(managePrefix+"add-complete", value.NewMap("reactors", t.list(), "result", res))
	return res
}

// Delete removes the files of a tag until the master ends.
func (t *Table) Delete(tag string) *value.Map {
	res := t.remove(tag)
	t.fire(managePrefix+"delete-complete", value.NewMap("reactors", t.list(), "result", res))
	return res
}

// Leads reports whether this master reacts. A master that does not leaves it to another.
func (t *Table) Leads() bool {
	leads := t.leads.Load()
	t.fire(managePrefix+"leader/value", value.NewMap("result", leads))
	return leads
}

// SetLeader sets whether this master reacts.
func (t *Table) SetLeader(leads bool) bool {
	t.leads.Store(leads)
	return t.Leads()
}

func (t *Table) fire(tag string, data *value.Map) {
	if err := t.bus.Fire(tag, data); err != nil {
		t.log.Error("event not fired", "tag", tag, "err", err)
	}
}

func answer(ok bool, comment string) *value.Map {
	return value.NewMap("status", ok, "comment", comment)
}
