package events

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// However often a round is restarted, by losses or reconnects, while jobs open and close and few
// are reported in between: each job that stays is reported within the next rounds, a job counts
// only when it was reported since the loss, and the round ends after at most two passes without a
// loss.
func TestRotation_Model(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Rotation
		jobs := map[string]bool{}
		name := func(n int) string { return fmt.Sprintf("job%02d", n) }
		for i := range rapid.IntRange(0, 8).Draw(t, "jobs") {
			jobs[name(i)] = true
		}
		first := func(after string) string {
			for _, j := range sorted(jobs) {
				if j > after {
					return j
				}
			}
			return ""
		}
		reported := map[string]bool{} // reported since the loss
		lost := false
		turns := map[string]int{} // turns of other jobs since its last one
		being := ""               // job being reported
		t.Repeat(map[string]func(*rapid.T){
			"back": func(*rapid.T) { l.Begin(false) },
			"lost": func(t *rapid.T) {
				l.Begin(true)
				lost = true
				clear(reported)
				if rapid.Bool().Draw(t, "its own") {
					being = "" // restarted
				}
			},
			"open": func(t *rapid.T) {
				j := name(rapid.IntRange(0, 20).Draw(t, "job"))
				reported[j] = reported[j] || !jobs[j] // no report of a new job was lost
				jobs[j] = true
			},
			"end": func(t *rapid.T) {
				j := name(rapid.IntRange(0, 20).Draw(t, "job"))
				delete(jobs, j)
				delete(turns, j)
			},
			"turn": func(*rapid.T) {
				j, ok := l.Next(first)
				if !ok {
					lost = false
				}
				being = j
			},
			"report": func(t *rapid.T) {
				if being == "" {
					return // no job in progress
				}
				j := being
				l.Done(j)
				reported[j], being = true, ""
				for other := range jobs {
					turns[other]++
				}
				turns[j] = 0
			},
			"": func(t *rapid.T) {
				for j := range jobs {
					if l.Counts(j) && lost && !reported[j] {
						t.Fatalf("%s counts, but was not reported since the loss", j)
					}
					if turns[j] > 3*21 {
						t.Fatalf("%s was not reported, others %d times", j, turns[j])
					}
				}
			},
		})
		l.Begin(true)
		clear(reported)
		for range 2*len(jobs) + 1 {
			j, ok := l.Next(first)
			if !ok {
				break
			}
			l.Done(j)
			reported[j] = true
			if !l.Counts(j) {
				t.Fatalf("%s was reported and does not count", j)
			}
		}
		if l.Active() || len(reported) != len(jobs) {
			t.Fatalf("round not over, %d of %d reported", len(reported), len(jobs))
		}
	})
}

// A round that is restarted before its end continues where it was: of ten jobs, two per round, all
// are reported after five.
func TestRotation_Resumes(t *testing.T) {
	var l Rotation
	jobs, reported := map[string]bool{}, map[string]bool{}
	for i := range 10 {
		jobs[fmt.Sprint("job", i)] = true
	}
	for range 5 {
		l.Begin(true)
		for range 2 {
			j, ok := l.Next(func(after string) string {
				for _, j := range sorted(jobs) {
					if j > after {
						return j
					}
				}
				return ""
			})
			if !ok {
				t.Fatal("round ended too early")
			}
			l.Done(j)
			reported[j] = true
		}
	}
	if len(reported) != 10 {
		t.Errorf("reported %v", reported)
	}
}

func sorted(jobs map[string]bool) (out []string) {
	for j := range jobs {
		out = append(out, j)
	}
	slices.Sort(out)
	return out
}

// A job that reappears behind the current position gets no turn: its new reports are in the queue,
// so its end counts.
func TestRotation_LateJobCounts(t *testing.T) {
	l := NewRotation()
	l.Begin(false)
	if jid, ok := l.Next(func(string) string { return "b" }); jid != "b" || !ok {
		t.Fatalf("the turn of %q, %v", jid, ok)
	}
	if !l.Counts("a") || l.Counts("b") || l.Counts("c") {
		t.Errorf("before b: a counts %v, b %v, c %v", l.Counts("a"), l.Counts("b"), l.Counts("c"))
	}
	if l.Begin(true); l.Counts("a") {
		t.Error("a counts despite the loss")
	}
}

// A round restarts during a job. An earlier job that appeared after its turn, and lost reports
// since, gets a turn too.
func TestRotation_RestartedDuringAJob(t *testing.T) {
	jobs := map[string]bool{"b": true}
	first := func(after string) string {
		for _, j := range sorted(jobs) {
			if j > after {
				return j
			}
		}
		return ""
	}
	l := NewRotation()
	l.Begin(false)
	if jid, _ := l.Next(first); jid != "b" {
		t.Fatalf("the turn of %q", jid)
	}
	jobs["a"] = true
	l.Begin(true)
	l.Begin(true)
	l.Done("b")
	if l.Counts("a") {
		t.Error("a counts despite the loss")
	}
	if jid, ok := l.Next(first); jid != "a" || !ok {
		t.Errorf("the turn of %q, %v", jid, ok)
	}
}
