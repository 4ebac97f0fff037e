package tree

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/topology"
)

var at = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return at.Add(12 * time.Second) }

func sample() Snapshot {
	return Snapshot{At: at, Root: topology.Node{
		ID: "top", Role: "master", State: topology.Up, Since: at.Add(-time.Hour),
		Minions: []topology.Minion{{ID: "m1", State: topology.Up, Version: "1.0"}, {ID: "evil\x1b]0;x", State: topology.Down}},
		Nodes: []topology.Node{
			{
				ID: "a", Role: "syndic", State: topology.Up, Vitals: topology.Vitals{Accepted: 2, Connected: 1, Working: 1, Pending: 7, Load: 0.5},
				Minions: []topology.Minion{{ID: "a1", State: topology.Up}, {ID: "a2", State: topology.Up}},
				Nodes:   []topology.Node{{ID: "deep", Role: "syndic", State: topology.Up, Minions: []topology.Minion{{ID: "d1", State: topology.Up}}}},
			},
			{
				ID: "b", Role: "syndic", State: topology.Down, Since: at, Vitals: topology.Vitals{Pending: 90, PendingAge: time.Hour},
				Minions: []topology.Minion{{ID: "b1", State: topology.Up}},
			},
		},
	}, Problems: []topology.Problem{{Kind: topology.ClockSkew, Path: "a/a2", Detail: "its clock is ahead"}}}
}

func feed(t *testing.T, m tea.Model, msgs ...tea.Msg) tea.Model {
	t.Helper()
	for _, msg := range msgs {
		m, _ = m.Update(msg)
	}
	return m
}

func keys(names ...string) (out []tea.Msg) {
	special := map[string]tea.KeyType{
		"down": tea.KeyDown, "up": tea.KeyUp, "left": tea.KeyLeft, "right": tea.KeyRight, "enter": tea.KeyEnter, "esc": tea.KeyEsc,
		"end": tea.KeyEnd, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "backspace": tea.KeyBackspace, "ctrl+c": tea.KeyCtrlC, "space": tea.KeySpace,
	}
	for _, n := range names {
		if k, ok := special[n]; ok {
			msg := tea.KeyMsg{Type: k}
			if k == tea.KeySpace {
				msg.Runes = []rune{' '}
			}
			out = append(out, msg)
			continue
		}
		for _, r := range n {
			out = append(out, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
		}
	}
	return out
}

var paints = regexp.MustCompile("\x1b\\[[0-9]*m")

func plain(m tea.Model) string { return paints.ReplaceAllString(m.View(), "") }

// names lists the rows between the head and the last two lines.
func names(m tea.Model) (out []string) {
	for _, r := range m.(Tree).rows {
		out = append(out, r.indent+r.name())
	}
	return out
}

func TestTreeKeys(t *testing.T) {
	all := []string{"top", "├ m1", "├ evil\x1b]0;x", "├ a", "│ ├ a1", "│ ├ a2", "│ └ deep", "│   └ d1", "└ b", "  └ b1"}
	for name, c := range map[string]struct {
		keys []string
		want []string
		on   string // the path under the cursor
	}{
		"nothing":        {nil, all, "top"},
		"move":           {[]string{"down", "j", "down", "k"}, all, "top/evil\x1b]0;x"},
		"not beyond":     {[]string{"up", "up"}, all, "top"},
		"end":            {[]string{"G", "down"}, all, "top/b/b1"},
		"pages":          {[]string{"pgdown", "pgdown", "pgup"}, all, "top"},
		"fold":           {[]string{"jjj", "left"}, []string{"top", "├ m1", "├ evil\x1b]0;x", "├ a", "└ b", "  └ b1"}, "top/a"},
		"unfold":         {[]string{"jjj", "left", "right"}, all, "top/a"},
		"toggle":         {[]string{"jjj", "space", "enter"}, all, "top/a"},
		"go to parent":   {[]string{"G", "h"}, all, "top/b"},
		"fold all":       {[]string{"-"}, []string{"top", "├ m1", "├ evil\x1b]0;x", "├ a", "└ b"}, "top"},
		"unfold all":     {[]string{"-", "+"}, all, "top"},
		"no minions":     {[]string{"m"}, []string{"top", "├ a", "│ └ deep", "└ b"}, "top"},
		"by trouble":     {[]string{"s"}, []string{"top", "├ evil\x1b]0;x", "├ m1", "├ b", "│ └ b1", "└ a", "  ├ a1", "  ├ a2", "  └ deep", "    └ d1"}, "top"},
		"problems":       {[]string{"p"}, []string{"top", "├ evil\x1b]0;x", "├ a", "│ └ a2", "└ b"}, "top"},
		"filter":         {[]string{"/", "A/A", "enter"}, []string{"top", "└ a", "  ├ a1", "  └ a2"}, "top"},
		"filter state":   {[]string{"/", "dow", "n", "enter"}, []string{"top", "├ evil\x1b]0;x", "└ b"}, "top"},
		"filter words":   {[]string{"/", "a", "space", "d1", "enter"}, []string{"top", "└ a", "  └ deep", "    └ d1"}, "top"},
		"filter mended":  {[]string{"/", "zz", "backspace", "backspace", "b1", "enter"}, []string{"top", "└ b", "  └ b1"}, "top"},
		"filter ended":   {[]string{"/", "b1", "esc"}, all, "top"},
		"filter dropped": {[]string{"/", "b1", "enter", "esc"}, all, "top"},
		"through folds":  {[]string{"-", "/", "d1", "enter"}, []string{"top", "└ a", "  └ deep", "    └ d1"}, "top"},
		"letters typed":  {[]string{"/", "q", "enter"}, []string{"top"}, "top"},
	} {
		t.Run(name, func(t *testing.T) {
			m := feed(t, NewTree(nil, clock), sample())
			m = feed(t, m, keys(c.keys...)...)
			if d := cmp.Diff(c.want, names(m)); d != "" {
				t.Error(d)
			}
			if r := current(m); r.path != c.on {
				t.Errorf("the cursor is on %q, want %q", r.path, c.on)
			}
		})
	}
}

func TestTreeQuits(t *testing.T) {
	for _, k := range []string{"q", "ctrl+c"} {
		_, cmd := NewTree(nil, clock).Update(keys(k)[0])
		if cmd == nil {
			t.Fatalf("%s does nothing", k)
		}
		if _, ok := cmd().(tea.QuitMsg); !ok {
			t.Errorf("%s does not quit", k)
		}
	}
	if _, cmd := feed(t, NewTree(nil, clock), keys("/")...).Update(keys("ctrl+c")[0]); cmd == nil {
		t.Error("ctrl-c does not quit while a filter is typed")
	}
}

func TestTreeView(t *testing.T) {
	m := feed(t, NewTree(nil, clock), tea.WindowSizeMsg{Width: 110, Height: 14})
	if !strings.Contains(plain(m), "Asking the master") {
		t.Error("no text before the first read")
	}
	m = feed(t, m, sample())
	m = feed(t, m, keys("jjjjj")...)
	text := plain(m)
	if strings.ContainsRune(text, '\x1b') || !strings.Contains(text, `evil\x1b]0;x`) {
		t.Error("a name can control the terminal")
	}
	for _, want := range []string{"4 nodes  6 minions, 4 up", "1 problem ", "2/2", "top → a → a2", "! clock-skew: its clock is ahead"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown in\n%s", want, text)
		}
	}
	for i, line := range strings.Split(text, "\n") {
		if n := len([]rune(line)); n > 110 {
			t.Errorf("line %d is %d wide: %q", i, n, line)
		}
	}
	if n := strings.Count(text, "\n") + 1; n != 14 {
		t.Errorf("the window has 14 lines, %d are drawn", n)
	}
	narrow := plain(feed(t, m, tea.WindowSizeMsg{Width: 80, Height: 14}))
	if !strings.Contains(narrow, "PENDING") || strings.Contains(narrow, "CLOCK") || !strings.Contains(narrow, "syndic") && !strings.Contains(narrow, "├ a ") {
		t.Errorf("a narrow window:\n%s", narrow)
	}
	m = feed(t, m, keys("?")...)
	if !strings.Contains(plain(m), "problems only") {
		t.Error("no help")
	}
	if m = feed(t, m, keys("x")...); strings.Contains(plain(m), "Press any key to go back") {
		t.Error("help stays")
	}
}

// The last snapshot stays on the screen, with its age, while the master is away.
func TestTreeKeepsTheLastReading(t *testing.T) {
	m := feed(t, NewTree(nil, clock), sample(), Snapshot{Err: errors.New("connection\nrefused")})
	text := plain(m)
	for _, want := range []string{"evil", "figures are 12s old: connection refused"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown in\n%s", want, text)
		}
	}
	if m = feed(t, m, sample()); strings.Contains(plain(m), "refused") {
		t.Error("the error stays")
	}
}

func TestTreeReads(t *testing.T) {
	reads := 0
	var m tea.Model = NewTree(func() Snapshot { reads++; return sample() }, clock)
	msg := m.Init()()
	if reads != 1 {
		t.Fatal("Init does not read")
	}
	m, cmd := m.Update(Nudge{}) // while the first reading is under way
	if cmd != nil {
		t.Error("two readings at once")
	}
	if m, cmd = m.Update(msg); cmd == nil {
		t.Fatal("no further reading is planned")
	}
	old := m.(Tree).ticks
	if m, cmd = m.Update(tick{old}); cmd == nil {
		t.Fatal("the tick does not start a read")
	}
	m, _ = m.Update(cmd())
	if reads != 2 {
		t.Errorf("%d readings, want 2", reads)
	}
	if _, cmd = m.Update(tick{old}); cmd != nil {
		t.Error("an old tick starts a read")
	}
	m, cmd = m.Update(Nudge{})
	if cmd == nil {
		t.Error("a nudge does nothing")
	}
	if _, cmd = m.Update(Nudge{}); cmd != nil {
		t.Error("a second nudge starts a second timer")
	}
}

// The cursor stays on its row when other rows come and go.
func TestTreeCursorStays(t *testing.T) {
	m := feed(t, NewTree(nil, clock), sample())
	m = feed(t, m, keys("jjjj")...)
	s := sample()
	s.Root.Minions = s.Root.Minions[:1]
	m = feed(t, m, s)
	if r := current(m); r.path != "top/a/a1" {
		t.Errorf("the cursor went to %s", r.path)
	}
}

// With a hundred thousand minions only the window is drawn, and minions are hidden at
// first.
func TestTreeIsLarge(t *testing.T) {
	s := Snapshot{At: at, Root: topology.Node{ID: "top", State: topology.Up}}
	for i := range 10 {
		n := topology.Node{ID: fmt.Sprintf("node-%d", i), State: topology.Up}
		for j := range 10_000 {
			n.Minions = append(n.Minions, topology.Minion{ID: fmt.Sprintf("web-%d-%05d", i, j), State: topology.Up})
		}
		s.Root.Nodes = append(s.Root.Nodes, n)
	}
	m := feed(t, NewTree(nil, clock), tea.WindowSizeMsg{Width: 100, Height: 30}, s)
	if n := len(m.(Tree).rows); n != 11 {
		t.Errorf("%d rows at first, want 11", n)
	}
	m = feed(t, m, keys("m", "G")...)
	if n := len(m.(Tree).rows); n != 100_011 {
		t.Errorf("%d rows, want 100011", n)
	}
	text := m.View()
	if !strings.Contains(text, "web-9-09999") || len(text) > 30*500 {
		t.Errorf("the window is %d bytes", len(text))
	}
	if allocs := testing.AllocsPerRun(5, func() { _ = m.View() }); allocs > 5000 {
		t.Errorf("drawing the window allocates %v times", allocs)
	}
	m = feed(t, m, keys("/", "web-7-01234", "enter")...)
	if n := len(m.(Tree).rows); n != 3 {
		t.Errorf("%d rows match, want 3", n)
	}
}

func current(m tea.Model) row {
	t := m.(Tree)
	r, _ := t.current()
	return r
}

func BenchmarkTreeTakes100k(b *testing.B) {
	s := Snapshot{At: at, Root: topology.Node{ID: "top", State: topology.Up}}
	for i := range 100 {
		n := topology.Node{ID: fmt.Sprintf("node-%d", i), State: topology.Up}
		for j := range 1000 {
			n.Minions = append(n.Minions, topology.Minion{ID: fmt.Sprintf("web-%d-%05d", i, j), State: topology.Up})
		}
		s.Root.Nodes = append(s.Root.Nodes, n)
	}
	var m tea.Model = NewTree(nil, clock)
	m, _ = m.Update(s)
	m, _ = m.Update(keys("m")[0])
	for b.Loop() {
		m, _ = m.Update(s)
		_ = m.View()
	}
}
