package tree

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/momtree/mom/topology"
)

// Job is a job in flight.
type Job struct {
	JID, Fun, Target, User                     string
	Age                                        time.Duration
	Expected, Returned, Failed, Missing, Waits int
	For                                        string // what it waits for, in words
	rate                                       float64
}

// Node is one node of the tree with its figures.
type Node struct {
	Path   string
	State  topology.State
	Vitals topology.Vitals
	drift  float64 // rows by which its outbox grows per second
}

// Work is a reading of what is going on; Err says why there is none.
type Work struct {
	At       time.Time
	Returns  uint64 // of this master since its start
	Closed   uint64 // jobs of this master since its start
	Inflight int    // open jobs, also those that Jobs leaves out
	Jobs     []Job
	Nodes    []Node
	Err      error
}

// Top is the view of the jobs in flight.
type Top struct {
	fetch func() Work
	now   func() time.Time

	work           Work // the last good one
	known          bool
	failure        error
	reading, again bool
	ticks          int
	returns, jobs  float64 // per second

	sort   int
	cursor int
	help   bool
	width  int
	height int
}

var topOrders = []string{"newest", "oldest", "missing", "rate", "waiting"}

// NewTop makes the view. fetch reads what is going on and is called outside of
// the drawing goroutine; now may be nil.
func NewTop(fetch func() Work, now func() time.Time) Top {
	if now == nil {
		now = time.Now
	}
	return Top{fetch: fetch, now: now, reading: true, width: 80, height: 24}
}

// Init reads for the first time.
func (t Top) Init() tea.Cmd { return t.read() }

func (t Top) read() tea.Cmd {
	fetch := t.fetch
	return func() tea.Msg { return fetch() }
}

// Update takes one message.
func (t Top) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		t.width, t.height = max(m.Width, 20), max(m.Height, 8)
	case Work:
		return t.take(m)
	case Nudge:
		if t.again {
			return t, nil
		}
		if t.again = true; !t.reading {
			return t.in(soon)
		}
	case tick:
		if m.number == t.ticks && !t.reading {
			t.reading, t.again = true, false
			return t, t.read()
		}
	case tea.KeyMsg:
		return t.key(m)
	}
	return t, nil
}

func (t Top) in(d time.Duration) (tea.Model, tea.Cmd) {
	t.ticks++
	n := t.ticks
	return t, tea.Tick(d, func(time.Time) tea.Msg { return tick{n} })
}

func (t Top) take(w Work) (tea.Model, tea.Cmd) {
	t.reading = false
	if t.failure = w.Err; w.Err == nil {
		t.measure(&w)
		t.work, t.known = w, true
		t.order()
	}
	if t.again {
		return t.in(soon)
	}
	return t.in(every)
}

// measure makes rates of two readings. A counter that has fallen belongs to
// another life of the master.
func (t *Top) measure(w *Work) {
	seconds := w.At.Sub(t.work.At).Seconds()
	if !t.known || seconds <= 0 {
		return
	}
	per := func(now, then uint64) float64 {
		if now < then {
			return 0
		}
		return float64(now-then) / seconds
	}
	t.returns, t.jobs = per(w.Returns, t.work.Returns), per(w.Closed, t.work.Closed)
	jobs := map[string]Job{}
	for _, j := range t.work.Jobs {
		jobs[j.JID] = j
	}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		old, ok := jobs[j.JID]
		if got, had := j.Returned+j.Failed, old.Returned+old.Failed; ok && got >= had {
			j.rate = float64(got-had) / seconds
		}
	}
	nodes := map[string]Node{}
	for _, n := range t.work.Nodes {
		nodes[n.Path] = n
	}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		if old, ok := nodes[n.Path]; ok {
			n.drift = float64(n.Vitals.Pending-old.Vitals.Pending) / seconds
		}
	}
}

func (t *Top) order() {
	slices.SortStableFunc(t.work.Jobs, func(a, b Job) int {
		switch topOrders[t.sort] {
		case "oldest":
			return cmp.Compare(b.Age, a.Age)
		case "missing":
			return cmp.Compare(b.Missing, a.Missing)
		case "rate":
			return cmp.Compare(b.rate, a.rate)
		case "waiting":
			return cmp.Compare(b.Waits, a.Waits)
		}
		return cmp.Compare(b.JID, a.JID)
	})
	t.cursor = max(min(t.cursor, len(t.work.Jobs)-1), 0)
}

func (t Top) key(k tea.KeyMsg) (tea.Model, tea.Cmd) {
	if t.help && k.String() != "q" && k.Type != tea.KeyCtrlC {
		t.help = false
		return t, nil
	}
	switch k.String() {
	case "q", "ctrl+c":
		return t, tea.Quit
	case "?":
		t.help = true
	case "s":
		t.sort = (t.sort + 1) % len(topOrders)
		t.work.Jobs = slices.Clone(t.work.Jobs)
	case "up", "k":
		t.cursor--
	case "down", "j":
		t.cursor++
	case "pgup":
		t.cursor -= t.room()
	case "pgdown":
		t.cursor += t.room()
	case "g", "home":
		t.cursor = 0
	case "G", "end":
		t.cursor = len(t.work.Jobs)
	}
	t.order()
	return t, nil
}

// nodesRoom is how many nodes are shown below the jobs.
func (t *Top) nodesRoom() int { return min(len(t.work.Nodes), max((t.height-5)/3, 1)) }

func (t *Top) room() int { return max(t.height-5-t.nodesRoom(), 1) }

const topHelp = `↑ k, ↓ j  move        PgUp, PgDn  a window up or down     g, G  first, last job
s         next order: newest, oldest, missing, rate, waiting
?         this help   q, ctrl-c   quit

RET/EXP is returned (failed with them) of expected; MISS will not answer; RET/S
counts since the last reading. Nodes are shown with the fullest outbox first;
DRIFT is by how many rows it grows per second.`

// View draws the window.
func (t Top) View() string {
	if t.help {
		return "mom top — keys\n\n" + topHelp + "\n\nAny key goes back."
	}
	var b strings.Builder
	head := "mom top"
	if t.known {
		head = fmt.Sprintf("mom top  %s  %d jobs in flight  %.1f returns/s  %.1f jobs/s  order: %s", t.work.At.Format("15:04:05"),
			t.work.Inflight, t.returns, t.jobs, topOrders[t.sort])
	}
	b.WriteString(invert(pad(head, t.width)) + "\n")
	if !t.known && t.failure == nil {
		b.WriteString("\nThe master is being asked …\n")
	}
	if t.known {
		t.viewJobs(&b)
		t.viewNodes(&b)
	}
	if t.failure == nil {
		b.WriteString(dim(fit("? help  s order  q quit", t.width)))
		return b.String()
	}
	text := topology.Clean(strings.ReplaceAll(t.failure.Error(), "\n", " "))
	if t.known {
		text = fmt.Sprintf("figures are %s old: ", topology.Span(t.now().Sub(t.work.At))) + text
	}
	b.WriteString(red(fit(text, t.width)))
	return b.String()
}

func (t *Top) viewJobs(b *strings.Builder) {
	b.WriteString(dim(pad(fmt.Sprintf("%-20s %-18s %-16s %-8s %5s %11s %5s %7s  %s", "JID", "FUNCTION", "TARGET", "USER", "AGE", "RET/EXP", "MISS", "RET/S", "WAITS FOR"), t.width)) + "\n")
	room, from := t.room(), 0
	if t.cursor >= room {
		from = t.cursor - room + 1
	}
	for i := from; i < from+room; i++ {
		if i < len(t.work.Jobs) {
			j := t.work.Jobs[i]
			text := fit(fmt.Sprintf("%-20s %s %s %s %5s %11s %5d %7.1f  %s", topology.Clean(j.JID), pad(topology.Clean(j.Fun), 18),
				pad(topology.Clean(j.Target), 16), pad(topology.Clean(j.User), 8), topology.Span(j.Age),
				fmt.Sprintf("%d/%d", j.Returned+j.Failed, j.Expected), j.Missing, j.rate, topology.Clean(j.For)), t.width)
			switch {
			case i == t.cursor:
				text = invert(pad(text, t.width))
			case j.Missing > 0:
				text = yellow(text)
			}
			b.WriteString(text)
		} else if i == 0 {
			b.WriteString("No job is in flight.")
		}
		b.WriteByte('\n')
	}
}

func (t *Top) viewNodes(b *strings.Builder) {
	width := t.width - 8 // of the drift
	names := nameWidth(width)
	b.WriteString(dim(pad(pad("NODE", names)+" "+heads(width)+"   DRIFT", t.width)) + "\n")
	nodes := slices.Clone(t.work.Nodes)
	slices.SortStableFunc(nodes, func(a, b Node) int {
		if d := cmp.Compare(down(b), down(a)); d != 0 {
			return d
		}
		return cmp.Compare(b.Vitals.Pending, a.Vitals.Pending)
	})
	for _, n := range nodes[:t.nodesRoom()] {
		text := pad(topology.Clean(n.Path), names) + " " + pad(string(n.State), 7)
		if n.State == topology.Up {
			text += " " + columns(n.Vitals, width)
		}
		if n.drift != 0 && n.State == topology.Up {
			text += fmt.Sprintf(" %+7.1f", n.drift)
		}
		text = fit(text, t.width)
		if n.State == topology.Down {
			text = red(text)
		}
		b.WriteString(text + "\n")
	}
}

func down(n Node) int {
	if n.State == topology.Down {
		return 1
	}
	return 0
}
