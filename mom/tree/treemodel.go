package tree

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/momtree/mom/topology"
)

// Snapshot is a reading of the tree; Err says why there is none.
type Snapshot struct {
	Root     topology.Node
	Problems []topology.Problem
	At       time.Time
	Err      error
}

// Nudge tells a view that something has changed: it reads again at once.
type Nudge struct{}

// tick ends the time between two readings. Only the latest counts, so that
// nudges do not multiply the clocks.
type tick struct{ number int }

const (
	// every is the time between two readings when nothing nudges.
	every = 2 * time.Second
	// soon is the time from a nudge to the reading.
	soon = every / 8
	// manyMinions is how many minions a tree may have before they are hidden
	// at first.
	manyMinions = 500
)

// Tree is the view of the tree.
type Tree struct {
	fetch func() Snapshot
	now   func() time.Time

	snap    Snapshot // the last good one
	known   bool     // there is one
	failure error    // of the last reading
	reading bool     // one is under way
	again   bool     // a nudge came meanwhile
	ticks   int

	folded      map[string]bool
	minions     bool // are drawn
	chosen      bool // the user has said so
	sort        sortKey
	onlyTrouble bool
	filter      string
	typing      bool
	help        bool

	bad    map[string]bool // paths with problems
	rows   []row
	cursor int
	top    int // first row in the window
	width  int
	height int
}

// NewTree makes the view. fetch reads the tree and is called outside of the
// drawing goroutine; now may be nil.
func NewTree(fetch func() Snapshot, now func() time.Time) Tree {
	if now == nil {
		now = time.Now
	}
	return Tree{fetch: fetch, now: now, reading: true, folded: map[string]bool{}, width: 80, height: 24}
}

// Init reads for the first time.
func (t Tree) Init() tea.Cmd { return t.read() }

func (t Tree) read() tea.Cmd {
	fetch := t.fetch
	return func() tea.Msg { return fetch() }
}

// Update takes one message.
func (t Tree) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		t.width, t.height = max(m.Width, 20), max(m.Height, 5)
		t.scroll()
	case Snapshot:
		return t.take(m)
	case Nudge:
		return t.nudged()
	case tick:
		if m.number == t.ticks {
			return t.refresh()
		}
	case tea.KeyMsg:
		return t.key(m)
	}
	return t, nil
}

func (t Tree) refresh() (tea.Model, tea.Cmd) {
	if t.reading {
		return t, nil
	}
	t.reading, t.again = true, false
	return t, t.read()
}

// nudged reads soon. A storm of events costs a reading every quarter of a second
// and no more.
func (t Tree) nudged() (tea.Model, tea.Cmd) {
	if t.again {
		return t, nil
	}
	if t.again = true; t.reading {
		return t, nil
	}
	return t.in(soon)
}

// in reads after d, and not at the time set before.
func (t Tree) in(d time.Duration) (tea.Model, tea.Cmd) {
	t.ticks++
	n := t.ticks
	return t, tea.Tick(d, func(time.Time) tea.Msg { return tick{n} })
}

func (t Tree) take(s Snapshot) (tea.Model, tea.Cmd) {
	t.reading = false
	if t.failure = s.Err; s.Err == nil {
		t.snap, t.known = s, true
		if !t.chosen {
			_, minions, _ := s.Root.Count()
			t.minions = minions <= manyMinions
		}
		t.bad = map[string]bool{}
		for _, p := range s.Problems {
			t.bad[p.Path] = true
		}
		t.lay()
	}
	if t.again {
		return t.in(soon)
	}
	return t.in(every)
}

// lay lists the rows anew and keeps the cursor on what it was on.
func (t *Tree) lay() {
	on := ""
	if t.cursor < len(t.rows) {
		on = t.rows[t.cursor].path
	}
	t.rows = t.list()
	for i, r := range t.rows {
		if r.path == on {
			t.cursor = i
			break
		}
	}
	t.scroll()
}

// scroll keeps the cursor in the list and the window around the cursor.
func (t *Tree) scroll() {
	t.cursor = max(min(t.cursor, len(t.rows)-1), 0)
	room := t.room()
	if t.cursor < t.top {
		t.top = t.cursor
	}
	if t.cursor >= t.top+room {
		t.top = t.cursor - room + 1
	}
	t.top = max(min(t.top, len(t.rows)-room), 0)
}

// room is how many rows the window holds beside two lines above and two below.
func (t *Tree) room() int { return max(t.height-4, 1) }
