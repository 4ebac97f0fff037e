package sqlrows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/returners"
)

// failure is an error with a class.
type failure string

func (f failure) Error() string { return string(f) }

func newWriter() *Writer {
	return &Writer{Class: func(err error) string {
		var f failure
		_ = errors.As(err, &f)
		return string(f)
	}}
}

// rowsOf returns n rows of a size.
func rowsOf(n, size int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = Row{JID: fmt.Sprint(i / 2), ID: fmt.Sprint(i), Size: size}
	}
	return rows
}

// Rows are sent in batches with a bound of rows and of bytes.
func TestWriter_Batches(t *testing.T) {
	for _, c := range []struct {
		rows, size int
		want       []int
	}{
		{0, 1, nil},
		{BatchRows, 1, []int{BatchRows}},
		{2*BatchRows + 1, 1, []int{BatchRows, BatchRows, 1}},
		{5, batchBytes / 2, []int{2, 2, 1}},
		{2, 3 * batchBytes, []int{1, 1}},
	} {
		w := newWriter()
		var got []int
		err := w.Write(t.Context(), rowsOf(c.rows, c.size), true, func(_ context.Context, rows []Row) error {
			got = append(got, len(rows))
			return nil
		})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%d rows of %d bytes: batches %v, %v; want %v", c.rows, c.size, got, err, c.want)
		}
		if st := w.Stats(); st != (Stats{Rows: uint64(c.rows), Statements: uint64(len(c.want))}) {
			t.Errorf("counted %+v", st)
		}
	}
}

// A batch is repeated after contention, after one lost connection if it may be, and never after another failure.
func TestWriter_Repeats(t *testing.T) {
	const contention, lost, other = failure(returners.ClassContention), failure(returners.ClassConnection), failure("other")
	for name, c := range map[string]struct {
		answers    []failure // then success
		repeatable bool
		sent       int
		want       string
	}{
		"contention":           {answers: []failure{contention, contention}, sent: 3},
		"endless contention":   {answers: slices.Repeat([]failure{contention}, 100), sent: tries, want: returners.ClassContention},
		"lost once":            {answers: []failure{lost}, repeatable: true, sent: 2},
		"lost twice":           {answers: []failure{lost, lost}, repeatable: true, sent: 2, want: returners.ClassConnection},
		"lost, not repeatable": {answers: []failure{lost}, sent: 1, want: returners.ClassConnection},
		"another failure":      {answers: []failure{other}, repeatable: true, sent: 1, want: "other"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, sent := newWriter(), 0
				err := w.Write(t.Context(), rowsOf(3, 1), c.repeatable, func(context.Context, []Row) error {
					if sent++; sent <= len(c.answers) {
						return c.answers[sent-1]
					}
					return nil
				})
				if got := w.Class(err); sent != c.sent || got != c.want {
					t.Errorf("sent %d times, %v; want %d, %q", sent, err, c.sent, c.want)
				}
			})
		})
	}
}

// Of a batch with a row that exists, all other rows are stored.
func TestWriter_Duplicate(t *testing.T) {
	w := newWriter()
	var stored []string
	err := w.Write(t.Context(), rowsOf(7, 1), true, func(_ context.Context, rows []Row) error {
		for _, r := range rows {
			if r.ID == "4" {
				return failure(returners.ClassDuplicate)
			}
		}
		for _, r := range rows {
			stored = append(stored, r.ID)
		}
		return nil
	})
	if want := []string{"0", "1", "2", "3", "5", "6"}; err != nil || !slices.Equal(stored, want) {
		t.Errorf("stored %v, %v; want %v", stored, err, want)
	}
	if st := w.Stats(); st.Duplicates != 1 || st.Rows != 6 {
		t.Errorf("counted %+v", st)
	}
}

func TestByJob(t *testing.T) {
	rows := append(rowsOf(3, 1), slices.Repeat([]Row{{JID: "9", ID: "m"}}, BatchRows+1)...)
	var got []string
	for jid, ids := range ByJob(rows) {
		got = append(got, fmt.Sprintf("%s:%d %s", jid, len(ids), strings.Join(slices.Compact(ids), ",")))
	}
	want := []string{"0:2 0,1", "1:1 2", fmt.Sprintf("9:%d m", BatchRows), "9:1 m"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A job is updated again after a while, and after an update that failed. What is remembered has a bound.
func TestUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var u Updates
		var fails error
		do := func(rows []Row) (got []string) {
			if err := u.Do(rows, func(jids []string) error { got = jids; return fails }); !errors.Is(err, fails) {
				t.Errorf("error %v", err)
			}
			return got
		}
		rows := rowsOf(4, 1)
		fails = errors.New("no")
		for range 2 {
			if got := do(rows); !slices.Equal(got, []string{"0", "1"}) {
				t.Errorf("due after a failure: %v", got)
			}
			fails = nil
		}
		if got := do(rows); len(got) != 0 {
			t.Errorf("due at once: %v", got)
		}
		time.Sleep(every)
		if got := do(rows); len(got) != 2 {
			t.Errorf("due after %v: %v", every, got)
		}
		for i := range 3 * mostUpdated {
			do([]Row{{JID: fmt.Sprint("j", i)}})
		}
		if n := len(u.at); n > mostUpdated {
			t.Errorf("%d jobs are remembered", n)
		}
	})
}

func TestClean(t *testing.T) {
	pages := map[string][]string{"": {"1", "2"}, "2": {"3"}, "3": nil}
	for limit, want := range map[int]int{1: 1, 7: 7, 100: 15} {
		left := map[string]int{"1": 5, "2": 5, "3": 5}
		n, err := Clean(limit, func(after string) ([]string, error) { return pages[after], nil }, func(jid string, limit int) (int, error) {
			n := min(left[jid], limit)
			left[jid] -= n
			return n, nil
		})
		if n != want || err != nil {
			t.Errorf("at most %d: %d rows, %v; want %d", limit, n, err, want)
		}
	}
	fails := errors.New("no")
	n, err := Clean(100, func(string) ([]string, error) { return []string{"1", "2"}, nil }, func(jid string, _ int) (int, error) {
		if jid == "2" {
			return 0, fails
		}
		return 5, nil
	})
	if n != 5 || !errors.Is(err, fails) {
		t.Errorf("%d rows, %v", n, err)
	}
}
