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
	Unknown     = "unknown"     // the node has never heard of it, or no more
	Unreachable = "unreachable" // the node could not be asked
)

// Names is how many minions a step names; the rest is counted.
const Names = 100

// Moments are when things happened to a job at one node; zero: not yet, or not
// known any more.
type Moments struct {
	Received  time.Time // the publication was taken
	Published time.Time // it was handed to the subscribers
	First     time.Time // the first return was stored
	Last      time.Time // the latest return was stored
	Closed    time.Time // the account added up
}

// Named is a minion that a step speaks of.
type Named struct {
	ID     string
	Why    string // the reason why it is missing; "" while it is waited for
	Behind string // the nodes below on the way to it, joined by "/"; "": a minion of the node itself
}

// Step is one node on the way of a job.
type Step struct {
	Node  string
	State string
	Error string // why the node could not tell
	Fun   string
	// TraceID is that of the job's OpenTelemetry trace, 32 hex digits; "": it has none.
	TraceID string
	Moments
	Expected, Returned, Failed int
	Missing, Waiting           []Named // at most Names each
	MissingAll, WaitingAll     int
	Stored                     int              // returns in its job store
	Owed                       map[string]int64 // rows of its outbox, by destination
	Nodes                      []Step           // of the nodes it asked, sorted
}

// maxDepth bounds what one answer may nest.
const maxDepth = 16

var errDepth = errors.New("a trace of more than 16 tiers")

// Map gives the step in the form in which it travels.
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
	owed := value.NewMap()
	for dest, n := range s.Owed {
		owed.Set(dest, n)
	}
	m.Set("owed", owed)
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

// FromMap reads what [Step.Map] wrote.
func FromMap(m *value.Map) (Step, error) { return fromMap(m, 0) }

func fromMap(m *value.Map, depth int) (Step, error) {
	if depth >= maxDepth {
		return Step{}, errDepth
	}
	s := Step{Node: m.String("node"), State: m.String("state"), Fun: m.String("fun"), Error: m.String("error"), TraceID: m.String("trace_id"), Owed: map[string]int64{}}
	if s.Node == "" {
		return s, errors.New("a step of a trace without node")
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
	if owed := m.Map("owed"); owed != nil {
		for _, k := range owed.Keys() {
			if dest, ok := k.(string); ok {
				s.Owed[dest] = int64(number(owed, dest))
			}
		}
	}
	for _, v := range m.List("nodes") {
		c, ok := v.(*value.Map)
		if !ok {
			return s, fmt.Errorf("trace of node %s: a node below it is not told as a map", s.Node)
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
