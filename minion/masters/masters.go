package masters

import (
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/minion/delivery"
	"github.com/momtree/mom/minion/jobs"
	"github.com/momtree/mom/minion/session"
)

// Config holds the dependencies of [Masters].
type Config struct {
	// Options are the options of the minion.
	Options *config.Minion
	// Sessions opens the connections.
	Sessions *session.Sessions
	// Jobs is passed each master that is served, and returns to it the jobs of an earlier run.
	Jobs *jobs.Jobs
	// Bus carries the local events that ask the minion to move to a sibling.
	Bus *bus.Bus
	Log *slog.Logger
}

// Masters are the masters of one minion.
type Masters struct{ Config }

// New returns Masters that are not connected yet.
func New(cfg Config) *Masters { return &Masters{Config: cfg} }

// List returns the option master, shuffled if so configured. With master_failback the first
// stays first.
func (m *Masters) List() []string {
	list := append([]string(nil), m.Options.Master...)
	if !m.Options.RandomMaster && !m.Options.MasterShuffle {
		return list
	}
	rest := list
	if m.Options.MasterType == "failover" && m.Options.MasterFailback && len(list) > 0 {
		rest = list[1:]
	}
	rand.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return list
}

// outbox opens the pending returns for a master. Failover masters share an outbox: the active
// master gets what is left.
func (m *Masters) outbox(name string) (*delivery.Outbox, error) {
	return delivery.OpenOutbox(m.outboxDir(name), m.Options.Bounds.OrDefault().Returns, m.Log)
}

// outboxDir returns the directory of the returns for one master.
func (m *Masters) outboxDir(name string) string {
	safe := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/\\:[]%\x00", r) {
			return '_'
		}
		return r
	}, name)
	if strings.HasPrefix(safe, ".") {
		safe = "_" + safe
	}
	return filepath.Join(m.Options.Cachedir, "returns", safe)
}
