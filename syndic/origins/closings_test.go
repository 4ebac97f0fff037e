package origins

import "testing"

// While one of two parents is away, more jobs close than the bound. What the other has accepted
// still counts when the first is back. 500 jobs, a bound of 3; those the local master dropped are
// forgotten.
func TestClosingsOutlastTheBound(t *testing.T) {
	const jobs = 500
	given := map[string]bool{} // dropped by the local master
	c := NewClosings(3, func(jid string) (uint64, bool) { return 7, !given[jid] })
	both := []string{"a", "b"}
	for i := range jobs {
		if c.Note(job(i), 7, "a", both) {
			t.Fatalf("job %d counts without b", i)
		}
	}
	for i := range jobs {
		if !c.Has(job(i), 7, "a") || !c.Note(job(i), 7, "b", both) {
			t.Fatalf("job %d: acknowledgement of a forgotten", i)
		}
	}
	for i := range 3 * jobs {
		c.Note(job(i), 7, "a", both)
		given[job(i)] = true
	}
	if n := len(c.took); n > 3 {
		t.Errorf("%d jobs kept that the local master dropped", n)
	}
}
