package trace

import (
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/value"
)

// The states of a job at a node.
const (
	Open        = "open"
	Closed      = "closed"
	Unknown     = "unknown"     // the node does not know the job
	Unreachable = "unreachable" // the node could not be asked
)

// keyPending is the field for the pending rows of each destination.
const keyPending = "owed"

// Names bounds the minions named in a step; others are counted.
const Names = 100

// Moments are the times of a job's events at one node; zero: not yet, or unknown.
type Moments struct {
	Received  time.Time // publication received
	Published time.Time // published to the subscribers
	First     time.Time // first return stored
	Last      time.Time // last return stored
	Closed    time.Time // job closed
}

// Named is a minion of a step.
type Named struct {
	ID     string
	Why    string // reason if it is missing, "" while it is waited for
	Behind string // path of the node it is behind; "": a minion of the node itself
}

// Step is the state of a job at one node.
type Step struct {
	Node  string
	State string
	Error string // error of the request to the node
	Fun   string
	// TraceID is the id of the job's OpenTelemetry trace, 32 hex digits, or "".
	TraceID string
	Moments
	Expected, Returned, Failed int
	Missing, Waiting           []Named // at most Names each
	MissingAll, WaitingAll     int
	Stored                     int              // returns in its job store
	Pending                    map[string]int64 // outbox rows by destination
	Nodes                      []Step           // children, sorted
}

// maxDepth bounds the nesting of an answer.
const maxDepth = 16

var errDepth = errors.New("trace has more than 16 tiers")

// Map encodes the step.
func (s Step) Map() *value.Map {
	m := value.NewMap("node", s.Node, "state", s.State, "fun", s.Fun, "expected", s.Expected, "returned", s.Returned,
		"failed", s.Failed, "missing_count", s.MissingAll, "waiting_count", s.WaitingAll, "stored", s.Stored)
	if s.Error != "" {
		m.Set("error", s.Error)
	}
	if s.TraceID != "" {
		m.Set("trace_id", s.TraceID)
	}
	for _, t := range s.times() {
		if !t.at.IsZero() {
			m.Set(t.name, t.at.UTC().Format(time.RFC3339Nano))
		}
	}
	for _, l := range []struct {
		name string
		list []Named
	}{{"missing", s.Missing}, {"waiting", s.Waiting}} {
		rows := make([]any, 0, len(l.list))
		for _, n := range l.list {
			rows = append(rows, value.NewMap("id", n.ID, "reason", n.Why, "path", n.Behind))
		}
		m.Set(l.name, rows)
	}
	rows := value.NewMap()
	for dest, n := range s.Pending {
		rows.Set(dest, n)
	}
	m.Set(keyPending, rows)
	nodes := make([]any, 0, len(s.Nodes))
	for _, c := range s.Nodes {
		nodes = append(nodes, c.Map())
	}
	m.Set("nodes", nodes)
	return m
}

type moment struct {
	name string
	at   *time.Time
}

func (s *Step) times() []moment {
	return []moment{
		{"received", &s.Received}, {"published", &s.Published}, {"first_return", &s.First}, {"last_return", &s.Last}, {"closed", &s.Moments.Closed},
	}
}

// FromMap decodes what [Step.Map] encoded.
func FromMap(m *value.Map) (Step, error) { return fromMap(m, 0) }

func fromMap(m *value.Map, depth int) (Step, error) {
	if depth >= maxDepth {
		return Step{}, errDepth
	}
	s := Step{Node: m.String("node"), State: m.String("state"), Fun: m.String("fun"), Error: m.String("error"), TraceID: m.String("trace_id"), Pending: map[string]int64{}}
	if s.Node == "" {
		return s, errors.New("trace step without node")
	}
	number := func(from *value.Map, key string) int {
		v, _ := from.Get(key)
		switch n := v.(type) {
		case int64:
			return int(n)
		case uint64:
			return int(n)
		case int:
			return n
		}
		return 0
	}
	s.Expected, s.Returned, s.Failed = number(m, "expected"), number(m, "returned"), number(m, "failed")
	s.MissingAll, s.WaitingAll, s.Stored = number(m, "missing_count"), number(m, "waiting_count"), number(m, "stored")
	for _, t := range s.times() {
		*t.at, _ = time.Parse(time.RFC3339Nano, m.String(t.name))
	}
	s.Missing, s.Waiting = named(m.List("missing")), named(m.List("waiting"))
	if rows := m.Map(keyPending); rows != nil {
		for _, k := range rows.Keys() {
			if dest, ok := k.(string); ok {
				s.Pending[dest] = int64(number(rows, dest))
			}
		}
	}
	for _, v := range m.List("nodes") {
		c, ok := v.(*value.Map)
		if !ok {
			return s, fmt.Errorf("trace of node %s: child is not a map", s.Node)
		}
		step, err := fromMap(c, depth+1)
		if err != nil {
			return s, err
		}
		s.Nodes = append(s.Nodes, step)
	}
	return s, nil
}

func named(rows []any) []Named {
	var out []Named
	for _, v := range rows {
		if m, ok := v.(*value.Map); ok && len(out) < Names {
			out = append(out, Named{ID: m.String("id"), Why: m.String("reason"), Behind: m.String("path")})
		}
	}
	return out
}
