package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/returns"
)

// Sizes of messages without a payload of their own: about what they take in Salt's form with
// encryption and framing.
const (
	ackBytes      = 120
	presenceBytes = 300
	probeBytes    = 400
	overhead      = 200 // per message: envelope, padding, HMAC
)

// Memory of a node per item, as measured (connection: docs/reference/benchmarks.md) or counted from
// the fields (the others).
const (
	connectionMemory = 17 << 10
	entryMemory      = 160
	leafMemory       = 64
)

// Traffic counts messages between a tier and the tier below.
type Traffic struct {
	Messages int64 `json:"messages"`
	Bytes    int64 `json:"bytes"`
}

// Tier summarizes the nodes of one depth.
type Tier struct {
	Nodes     int     `json:"nodes"`
	Minions   int     `json:"minions"` // connected to these nodes
	Up        Traffic `json:"up"`      // received from below
	Down      Traffic `json:"down"`    // sent down
	Rows      int64   `json:"rows"`    // returns stored
	Repeats   int64   `json:"repeats"` // repeated returns
	MaxMemory int64   `json:"max_memory_bytes"`
	MaxOutbox int64   `json:"max_outbox_rows"`
	// MaxBusy is the processor time of the busiest node.
	MaxBusy time.Duration `json:"max_busy_ns"`
	// MaxRate is the highest number of rows a second that one node stored, on average between its
	// first and its last row.
	MaxRate float64 `json:"max_rows_per_second"`
}

// Account is the account of a job at a top.
type Account struct {
	JID      string         `json:"jid"`
	Fun      string         `json:"fun"`
	Top      string         `json:"top,omitempty"` // the top, if there are several
	Targets  int            `json:"targets"`
	Expected int            `json:"expected"`
	Returned int            `json:"returned"`
	Failed   int            `json:"failed"`
	Missing  map[string]int `json:"missing"` // by reason
	// Took is the time from the publication to the first time that the account added up;
	// below 0: never. Closings is how often it was closed.
	Took time.Duration `json:"took_ns"`
	// Last is the time from the publication until the top has stored the last return.
	Last     time.Duration `json:"last_ns"`
	Closings int           `json:"closings"`
	Rows     int           `json:"rows"`

	missing map[string]jobevent.Absence
	nodes   map[string]jobevent.NodeState
	late    map[string]string // missing minions by the store, for a job that the ledger has removed
}

func (a *Account) of(x engine.Account) {
	a.Expected, a.Returned, a.Failed, a.missing, a.nodes = x.Expected, x.Returned, x.Failed, x.Missing, x.Nodes
}

// Report is the outcome of a simulation.
type Report struct {
	Seed    uint64        `json:"seed"`
	Nodes   int           `json:"nodes"`
	Minions int           `json:"minions"`
	Virtual time.Duration `json:"virtual_ns"`
	Events  int           `json:"events"`
	Faults  int           `json:"faults"`
	Jobs    []Account     `json:"jobs"`
	Tiers   []Tier        `json:"tiers"`
	SQL     []Sink        `json:"sql,omitempty"` // by top
	// Rows is a hash of all rows at the first top of each job: equal rows have equal hashes.
	Rows string `json:"rows_digest"`
}

// Sink is what a top has written to the database.
type Sink struct {
	Top  string        `json:"top"`
	Rows int64         `json:"rows"`
	Most int64         `json:"max_waiting_rows"`
	Last time.Duration `json:"last_ns"` // when the last row was stored, since the start
}

type nodeStats struct {
	traffic [2]Traffic
	rows    int64
	repeats int64
	outbox  int64
	busy    int64

	first, last int64 // when rows were stored
}

// stored counts rows that are new at the node.
func (n *node) stored(rows int) {
	if rows == 0 {
		return
	}
	s := &n.stats
	if s.first == 0 {
		s.first = n.w.now
	}
	s.last = n.w.now
	n.w.sql.wrote(n, rows)
}

// rate returns the rows per second between the first and the last.
func (s *nodeStats) rate() float64 {
	if s.last <= s.first {
		return 0
	}
	return float64(s.rows) / time.Duration(s.last-s.first).Seconds()
}

func (n *node) count(dir direction, bytes int64) {
	t := &n.stats.traffic[dir]
	t.Messages++
	t.Bytes += bytes
}

func (w *World) publicationBytes(j *job) int64 { return int64(len(j.load)) + overhead }

func returnBytes(j *job) int64 { return int64(150+max(j.Size, 1)) + overhead }

// settle reads the final accounts. Late returns have changed some since they were closed.
func (w *World) settle() {
	for _, n := range w.nodes {
		n.waitsFor, n.unreported = map[string]string{}, map[string]bool{}
		for _, jid := range n.noted(returners.NoteUnreported) {
			n.unreported[jid] = true
		}
		for _, jid := range slices.Concat(n.noted(returners.NoteOpen), n.engine.Active()) {
			a, known := n.engine.State(jid)
			n.waitsFor[jid] = fmt.Sprintf("known %v, waits for minions %v, nodes %v", known, a.Waiting, a.Nodes)
		}
	}
	for _, j := range w.jobs {
		for _, r := range j.runs {
			if a, ok := r.top.engine.State(j.jid); ok {
				r.account.of(a)
				continue
			}
			// Closed in an earlier life: later reports are only in the store.
			xs, _ := r.top.disk.GetExpectations(background, j.jid)
			r.account.late = map[string]string{}
			for id, gone := range engine.Absent(xs) {
				r.account.late[id] = gone.Reason
			}
		}
	}
}

// Report summarizes the simulation. Call it after Run.
func (w *World) Report() Report {
	if w.report == nil {
		r := w.sumUp()
		w.report = &r
	}
	return *w.report
}

func (w *World) sumUp() Report {
	r := Report{Seed: w.o.Seed, Nodes: len(w.nodes), Minions: len(w.ids), Virtual: time.Duration(w.now), Events: w.events, Faults: w.faults}
	sum := sha256.New()
	for _, j := range w.jobs {
		var rets []returners.Return
		for i, run := range j.runs {
			a := run.account
			a.JID, a.Fun, a.Targets, a.Closings, a.Missing, a.Took = j.jid, j.Fun, j.targets, run.closings, map[string]int{}, -1
			if len(w.tops) > 1 {
				a.Top = run.top.id
			}
			if run.completed >= 0 {
				a.Took = run.completed - run.published
			}
			a.Last = max(run.last-run.published, 0)
			for _, m := range a.missing {
				a.Missing[m.Reason]++
			}
			rows, _ := run.top.disk.GetReturns(background, j.jid)
			a.Rows = len(rows)
			if i == 0 {
				rets = rows
			}
			r.Jobs = append(r.Jobs, a)
		}
		for _, x := range rets {
			for _, part := range [][]byte{[]byte(x.JID), []byte(x.ID), w.compared(j, x)} {
				sum.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part))))
				sum.Write(part)
			}
			if !w.odd(j, w.index(x.ID)) {
				sum.Write([]byte{byte(x.Retcode)})
			}
		}
	}
	r.Rows = fmt.Sprintf("%x", sum.Sum(nil)[:16])
	tiers := slices.Clone(w.tiers)
	for _, n := range w.nodes {
		t := &tiers[n.depth]
		t.Minions += len(n.minions)
		for dir, to := range []*Traffic{up: &t.Up, down: &t.Down} {
			to.Messages += n.stats.traffic[dir].Messages
			to.Bytes += n.stats.traffic[dir].Bytes
		}
		t.Rows += n.stats.rows
		t.Repeats += n.stats.repeats
		t.MaxOutbox = max(t.MaxOutbox, n.stats.outbox)
		t.MaxMemory = max(t.MaxMemory, w.memory(n))
		t.MaxBusy = max(t.MaxBusy, time.Duration(n.stats.busy))
		t.MaxRate = max(t.MaxRate, n.stats.rate())
	}
	r.Tiers = tiers
	for _, top := range w.tops {
		if s := top.sink; w.sql != nil {
			r.SQL = append(r.SQL, Sink{Top: top.id, Rows: s.written, Most: s.most, Last: time.Duration(s.last)})
		}
	}
	return r
}

// compared returns the part of a result that counts for the hash of the rows: none where results
// stay below, or where a master on the way may have refused it.
func (w *World) compared(j *job, r returners.Return) []byte {
	if w.o.Body != returns.Full || w.odd(j, w.index(r.ID)) {
		return nil
	}
	return r.Value
}

// memory estimates the memory of a node's daemon: connections, its tree, and the accounts of all
// jobs as if all were open at once.
func (w *World) memory(n *node) int64 {
	below := int64(w.below(n))
	return int64(len(n.minions)+len(n.downs))*connectionMemory + below*leafMemory + below*int64(len(w.jobs))*entryMemory
}

// below counts the minions of a node and of all nodes below it.
func (w *World) below(n *node) int {
	total := len(n.minions)
	for _, l := range n.downs {
		total += w.below(l.child)
	}
	return total
}

// Text writes the report as text.
func (r Report) Text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(t, format+"\n", args...) } // Flush returns the error
	line("seed %d: %d minions, %d nodes in %d tiers, %d faults, %d events, %s of virtual time",
		r.Seed, r.Minions, r.Nodes, len(r.Tiers), r.Faults, r.Events, r.Virtual.Round(time.Millisecond))
	line("")
	line("job\tfunction\ttargets\texpected\treturned\tfailed\tmissing\trows\tlast return\ttook")
	for _, a := range r.Jobs {
		missing := 0
		for _, n := range a.Missing {
			missing += n
		}
		took := "never complete"
		if a.Took >= 0 {
			took = a.Took.Round(time.Millisecond).String()
		}
		if a.Top != "" {
			took += " at " + a.Top
		}
		line("%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s", a.JID, a.Fun, a.Targets, a.Expected, a.Returned, a.Failed, missing, a.Rows,
			a.Last.Round(time.Millisecond), took)
	}
	reasons := map[string]int{}
	for _, a := range r.Jobs {
		for why, n := range a.Missing {
			reasons[why] += n
		}
	}
	for _, why := range sortedKeys(reasons) {
		line("missing: %s\t%d", why, reasons[why])
	}
	line("")
	line("tier\tnodes\tminions\tfrom below\tbytes\tdown\tbytes\trows\trepeats\toutbox max\tbusy max\tmemory max")
	for i, x := range r.Tiers {
		line("%d\t%d\t%d\t%d\t%s\t%d\t%s\t%d\t%d\t%d\t%s\t%s", i, x.Nodes, x.Minions, x.Up.Messages, size(x.Up.Bytes),
			x.Down.Messages, size(x.Down.Bytes), x.Rows, x.Repeats, x.MaxOutbox, x.MaxBusy.Round(time.Millisecond), size(x.MaxMemory))
	}
	for _, s := range r.SQL {
		line("database: %s writes\t%d rows, at most %d waiting, the last at %s", s.Top, s.Rows, s.Most, s.Last.Round(time.Millisecond))
	}
	line("")
	line("rows at the top: digest %s", r.Rows)
	return t.Flush()
}

func size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
