package client

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// roll is an attendance whose clock shows seconds since the publication.
type roll struct {
	*attendance
	began time.Time
}

func newRoll(p Published, only []string, w waits) roll {
	began := time.Unix(1e9, 0)
	return roll{newAttendance(p, only, w, began), began}
}

func (r roll) at(second float64) time.Time {
	return r.began.Add(time.Duration(second * float64(time.Second)))
}

func (r roll) accepts(ids ...string) (n int) {
	for _, id := range ids {
		if r.accept(&Return{ID: id, Success: true}) {
			n++
		}
	}
	return n
}

// step is what next returns, as a text.
func (r roll) step(second float64) string {
	complete, ids, until := r.next(r.at(second))
	slices.Sort(ids)
	switch {
	case complete:
		return "complete"
	case ids != nil:
		return "ask " + strings.Join(ids, ",")
	case until.IsZero():
		return "wait"
	}
	return fmt.Sprintf("until %g", until.Sub(r.began).Seconds())
}

var saltWaits = waits{timeout: 5 * time.Second, answers: 10 * time.Second}

func (r roll) want(t *testing.T, second float64, step string) {
	t.Helper()
	if got := r.step(second); got != step {
		t.Errorf("at %g: %q, want %q", second, got, step)
	}
}

func TestAttendanceRounds(t *testing.T) {
	r := newRoll(Published{Minions: []string{"a", "b", "c", "d"}}, nil, saltWaits)
	r.want(t, 0, "until 5")
	r.accepts("a")
	r.want(t, 5, "ask b,c,d")
	r.ask()
	r.want(t, 5.5, "wait")
	r.gather(r.at(6))
	r.want(t, 6, "until 16")
	r.runs("b", r.at(7))
	r.runs("c", r.at(14))
	r.want(t, 15, "until 16")
	// d did not answer, and has another chance as long as others run the job.
	r.want(t, 16, "ask b,c,d")
	r.ask()
	r.gather(r.at(16))
	r.runs("c", r.at(25))
	r.want(t, 26, "until 30")
	r.accepts("c")
	r.want(t, 27, "complete")
	if a := r.account("j", r.at(27)); !a.Judged || a.Expected != 4 || a.Returned != 2 || a.Missing["b"].Reason != "No response" ||
		len(a.Missing) != 2 || a.Reasons["No response"] != 2 || a.Took != 27*time.Second {
		t.Errorf("%+v", a)
	}
}

// A minion that is named late has its own timeout and is asked too.
func TestAttendanceOfLateMinions(t *testing.T) {
	r := newRoll(Published{Minions: []string{"a"}}, nil, saltWaits)
	r.want(t, 5, "ask a")
	r.ask()
	r.gather(r.at(5))
	if fresh := r.expect([]string{"a", "b"}, r.at(14)); !slices.Equal(fresh, []string{"b"}) {
		t.Errorf("new are %v", fresh)
	}
	r.want(t, 15, "until 19")
	r.want(t, 19, "ask a,b")
	r.ask()
	r.gather(r.at(19))
	r.want(t, 29, "complete")
}

func TestAttendanceWaitsForSyndics(t *testing.T) {
	w := saltWaits
	w.syndics = 3 * time.Second
	r := newRoll(Published{Minions: []string{"a"}, Missing: []string{"b", "typo"}}, []string{"a", "b", "typo"}, w)
	r.accepts("a")
	r.want(t, 1, "until 3")
	if fresh := r.expect([]string{"b", "other"}, r.at(1)); !slices.Equal(fresh, []string{"b"}) {
		t.Errorf("new are %v", fresh)
	}
	r.accepts("b")
	r.want(t, 2, "until 3")
	r.want(t, 3, "complete")
	if a := r.account("j", r.at(3)); a.Expected != 3 || a.Returned != 2 || a.Missing["typo"].Reason != "No response" {
		t.Errorf("%+v", a)
	}
	r = newRoll(Published{}, nil, w)
	r.want(t, 3, "until 5")
	r.want(t, 5, "complete")
	r = newRoll(Published{Minions: []string{"a"}}, nil, w)
	r.ask()
	r.gather(r.at(5))
	r.want(t, 6, "until 18")
}

func TestAttendanceOfUnknownMinions(t *testing.T) {
	r := newRoll(Published{Minions: []string{"a"}, Missing: []string{"typo"}}, nil, saltWaits)
	if r.accept(&Return{ID: "a", Success: true, Retcode: 3}); r.step(0) != "complete" {
		t.Error("the job goes on without a minion")
	}
	if a := r.account("j", r.at(0)); a.Failed != 1 || a.Expected != 2 || a.Missing["typo"].Reason != "No such minion" {
		t.Errorf("%+v", a)
	}
}

// If the answers to find_job are lost, all minions are asked again.
func TestAttendanceAsksAgain(t *testing.T) {
	r := newRoll(Published{Minions: []string{"a", "b"}}, nil, saltWaits)
	r.ask()
	r.gather(r.at(5))
	r.accepts("b")
	r.again(r.at(6))
	r.want(t, 6, "until 11")
	r.want(t, 11, "ask a")
}

// Anybody who can fire events may name minions and return for them.
func TestAttendanceIsBounded(t *testing.T) {
	many := make([]string, 100_000)
	for i := range many {
		many[i] = fmt.Sprint("m", i)
	}
	r := newRoll(Published{Minions: []string{"a"}}, nil, saltWaits)
	if n := len(r.expect(many, r.at(0))); n != maxNamed {
		t.Errorf("%d minions are expected", n)
	}
	if n := r.accepts("stranger", "a", "a", "m1"); n != 2 {
		t.Errorf("%d returns are accepted", n)
	}
	r = newRoll(Published{Minions: []string{"a"}}, nil, saltWaits)
	if n := r.accepts(many...); n != maxNamed {
		t.Errorf("%d returns are accepted", n)
	}
	if r.accepts("a") != 1 {
		t.Error("an expected return is refused")
	}
	// The answer of the master itself is not limited.
	r = newRoll(Published{Minions: many}, nil, saltWaits)
	if n := r.accepts(many...); n != len(many) {
		t.Errorf("%d returns are accepted", n)
	}
	r.want(t, 0, "complete")
}
