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

// Unserved logs requests of minions that this master does not serve. Many minions may send them at
// once, for example after a start, and some with each state run. So each kind of request is logged
// the first time and then once a minute, with the minions since.
type Unserved struct {
	log *slog.Logger

	mu    sync.Mutex
	asked map[string]*askers // by command; the set of commands is fixed

	files []string // options that ask for features not served
}

// NewUnserved returns an Unserved without requests.
func NewUnserved(log *slog.Logger) *Unserved { return &Unserved{log: log, asked: map[string]*askers{}} }

type askers struct {
	what   string
	ids    []string // of this period, at most maxAskers
	more   bool     // there were others
	n      int
	about  string // of the latest request: a path, a function
	logged time.Time
}

const (
	unservedEvery = time.Minute
	// maxAskers limits the minions in one log line.
	maxAskers = 10
)

// Note counts a request of minion id. what is the kind of request, and about its subject.
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

// due returns the log attributes of what is due now. Setting the clock back does not silence the
// log.
func (u *Unserved) due(now time.Time) (lines [][]any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, cmd := range slices.Sorted(maps.Keys(u.asked)) {
		a := u.asked[cmd]
		if since := now.Sub(a.logged); a.n == 0 || !a.logged.IsZero() && since >= 0 && since < unservedEvery {
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
		*a = askers{what: a.what, logged: now}
	}
	return lines
}

// Flush logs the lines that are due.
func (u *Unserved) Flush(now time.Time) {
	for _, line := range u.due(now) {
		u.log.Warn("unsupported commands from minions", line...)
	}
}

// Find notes configured features that the master does not serve.
func (u *Unserved) Find(c *config.Master) { u.files = c.UnservedFiles() }

// pillarErrors returns the errors that Salt's minions look for in a pillar before they apply
// states, and that pillar.items shows: the configuration names sources of states that this master
// does not serve. Without such sources it returns nil.
func (u *Unserved) pillarErrors() []any {
	var out []any
	if len(u.files) > 0 {
		out = append(out, fmt.Sprintf("this master (mom) does not serve the files or states of %s, which has no effect", strings.Join(u.files, ", ")))
	}
	return out
}
