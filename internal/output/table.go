package output

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// TableForm configures table and profile, by Salt's options out.table.*. Nil or empty fields
// mean the default.
type TableForm struct {
	Header       *bool   // has_header. Default true
	RowDelimiter *string // Default -
	Delim        *string // between columns. Default " | "
	Justify      string  // center (the default), left, right
	SeparateRows *bool   // a line between rows. Default true
	Prefix       *string // before a row. Default "| "
	Suffix       *string // after a row. Default " |"
	Width        int     // of a column, above which text wraps between words. Default 50
	Indent       int     // nested_indent: blanks before each line
	RowsKey      string  // show only the rows under this key
	LabelsKey    string  // the key of the column names
	Title        string  // above the rows of RowsKey
}

// table draws lists of rows as tables under their names.
func table(v any, o Options) (string, error) {
	t := &tabler{colors: o.colors(), o: o.Table}
	if t.o.Title != "" && t.o.RowsKey != "" {
		t.put(t.o.Indent, terminal.Line(t.o.Title), t.white, "\n")
	}
	if err := t.display(v, t.o.Indent); err != nil {
		return "", err
	}
	return strings.Join(t.out, "\n"), nil
}

type tabler struct {
	colors
	o   TableForm
	out []string
}

func (t *tabler) put(indent int, color, text, suffix string) {
	t.out = append(t.out, strings.Repeat(" ", indent)+color+text+t.end+suffix)
}

func (t *tabler) display(v any, indent int) error {
	if items, ok := wire.AsList(v); ok {
		if t.o.RowsKey == "" {
			return t.rows(items, nil, indent)
		}
		return nil
	}
	ps, ok := pyfmt.Pairs(v)
	if !ok {
		return nil
	}
	if !pyfmt.SortPairs(ps) {
		return errShape
	}
	_, here := field(ps, t.o.RowsKey)
	for _, p := range ps {
		switch {
		case t.o.RowsKey == "":
			t.put(indent, t.darkGray, terminal.Line(pyfmt.Str(p.Key)), ":")
			t.put(indent, t.darkGray, "----------", "")
		case !here: // deeper
			if err := t.display(p.Val, indent); err != nil {
				return err
			}
			continue
		case p.Key != t.o.RowsKey:
			continue
		}
		items, ok := wire.AsList(p.Val)
		if !ok {
			if err := t.display(p.Val, indent+4); err != nil {
				return err
			}
			continue
		}
		var labels any
		if t.o.LabelsKey != "" {
			labels, _ = field(ps, t.o.LabelsKey)
		}
		if err := t.rows(items, labels, indent); err != nil {
			return err
		}
	}
	return nil
}

// rows draws rows of one kind: maps, lists of strings, or strings. It omits others.
func (t *tabler) rows(items []any, labels any, indent int) error {
	head, err := headings(labels)
	if err != nil || len(items) == 0 {
		return err
	}
	var rows [][]string
	first := rowKind(items[0])
	for i, e := range items {
		if rowKind(e) != first {
			return nil
		}
		ps, _ := pyfmt.Pairs(e)
		list, _ := wire.AsList(e)
		var row []string
		switch first {
		case "map":
			if !pyfmt.SortPairs(ps) {
				return errShape
			}
			for _, p := range ps {
				row = append(row, pyfmt.Str(p.Val))
				if i == 0 && labels == nil {
					head = append(head, title(strings.ReplaceAll(pyfmt.Str(p.Key), "_", " ")))
				}
			}
		case "list":
			for _, cell := range list {
				text, ok := cell.(string)
				if !ok {
					return errShape
				}
				row = append(row, text)
			}
		case "text":
			row = []string{e.(string)}
		default:
			return errShape
		}
		if len(row) == 0 {
			return errShape
		}
		rows = append(rows, row)
	}
	if len(head) > 0 {
		rows = slices.Insert(rows, 0, head)
	}
	t.draw(rows, indent+4, len(head) > 0 && (t.o.Header == nil || *t.o.Header))
	return nil
}

// headings returns the column names in the data.
func headings(v any) ([]string, error) {
	ps, isMap := pyfmt.Pairs(v)
	items, isList := wire.AsList(v)
	switch {
	case isMap:
		if !pyfmt.SortPairs(ps) {
			return nil, errShape
		}
		for _, p := range ps {
			items = append(items, p.Val)
		}
	case !isList && v != nil:
		return nil, errShape
	}
	var out []string
	for _, e := range items {
		text, ok := e.(string)
		if !ok {
			return nil, errShape
		}
		out = append(out, text)
	}
	return out, nil
}

// rowKind returns the kind of v, as its type decides in Python.
func rowKind(v any) string {
	if _, ok := pyfmt.Pairs(v); ok {
		return "map"
	}
	if _, ok := wire.AsList(v); ok {
		return "list"
	}
	if _, ok := v.(string); ok {
		return "text"
	}
	return "other"
}

// title is Python's title: each run of letters begins with a capital.
func title(s string) string {
	letter := false
	return strings.Map(func(r rune) rune {
		was := letter
		if letter = unicode.IsLetter(r); !letter {
			return r
		}
		if was {
			return unicode.ToLower(r)
		}
		return unicode.ToTitle(r)
	}, s)
}

// draw draws rows, whose cells may have several lines.
func (t *tabler) draw(rows [][]string, indent int, header bool) {
	var drawn [][][]string // lines of rows
	columns := -1
	for _, row := range rows {
		cells, n := make([][]string, len(row)), -1
		for i, cell := range row {
			cells[i] = strings.Split(t.breakCell(terminal.Text(cell)), "\n")
			if n < 0 || len(cells[i]) < n {
				n = len(cells[i])
			}
		}
		if columns < 0 || len(row) < columns {
			columns = len(row)
		}
		lines := make([][]string, n) // as many as the shortest cell has
		for i := range lines {
			for _, cell := range cells {
				lines[i] = append(lines[i], cell[i])
			}
		}
		drawn = append(drawn, lines)
	}
	widths := make([]int, columns)
	for _, lines := range drawn {
		for _, line := range lines {
			for i := range widths {
				widths[i] = max(widths[i], width(line[i]))
			}
		}
	}
	delim, prefix, suffix := or(t.o.Delim, " | "), or(t.o.Prefix, "| "), or(t.o.Suffix, " |")
	n := width(prefix) + width(suffix) + width(delim)*(columns-1)
	for _, w := range widths {
		n += w
	}
	rule, separate := strings.Repeat(or(t.o.RowDelimiter, "-"), n), or(t.o.SeparateRows, true)
	if separate {
		t.put(indent, t.lightGray, rule, "")
	}
	for _, lines := range drawn {
		for _, line := range lines {
			cells := make([]string, columns)
			for i := range cells {
				cells[i] = t.justify(line[i], widths[i])
			}
			t.put(indent, t.white, prefix+strings.Join(cells, delim)+suffix, "")
		}
		if separate || header {
			t.put(indent, t.lightGray, rule, "")
			header = false
		}
	}
}

func or[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}

// breakCell wraps a text between words at the width of a column.
func (t *tabler) breakCell(text string) string {
	most := cmp.Or(t.o.Width, 50)
	words := strings.Split(text, " ")
	out := words[0]
	for _, word := range words[1:] {
		column := width(out[strings.LastIndexByte(out, '\n')+1:])
		first, _, _ := strings.Cut(word, "\n")
		if column+width(first) >= most {
			out += "\n" + word
		} else {
			out += " " + word
		}
	}
	return out
}

func (t *tabler) justify(s string, to int) string {
	room := max(to-width(s), 0)
	left := room/2 + room&to&1 // as Python centers
	switch t.o.Justify {
	case "left":
		left = 0
	case "right":
		left = room
	}
	return strings.Repeat(" ", left) + s + strings.Repeat(" ", room-left)
}
