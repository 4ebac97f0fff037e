package returns

import "testing"

// The timer is set once for all returns until it fires; a full batch does not wait.
func TestGather(t *testing.T) {
	g := Gather{Rows: 500}
	for i, c := range []struct {
		rows     int64
		due      bool
		arm, now bool
	}{
		{rows: 1, arm: true},
		{rows: 2},
		{rows: 500, now: true},
		{due: true},
		{rows: 1, arm: true},
		{due: true},
		{rows: 500 + 1, arm: true, now: true},
	} {
		if c.due {
			g.Due()
			continue
		}
		if arm, now := g.Grown(c.rows); arm != c.arm || now != c.now {
			t.Errorf("step %d: %d rows: arm %v, now %v; want %v, %v", i, c.rows, arm, now, c.arm, c.now)
		}
	}
}
