package origins

import "testing"

// While one of two parents is away, more jobs end than are remembered; what the other
// one has taken counts nevertheless when the first is back. 500 jobs, a bound of 3; those
// that the local master has given up are forgotten.
func TestClosingsOutlastTheBound(t *testing.T) {
	const jobs = 500
	given := map[string]bool{} // up by the local master
	c := NewClosings(3, func(jid string) (uint64, bool) { return 7, !given[jid] })
	both := []string{"a", "b"}
	for i := range jobs {
		if c.Note(job(i), 7, "a", both) {
			t.Fatalf("job %d counts without b", i)
		}
	}
	for i := range jobs {
		if !c.Has(job(i), 7, "a") || !c.Note(job(i), 7, "b", both) {
			t.Fatalf("job %d: what a took is forgotten", i)
		}
	}
	for i := range 3 * jobs {
		c.Note(job(i), 7, "a", both)
		given[job(i)] = true
	}
	if n := len(c.took); n > 3 {
		t.Errorf("%d jobs are remembered that nobody keeps", n)
	}
}
