package reactor

import (
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// table says which files are for which tags. It is safe for concurrent use.
type table struct {
	mu      sync.RWMutex
	entries []config.Reaction
	file    string // that has them; "": the option itself
	stamp   time.Time
	size    int64
}

// load takes them from the option, or from the file that it names.
func (t *table) load(o config.Reactors, log *slog.Logger) {
	t.entries, t.file = o.List, o.File
	t.reload(log)
}

// reload reads the file again if it has changed.
func (t *table) reload(log *slog.Logger) {
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
	if len(read.Faults) > 0 && !t.stamp.IsZero() { // a slip while the file is edited
		err = errors.New(strings.Join(read.Faults, "; "))
	}
	if err != nil {
		if t.size >= 0 {
			log.Error("reactor file unreadable, previous entries stay in force", "path", t.file, "err", err)
		}
		t.size = -1 // told once
		return
	}
	for _, fault := range read.Faults {
		log.Error("invalid reactor entry ignored", "option", "reactor", "path", t.file, "err", fault)
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

// wants tells whether there are files for a tag.
func (t *table) wants(tag string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.ContainsFunc(t.entries, func(e config.Reaction) bool { return target.Glob(e.Tag, tag) })
}

// slss gives the files for a tag, in their order.
func (t *table) slss(tag string) (out []string) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, e := range t.entries {
		if target.Glob(e.Tag, tag) {
			out = append(out, e.SLS...)
		}
	}
	return out
}

// list gives all as the option has them.
func (t *table) list() []any {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make([]any, 0, len(t.entries))
	for _, e := range t.entries {
		out = append(out, value.NewMap(e.Tag, texts(e.SLS)))
	}
	return out
}

// maxReactors bounds what can be added.
const maxReactors = 10_000

// add enters files for a tag that has none yet; it tells how, in Salt's words.
func (t *table) add(tag string, slss []string) *value.Map {
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

// remove takes the files of a tag out.
func (t *table) remove(tag string) *value.Map {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.entries, func(e config.Reaction) bool { return e.Tag == tag })
	if i < 0 {
		return answer(false, "Reactor does not exists.")
	}
	t.entries = slices.Delete(slices.Clone(t.entries), i, i+1)
	return answer(true, "Reactor deleted.")
}

func answer(ok bool, comment string) *value.Map {
	return value.NewMap("status", ok, "comment", comment)
}
