package matrix

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Kinds of columns.
const (
	OfMinion   = "minion"
	OfCommands = "commands"
	OfAPI      = "API"
)

// Cell is what was found for one row.
type Cell struct {
	Row string `json:"row"`
	// Wrong is what is not as asked, in short; "" is nothing.
	Wrong string `json:"wrong,omitempty"`
	// Seconds is how long it took; of minions, all of a world together.
	Seconds float64 `json:"seconds"`
}

// Column is what was asked of one daemon of a world: a minion, or the commands or API
// beside the top.
type Column struct {
	// Kind is [OfMinion], [OfCommands] or [OfAPI].
	Kind string `json:"kind"`
	// Of says whose it is.
	Of    kind   `json:"of"`
	Cells []Cell `json:"cells"`
}

// Table is a world that was played.
type Table struct {
	// Name is that of its [Pairing].
	Name    string    `json:"name"`
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	// Mom is the commit that was played.
	Mom string `json:"mom"`
	// Salts are the versions of the Salts in it, by their kinds.
	Salts map[kind]string `json:"salts,omitempty"`
	// Error says why the world could not be played to its end.
	Error   string   `json:"error,omitempty"`
	Columns []Column `json:"columns"`
}

// Run is all worlds as they were played last.
type Run struct {
	Tables []Table `json:"tables"`
}

// Faults lists the worlds that could not be played, and the cells that are not as asked and
// whose cause no note tells.
func (r Run) Faults() (out []string) {
	for _, t := range r.Tables {
		if t.Error != "" {
			out = append(out, t.Name+": "+t.Error)
		}
		for _, c := range t.Columns {
			for _, cell := range c.Cells {
				if cell.Wrong != "" && t.note(c, cell) == nil {
					out = append(out, fmt.Sprintf("%s: %s of %s: %s: %s", t.Name, c.Kind, c.Of, cell.Row, cell.Wrong))
				}
			}
		}
	}
	return out
}

// Merge puts worlds that were played anew in the place of those of before.
func (r Run) Merge(newer Run) (out Run) {
	for _, p := range Pairings() {
		for _, from := range []Run{newer, r} {
			if i := slices.IndexFunc(from.Tables, func(t Table) bool { return t.Name == p.Name() }); i >= 0 {
				out.Tables = append(out.Tables, from.Tables[i])
				break
			}
		}
	}
	return out
}

// Read reads a run from a file; one that is not there is an empty run.
func Read(path string) (r Run, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("read a run of the matrix: %w", err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("read a run of the matrix from %s: %w", path, err)
	}
	return r, nil
}

// Write writes the run to a file.
func (r Run) Write(path string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("write the run of the matrix: %w", err)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the run of the matrix: %w", err)
	}
	return nil
}

// unplayed lists the pairings that are not in the run, and the chains and rows of the others that
// were added after they were played.
func (r Run) unplayed() (out []string) {
	for _, p := range Pairings() {
		i := slices.IndexFunc(r.Tables, func(t Table) bool { return t.Name == p.Name() })
		if i < 0 {
			out = append(out, "world `"+p.Name()+"`")
			continue
		}
		var rows []string
		for _, c := range p.columns() {
			j := slices.IndexFunc(r.Tables[i].Columns, func(o Column) bool { return o.Kind == c.Kind && o.Of == c.Of })
			if j < 0 {
				out = append(out, "column `"+r.Tables[i].Title(c)+"`")
				continue
			}
			for _, cell := range c.Cells {
				if !slices.Contains(rows, cell.Row) && !slices.ContainsFunc(r.Tables[i].Columns[j].Cells, func(o Cell) bool { return o.Row == cell.Row }) {
					rows = append(rows, cell.Row)
				}
			}
		}
		if len(rows) > 0 {
			out = append(out, "rows of `"+p.Name()+"`: "+strings.Join(rows, ", "))
		}
	}
	return out
}

// columns are all that is asked of a pairing, without what comes of it.
func (p Pairing) columns() (out []Column) {
	for _, k := range p.Minions {
		c := Column{Kind: OfMinion, Of: k}
		for _, r := range Rows() {
			if r.asked(p) {
				c.Cells = append(c.Cells, Cell{Row: r.Name})
			}
		}
		out = append(out, c)
	}
	for _, k := range p.Commands {
		for _, x := range checks() {
			c := Column{Kind: x.of, Of: k}
			for _, check := range x.checks {
				if check.asked(k) {
					c.Cells = append(c.Cells, Cell{Row: check.Name})
				}
			}
			out = append(out, c)
		}
	}
	return out
}
