package matrix

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// States of a cell.
const (
	// Yes: it is as asked.
	Yes = "yes"
	// No: it is not, and the note says on which side the cause is.
	No = "no"
	// None: it cannot be asked, and the note says why.
	None = "none"
)

// Cell is the answer to one row in one pair.
type Cell struct {
	Row   string `json:"row"`
	State string `json:"state"`
	// Note is the key of a note in [Notes]; "" with Yes.
	Note string `json:"note,omitempty"`
	// Said is what was found where it is not as asked: an error, in short.
	Said string `json:"said,omitempty"`
	// Seconds is how long it took.
	Seconds float64 `json:"seconds"`
}

// Column is what was asked of one daemon of a world: a minion, or a command or API beside
// the master.
type Column struct {
	// Name says which chain it is, from the top down: "mom – 3006 – mom".
	Name  string `json:"name"`
	Cells []Cell `json:"cells"`
}

// Table is a world that was played.
type Table struct {
	Name    string    `json:"name"`
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Columns []Column  `json:"columns"`
}

// Run is one run of all worlds.
type Run struct {
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Mom     string    `json:"mom"`
	// Salts are the versions by their word in names: 3006, 3007.
	Salts  map[string]string `json:"salts"`
	Tables []Table           `json:"tables"`
}

// Faults lists the cells that are not as asked and whose cause no note tells.
func (r Run) Faults() (out []string) {
	for _, t := range r.Tables {
		for _, c := range t.Columns {
			for _, cell := range c.Cells {
				if cell.State == No && cell.Note == "" {
					out = append(out, fmt.Sprintf("%s: %s: %s: %s", t.Name, c.Name, cell.Row, cell.Said))
				}
			}
		}
	}
	return out
}

// Read reads a run from a file.
func Read(path string) (r Run, err error) {
	text, err := os.ReadFile(path)
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
