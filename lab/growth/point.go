package growth

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Point is what one simulation measured. Times are in seconds of virtual time, memory in bytes.
type Point struct {
	Kind    Kind
	Minions float64
	values  [columns]float64
}

// Columns of a point, after its kind and its minions.
const (
	Nodes      = iota
	LastReturn // until each top has stored the last return
	InSQL      // until the database has the last row
	Messages   // between all nodes and minions, both ways
	Bytes
	TopBytes // received by one top
	TopRows  // stored per second by one top
	RegionRows
	SiteRows
	TopMemory // without that of an idle node
	RegionMemory
	SiteMemory
	SQLWaiting // rows, at most, of one top
	RegionWaiting
	TopBusy // seconds of processor time
	columns
)

var names = [columns]string{
	"nodes", "last_return_s", "in_sql_s", "messages", "bytes", "top_received_bytes", "top_rows_per_s", "region_rows_per_s", "site_rows_per_s",
	"top_memory_bytes", "region_memory_bytes", "site_memory_bytes", "sql_waiting_rows", "region_waiting_rows", "top_busy_s",
}

// Of returns a column.
func (p Point) Of(column int) float64 { return p.values[column] }

// WriteCSV writes points with a header.
func WriteCSV(out io.Writer, points []Point) error {
	w := csv.NewWriter(out)
	rows := [][]string{append([]string{"kind", "minions"}, names[:]...)}
	for _, p := range points {
		row := []string{string(p.Kind), number(p.Minions)}
		for _, v := range p.values {
			row = append(row, number(v))
		}
		rows = append(rows, row)
	}
	return w.WriteAll(rows)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }

// maxPoints bounds what ReadCSV reads.
const maxPoints = 10_000

// ReadCSV reads what WriteCSV wrote.
func ReadCSV(in io.Reader) ([]Point, error) {
	r := csv.NewReader(in)
	r.FieldsPerRecord = columns + 2
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("read growth data: %w", err)
	}
	for i, name := range append([]string{"kind", "minions"}, names[:]...) {
		if head[i] != name {
			return nil, fmt.Errorf("read growth data: column %d is %q, want %q", i+1, head[i], name)
		}
	}
	var out []Point
	for len(out) < maxPoints {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read growth data: %w", err)
		}
		p := Point{Kind: Kind(row[0])}
		for i, text := range row[1:] {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || !(v >= 0) || math.IsInf(v, 0) {
				line, _ := r.FieldPos(i + 1)
				return nil, fmt.Errorf("read growth data: line %d: %q is not a number from 0 on", line, text)
			}
			if i == 0 {
				p.Minions = v
			} else {
				p.values[i-1] = v
			}
		}
		out = append(out, p)
	}
	return nil, fmt.Errorf("read growth data: more than %d points", maxPoints)
}
