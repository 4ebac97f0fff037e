package formulas

import (
	"fmt"
	"io"
)

// row is one line of the table.
type row struct {
	name                string
	all, equal, refused int
}

func (r *row) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "| %s | %d | %d | %d | %d |\n", r.name, r.all, r.equal, r.refused, r.all-r.equal)
	return err
}

// Table writes a row for each formula and the differences below, as Markdown.
func Table(w io.Writer, results []Result) error {
	var rows []*row
	for _, r := range results {
		if len(rows) == 0 || rows[len(rows)-1].name != r.Of {
			rows = append(rows, &row{name: r.Of})
		}
		last := rows[len(rows)-1]
		last.all++
		if r.Equal() {
			last.equal++
		}
		if r.Salt.Error != "" && r.Ours.Error != "" {
			last.refused++
		}
	}
	total := row{name: "all"}
	_, err := fmt.Fprint(w, "| of | calls | equal | of these refused by both | different |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		total.all, total.equal, total.refused = total.all+r.all, total.equal+r.equal, total.refused+r.refused
		if err == nil {
			err = r.print(w)
		}
	}
	if err == nil {
		err = total.print(w)
	}
	heading := "\n| of | what | how it differs |\n|---|---|---|\n"
	for _, r := range results {
		if why := r.Reason(); why != "" && err == nil {
			_, err = fmt.Fprintf(w, "%s| %s | %s | %s |\n", heading, r.Of, r.What, why)
			heading = ""
		}
	}
	return err
}
