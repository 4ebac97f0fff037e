package matrix

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
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
	// Of says whose it is: mom, Salt/2 or Salt/3.
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
	// Error says why the world could not be played to its end.
	Error   string   `json:"error,omitempty"`
	Columns []Column `json:"columns"`
}

// Run is all worlds as they were played last.
type Run struct {
	// Salts are the versions by their word in names: Salt/2, Salt/3.
	Salts  map[string]string `json:"salts"`
	Tables []Table           `json:"tables"`
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

// Merge puts worlds that were played anew in the place of those of before. All have to be
// with the same Salts.
func (r Run) Merge(newer Run) (Run, error) {
	for k, v := range newer.Salts {
		if was := r.Salts[k]; was != "" && was != v {
			return r, fmt.Errorf("the worlds of before were played with %s %s, these with %s: play all of them, or name another file", k, was, v)
		}
	}
	out := Run{Salts: newer.Salts}
	for _, p := range Pairings() {
		for _, from := range []Run{newer, r} {
			if i := slices.IndexFunc(from.Tables, func(t Table) bool { return t.Name == p.Name() }); i >= 0 {
				out.Tables = append(out.Tables, from.Tables[i])
				break
			}
		}
	}
	return out, nil
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

// unplayed lists the pairings that are not in the run.
func (r Run) unplayed() (out []string) {
	for _, p := range Pairings() {
		if !slices.ContainsFunc(r.Tables, func(t Table) bool { return t.Name == p.Name() }) {
			out = append(out, p.Name())
		}
	}
	return out
}
