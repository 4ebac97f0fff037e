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

// Cell is the result of one row.
type Cell struct {
	Row string `json:"row"`
	// Wrong says in short what is wrong; "" is nothing.
	Wrong string `json:"wrong,omitempty"`
	// Seconds is the duration; for minions, that of all minions of a world together.
	Seconds float64 `json:"seconds"`
}

// Column is the results of one daemon of a world: a minion, or the commands or API beside
// the top.
type Column struct {
	// Kind is [OfMinion], [OfCommands] or [OfAPI].
	Kind string `json:"kind"`
	// Of is the kind of the daemon.
	Of    kind   `json:"of"`
	Cells []Cell `json:"cells"`
}

// Table is the results of a world.
type Table struct {
	// Name is the name of its [Pairing].
	Name    string    `json:"name"`
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	// Mom is the commit that was played.
	Mom string `json:"mom"`
	// Salts are the versions of the Salts in it, by kind.
	Salts map[kind]string `json:"salts,omitempty"`
	// Error says why the world could not be played to the end.
	Error   string   `json:"error,omitempty"`
	Columns []Column `json:"columns"`
}

// Run is the latest results of all worlds.
type Run struct {
	Tables []Table `json:"tables"`
}

// Faults lists the worlds that could not be played, and the faulty cells without a note.
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

// Merge replaces the results of worlds that were played again.
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

// Read reads a run from a file. A missing file is an empty run.
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

// unplayed lists the pairings that are missing in the run, and the columns and rows that were added
// to a pairing after it was played.
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

// columns returns the columns and rows of a pairing, without results.
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
