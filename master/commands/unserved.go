package commands

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/config"
)

// Unserved tells the operator what minions ask for and this master does not serve.
// Many ask at once, after a start for instance, and some with every state they run:
// each kind of request is logged the first time and then once a minute, with who has
// asked since.
type Unserved struct {
	log *slog.Logger

	mu    sync.Mutex
	asked map[string]*askers // by command; the commands are a closed list

	files []string // options that ask for what is not served
}

// NewUnserved has nothing to tell yet.
func NewUnserved(log *slog.Logger) *Unserved { return &Unserved{log: log, asked: map[string]*askers{}} }

type askers struct {
	what  string
	ids   []string // of this period, at most maxAskers
	more  bool     // there were others
	n     int
	about string // of the latest: a path, a function
	told  time.Time
}

const (
	unservedEvery = time.Minute
	// maxAskers is how many minions one line names.
	maxAskers = 10
)

// Note counts a request of a minion by a command that is for what, and about that.
func (u *Unserved) Note(what, cmd, id, about string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	a := u.asked[cmd]
	if a == nil {
		a = &askers{what: what}
		u.asked[cmd] = a
	}
	a.n++
	a.about = about
	switch {
	case slices.Contains(a.ids, id):
	case len(a.ids) < maxAskers:
		a.ids = append(a.ids, id)
	default:
		a.more = true
	}
}

// due gives what is to be told now, as attributes for the log. A clock that was set
// back silences nothing.
func (u *Unserved) due(now time.Time) (lines [][]any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, cmd := range slices.Sorted(maps.Keys(u.asked)) {
		a := u.asked[cmd]
		if since := now.Sub(a.told); a.n == 0 || !a.told.IsZero() && since >= 0 && since < unservedEvery {
			continue
		}
		ids := strings.Join(a.ids, " ")
		if a.more {
			ids += " and others"
		}
		line := []any{"what", a.what, "cmd", cmd, "ids", ids, "requests", a.n}
		if a.about != "" {
			line = append(line, "about", a.about)
		}
		lines = append(lines, line)
		*a = askers{what: a.what, told: now}
	}
	return lines
}

// Tell logs what is due.
func (u *Unserved) Tell(now time.Time) {
	for _, line := range u.due(now) {
		u.log.Warn("unsupported commands from minions", line...)
	}
}

// Find notes what the master is configured to serve and does not.
func (u *Unserved) Find(c *config.Master) { u.files = c.UnservedFiles() }

// pillarErrors is what Salt's minions look for in a pillar before they apply states,
// and what pillar.items shows: that the files that states come from are not what the
// configuration of the master says. Nothing where it says nothing.
func (u *Unserved) pillarErrors() []any {
	var out []any
	if len(u.files) > 0 {
		out = append(out, fmt.Sprintf("this master (mom) does not serve the files or states of %s, which has no effect", strings.Join(u.files, ", ")))
	}
	return out
}
