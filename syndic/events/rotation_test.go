package events

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// However often a lap is begun anew, because words were lost or the parent came back,
// jobs open and end meanwhile, and only a few are told in between: each job that stays
// is told within the next rounds, one counts only when it was told since the loss, and
// the lap ends after at most two rounds without a loss.
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
		told := map[string]bool{} // since words were lost
		lost := false
		turns := map[string]int{} // of others, since it was told
		being := ""               // the job that has its turn
		t.Repeat(map[string]func(*rapid.T){
			"back": func(*rapid.T) { l.Begin(false) },
			"lost": func(t *rapid.T) {
				l.Begin(true)
				lost = true
				clear(told)
				if rapid.Bool().Draw(t, "its own") {
					being = "" // it is told from its start again
				}
			},
			"open": func(t *rapid.T) {
				j := name(rapid.IntRange(0, 20).Draw(t, "job"))
				told[j] = told[j] || !jobs[j] // nothing of a new one was lost
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
			"tell": func(t *rapid.T) {
				if being == "" {
					return // no job has its turn
				}
				j := being
				l.Told(j)
				told[j], being = true, ""
				for other := range jobs {
					turns[other]++
				}
				turns[j] = 0
			},
			"": func(t *rapid.T) {
				for j := range jobs {
					if l.Counts(j) && lost && !told[j] {
						t.Fatalf("%s counts, and was not told since words were lost", j)
					}
					if turns[j] > 3*21 {
						t.Fatalf("%s was not told, and others were %d times", j, turns[j])
					}
				}
			},
		})
		l.Begin(true)
		clear(told)
		for range 2*len(jobs) + 1 {
			j, ok := l.Next(first)
			if !ok {
				break
			}
			l.Told(j)
			told[j] = true
			if !l.Counts(j) {
				t.Fatalf("%s was told and does not count", j)
			}
		}
		if l.Active() || len(told) != len(jobs) {
			t.Fatalf("the lap is not over, %d of %d were told", len(told), len(jobs))
		}
	})
}

// A lap that is begun anew before it is over goes on where it was: ten jobs, two of
// which are told each time, have all had their turn after five times.
func TestRotation_GoesOn(t *testing.T) {
	var l Rotation
	jobs, told := map[string]bool{}, map[string]bool{}
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
				t.Fatal("it is over too soon")
			}
			l.Told(j)
			told[j] = true
		}
	}
	if len(told) != 10 {
		t.Errorf("told are %v", told)
	}
}

func sorted(jobs map[string]bool) (out []string) {
	for j := range jobs {
		out = append(out, j)
	}
	slices.Sort(out)
	return out
}

// A job that comes back behind the lap, with word that came late, has its turn no more:
// all that was said of it since is in the queue, and so its end counts.
func TestRotation_ALateJobCounts(t *testing.T) {
	l := NewRotation()
	l.Begin(false)
	if jid, ok := l.Next(func(string) string { return "b" }); jid != "b" || !ok {
		t.Fatalf("the turn of %q, %v", jid, ok)
	}
	if !l.Counts("a") || l.Counts("b") || l.Counts("c") {
		t.Errorf("before b is told: a counts %v, b %v, c %v", l.Counts("a"), l.Counts("b"), l.Counts("c"))
	}
	if l.Begin(true); l.Counts("a") {
		t.Error("a counts although words were lost since")
	}
}

// A lap is begun anew while a job is told. One before it that was not there when that had
// its turn, and of which words were lost since, has its turn too.
func TestRotation_BegunAnewWhileAJobIsTold(t *testing.T) {
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
	l.Told("b")
	if l.Counts("a") {
		t.Error("a counts although words of it were lost")
	}
	if jid, ok := l.Next(first); jid != "a" || !ok {
		t.Errorf("the turn of %q, %v", jid, ok)
	}
}
