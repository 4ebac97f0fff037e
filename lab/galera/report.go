//go:build linux

package galera

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Report is the result of a [Run].
type Report struct {
	*Found
	Took    time.Duration
	Returns int // committed by all writers
	Jobs    int
	Refused int   // rows that a writer set aside because SQL refused them
	Errors  error // of commits to embedded stores
	Own     int   // servers that ended of themselves, or were restarted since they did not join
	Full    int   // full copies that were made of necessity

	SQL     time.Duration // the longest time in which no return reached SQL
	Writers []WriterReport
	Kinds   []KindReport
}

// WriterReport is what a writer has seen.
type WriterReport struct {
	Ack     time.Duration     // the longest commit to its embedded store: until a return is acknowledged
	SQL     time.Duration     // the longest time in which none of its returns reached SQL
	Retries uint64            // statements sent again
	Errors  map[string]uint64 // failures by class
}

// KindReport is what one kind of fault did.
type KindReport struct {
	What   string
	Times  int
	Whole  time.Duration // the longest until all three servers were one cluster again
	Writer time.Duration // the longest pause of any writer
	SQL    time.Duration // the longest pause of all writers
}

// Good reports whether every row is where it must be, once.
func (r *Report) Good() bool { return r.Whole() && r.Refused == 0 && r.Errors == nil }

func (r *run) report() *Report {
	return &Report{Found: &Found{}, Took: time.Since(r.began), Jobs: r.jobs, Own: r.c.Own, Full: r.c.Full}
}

// pauses adds the pauses to a report.
func (r *run) pauses(rep *Report) {
	rep.SQL = r.sql.longest()
	for _, w := range r.writers {
		st := w.drain.Stats()
		w.mu.Lock()
		rep.Writers = append(rep.Writers, WriterReport{Ack: w.slow, SQL: w.sql.longest(), Retries: w.remote.Stats().Retries, Errors: st.Errors})
		w.mu.Unlock()
	}
	for _, what := range slices.Sorted(maps.Keys(r.spans)) {
		k := KindReport{What: what, Times: len(r.spans[what]), SQL: r.sql.longest(r.spans[what]...)}
		for _, s := range r.spans[what] {
			k.Whole = max(k.Whole, s.length())
		}
		for _, w := range r.writers {
			k.Writer = max(k.Writer, w.sql.longest(r.spans[what]...))
		}
		rep.Kinds = append(rep.Kinds, k)
	}
}

// Print writes the report as tables.
func (r *Report) Print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\nfault\ttimes\tcluster whole after, longest\tpause of a writer, longest\tpause of SQL, longest\n")
	for _, k := range r.Kinds {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\n", k.What, k.Times, seconds(k.Whole), seconds(k.Writer), seconds(k.SQL))
	}
	fmt.Fprintf(t, "\nwriter\tacknowledged after, longest\tpause of SQL, longest\tstatements repeated\tfailures\n")
	for i, w := range r.Writers {
		var errs []string
		for _, class := range slices.Sorted(maps.Keys(w.Errors)) {
			errs = append(errs, fmt.Sprintf("%s %d", class, w.Errors[class]))
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%d\t%s\n", i+1, seconds(w.Ack), seconds(w.SQL), w.Retries, strings.Join(errs, ", "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%d jobs, %d returns committed by the writers, %d rows of returns compared, in %v; no return reached SQL for %s at most\n"+
		"servers that ended of themselves or did not join: %d, of which %d needed a full copy\n"+
		"lost %d, wrong %d, doubled %d, unknown %d, refused %d; tables that differ: %d\n",
		r.Jobs, r.Returns, r.Rows, r.Took.Round(time.Second), seconds(r.SQL), r.Own, r.Full, r.Lost, r.Wrong, r.Doubled, r.Unknown, r.Refused, len(r.Differ))
	for _, x := range append(r.Examples, r.Differ...) {
		fmt.Fprintln(out, "  ", x)
	}
	if r.Errors != nil {
		fmt.Fprintln(out, "  ", r.Errors)
	}
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
