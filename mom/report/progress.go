package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/terminal"
)

// progressNodes is how many nodes are shown below the bar.
const progressNodes = 10

// redraw is the interval at which a live bar is drawn.
const redraw = 200 * time.Millisecond

// ProgressOptions configure a [Progress].
type ProgressOptions struct {
	// W is the output of the bar. For a live bar it must be the terminal itself, since the bar
	// is redrawn in place.
	W io.Writer
	// Live redraws the bar repeatedly; otherwise it is written once, at the end.
	Live bool
	// Width returns the columns of the terminal. Default: 80.
	Width func() int
	// Now returns the time. Default: time.Now.
	Now func() time.Time
}

// Progress counts the minions that have returned, of those that have to, and shows them as a bar with
// a line for each node of the tree that has minions among them. It is safe for concurrent
// use.
type Progress struct {
	o     ProgressOptions
	began time.Time

	mu    sync.Mutex
	nodes map[string]*tally
	of    map[string]string // path of the node at which a minion is expected
	done  map[string]bool   // minions that have returned or will not
	came  int
	drawn int // lines on the screen
}

// tally counts the minions of a node.
type tally struct{ expected, returned, missing int }

// unplaced stands for the node of minions that no node has reported as expected, such as
// those behind a Python syndic.
const unplaced = "\x00"

// NewProgress makes a bar for a job that is published now.
func NewProgress(o ProgressOptions) *Progress {
	if o.Width == nil {
		o.Width = func() int { return 80 }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Progress{o: o, began: o.Now(), nodes: map[string]*tally{}, of: map[string]string{}, done: map[string]bool{}}
}

// Update counts an update of the job.
func (p *Progress) Update(u client.Update) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case u.Expectation != nil:
		for _, id := range u.Expectation.Minions {
			p.expect(id, u.Expectation.Node)
		}
	case u.Return != nil:
		p.end(u.Return.ID, true)
	case u.Missing != nil:
		for id := range u.Missing {
			p.end(id, false)
		}
	case u.Complete != nil:
		for id := range u.Complete.Missing {
			p.end(id, false)
		}
	}
}

// Expect counts the master's own minions.
func (p *Progress) Expect(ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range ids {
		p.expect(id, "")
	}
}

func (p *Progress) at(path string) *tally {
	if p.nodes[path] == nil {
		p.nodes[path] = &tally{}
	}
	return p.nodes[path]
}

// expect counts a minion once: at the node that reported it first, or the node that it turned out to be
// behind.
func (p *Progress) expect(id, path string) {
	at, known := p.of[id]
	if known && at != unplaced {
		return
	}
	if known {
		from := p.at(at)
		from.expected--
		if p.done[id] {
			from.returned--
			p.at(path).returned++
		} else if _, gone := p.done[id]; gone {
			from.missing--
			p.at(path).missing++
		}
	}
	p.of[id] = path
	p.at(path).expected++
}

// end counts a minion that has returned, or will not.
func (p *Progress) end(id string, returned bool) {
	if _, known := p.of[id]; !known {
		p.expect(id, unplaced)
	}
	t := p.at(p.of[id])
	was, ended := p.done[id]
	switch {
	case was:
		return
	case ended && returned: // it returned late
		t.missing--
	case ended:
		return
	}
	p.done[id] = returned
	if returned {
		t.returned++
		p.came++
		return
	}
	t.missing++
}

// Run draws a live bar until ctx ends. It does nothing for other bars.
func (p *Progress) Run(ctx context.Context) {
	if !p.o.Live {
		return
	}
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	for {
		if p.draw() != nil {
			return // the terminal is closed; the job continues
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Close draws the bar a last time.
func (p *Progress) Close() error { return p.draw() }

func (p *Progress) draw() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := p.lines()
	var b strings.Builder
	if p.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", p.drawn)
	}
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	p.drawn = 0
	if p.o.Live {
		p.drawn = len(lines)
	}
	if _, err := io.WriteString(p.o.W, b.String()); err != nil {
		return fmt.Errorf("draw the bar: %w", err)
	}
	return nil
}

// lines returns the bar and the nodes, those with the most open minions first.
func (p *Progress) lines() []string {
	columns := max(p.o.Width(), 20)
	expected := 0
	for _, t := range p.nodes {
		expected += t.expected
	}
	share := 1.0
	if expected > 0 {
		share = float64(p.came) / float64(expected)
	}
	took := p.o.Now().Sub(p.began).Truncate(time.Second)
	before := fmt.Sprintf("%3d%% |", int(share*100))
	behind := fmt.Sprintf("| Elapsed Time: %d:%02d:%02d Returns: [%d/%d]", int(took.Hours()), int(took.Minutes())%60, int(took.Seconds())%60, p.came, expected)
	room := max(columns-1-len(before)-len(behind), 5)
	full := int(share * float64(room))
	out := []string{before + strings.Repeat("#", full) + strings.Repeat(" ", room-full) + behind}
	paths := slices.Collect(maps.Keys(p.nodes))
	paths = slices.DeleteFunc(paths, func(path string) bool { return p.nodes[path].expected == 0 })
	if len(paths) == 1 && paths[0] == "" {
		return out // no nodes
	}
	open := func(path string) int { t := p.nodes[path]; return t.expected - t.returned }
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(cmp.Compare(open(b), open(a)), cmp.Compare(a, b)) })
	for i, path := range paths {
		if i == progressNodes {
			out = append(out, fmt.Sprintf("     and %d more nodes", len(paths)-i))
			break
		}
		t := p.nodes[path]
		name := terminal.Line(path)
		switch path {
		case "":
			name = "this master"
		case unplaced:
			name = "elsewhere"
		}
		line := fmt.Sprintf("     %d/%d %s", t.returned, t.expected, name)
		if t.missing > 0 {
			line += fmt.Sprintf(", %d missing", t.missing)
		}
		out = append(out, runewidth.Truncate(line, columns-1, "…"))
	}
	return out
}
