package jobs

import "testing"

// master is a master that has only a name.
type master struct {
	Master
	name string
}

func TestRecent(t *testing.T) {
	r, a, b := newRecent(2, 3), &master{name: "a"}, &master{name: "b"}
	if fresh, _ := r.take("1", a); !fresh {
		t.Error("a new job is not new")
	}
	if fresh, load := r.take("1", a); fresh || load != nil {
		t.Error("a repeated job is new")
	}
	if fresh, load := r.take("1", b); fresh || load != nil {
		t.Error("another master made the job new, or done")
	}
	if to := r.finish("1", []byte("x"), a); len(to) != 2 {
		t.Errorf("the return goes to %d masters", len(to))
	}
	c := &master{name: "c"}
	if fresh, load := r.take("1", c); fresh || string(load) != "x" {
		t.Errorf("a third master gets %q", load)
	}
	r.take("2", a)
	r.take("3", a)
	if fresh, load := r.take("1", &master{name: "d"}); fresh || load != nil {
		t.Errorf("a job whose return is not kept any more: new %v, %q", fresh, load)
	}
	if to := r.finish("1", []byte("x"), c); len(to) != 1 || to[0] != c {
		t.Errorf("its return goes to %v", to)
	}
	r.take("4", a)
	if fresh, _ := r.take("1", a); !fresh {
		t.Error("a job beyond the window is still known")
	}
	if to := r.finish("9", nil, a); len(to) != 1 || to[0] != a {
		t.Errorf("an unknown job goes to %v", to)
	}
}
