package tree

import (
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// treeHelp is the help shown for the key ?.
const treeHelp = `↑ k, ↓ j        move              PgUp, PgDn      a window up or down
g, G            first, last row   ← h             fold, or go to the node above
→ l             unfold            space, enter    fold or unfold
-               fold all nodes    +               unfold all nodes
m               minions on, off   s               next order: name, trouble,
/               filter: words in                  at work, pending, lag, load
                the path; up,     p               problems only
                down, unknown     esc             filter and problems off
r               read now          ?               this help
q, ctrl-c       quit`

// key handles a key.
func (t Tree) key(k tea.KeyMsg) (tea.Model, tea.Cmd) {
	if k.Type == tea.KeyCtrlC {
		return t, tea.Quit
	}
	if t.typing {
		return t.typed(k), nil
	}
	if t.help {
		t.help = false
		if k.String() != "q" {
			return t, nil
		}
	}
	switch k.String() {
	case "q":
		return t, tea.Quit
	case "?":
		t.help = true
	case "r":
		return t.refresh()
	case "up", "k":
		t.cursor--
	case "down", "j":
		t.cursor++
	case "pgup", "ctrl+b":
		t.cursor -= t.room()
	case "pgdown", "ctrl+f":
		t.cursor += t.room()
	case "home", "g":
		t.cursor = 0
	case "end", "G":
		t.cursor = len(t.rows) - 1
	default:
		t.alter(k.String())
		t.lay()
	}
	t.scroll()
	return t, nil
}

// alter handles the keys that change the list.
func (t *Tree) alter(key string) {
	switch key {
	case "left", "h":
		t.fold(true)
	case "right", "l":
		t.fold(false)
	case " ", "enter":
		if r, ok := t.current(); ok && r.minion == nil {
			t.folded[r.path] = !r.folded
		}
	case "-":
		t.foldAll(true)
	case "+", "=":
		t.foldAll(false)
	case "m":
		t.minions, t.chosen = !t.minions, true
	case "s":
		t.sort = (t.sort + 1) % sortKeys
	case "p":
		t.onlyTrouble = !t.onlyTrouble
	case "/":
		t.typing = true
	case "esc":
		t.filter, t.onlyTrouble = "", false
	}
}

func (t *Tree) current() (row, bool) {
	if t.cursor >= len(t.rows) {
		return row{}, false
	}
	return t.rows[t.cursor], true
}

// fold folds or unfolds the node under the cursor. On other rows it moves to the node
// above.
func (t *Tree) fold(on bool) {
	r, ok := t.current()
	if !ok {
		return
	}
	if r.minion == nil && r.folded != on {
		t.folded[r.path] = on
		return
	}
	if !on {
		return
	}
	if i := strings.LastIndexByte(r.path, '/'); i > 0 {
		for j := t.cursor; j >= 0; j-- {
			if t.rows[j].path == r.path[:i] {
				t.cursor = j
				return
			}
		}
	}
}

// foldAll folds all nodes except the first, or none.
func (t *Tree) foldAll(on bool) {
	t.folded = map[string]bool{}
	if !on {
		return
	}
	root := t.snap.Root
	for _, c := range root.Nodes {
		t.folded[root.ID+"/"+c.ID] = true
	}
}

// typed handles a key in the filter line.
func (t Tree) typed(k tea.KeyMsg) Tree {
	t.filter, t.typing = line(t.filter, k)
	t.lay()
	return t
}

// maxFilter bounds the text of a filter.
const maxFilter = 200

// line edits a line of text. on is false once it is finished.
func line(text string, k tea.KeyMsg) (_ string, on bool) {
	switch k.Type {
	case tea.KeyEnter:
		return text, false
	case tea.KeyEsc:
		return "", false
	case tea.KeyBackspace:
		_, n := utf8.DecodeLastRuneInString(text)
		return text[:len(text)-n], true
	case tea.KeyCtrlU:
		return "", true
	case tea.KeyRunes, tea.KeySpace:
		if len(text) < maxFilter {
			text += string(k.Runes)
		}
	}
	return text, true
}
