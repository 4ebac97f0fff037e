package sim

import (
	"testing"
	"time"
)

// distant is a tree of three tops and four regions with a site each, over a WAN, with a database.
func distant(t *testing.T) Options {
	t.Helper()
	return Options{
		Seed: 1, Shape: shape(t, "4x1x50").WithTops(3), Cluster: true,
		WAN: WAN{Delay: Dist{Min: 40 * time.Millisecond, Max: 60 * time.Millisecond}, Loss: 0.01, Rate: 1 << 20},
		SQL: SQL{Commit: Dist{Min: 5 * time.Millisecond, Max: 10 * time.Millisecond}, Rows: 1000},
	}
}

// A WAN delays a job by its latency, and the database gets each row from each top.
func TestWAN(t *testing.T) {
	near := distant(t)
	near.WAN = WAN{}
	_, quick := play(t, near)
	w, far := play(t, distant(t))
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	for i, a := range far.Jobs {
		if later := a.Last - quick.Jobs[i].Last; later < 80*time.Millisecond || later > 5*time.Second {
			t.Errorf("at %s the last return comes %s later over the WAN", a.Top, later)
		}
	}
	last := time.Duration(0)
	for _, s := range far.SQL {
		if last = max(last, s.Last); s.Rows != 200 || s.Most < 50 || s.Most > 200 {
			t.Errorf("the database has %+v", s)
		}
	}
	if last < 600*time.Millisecond {
		t.Errorf("the database has 600 rows after %s, and stores 1000 a second", last)
	}
}

// The bandwidth holds for all messages of a direction together, and loss makes a message late.
func TestWAN_Delay(t *testing.T) {
	o := Options{Seed: 1}
	r := &road{WAN: WAN{Delay: Dist{Min: 10 * time.Millisecond, Max: 10 * time.Millisecond}, Rate: 1000}, rng: o.stream(1)}
	for i, want := range []time.Duration{1010 * time.Millisecond, 2010 * time.Millisecond} {
		if got := time.Duration(r.delay(up, 0, 1000)); got != want {
			t.Errorf("message %d arrives after %s, want %s", i, got, want)
		}
	}
	if got := time.Duration(r.delay(down, 0, 0)); got != 10*time.Millisecond {
		t.Errorf("the other direction waits %s", got)
	}
	r = &road{WAN: WAN{Loss: 0.1}, rng: o.stream(1)}
	late := 0
	for range 1000 {
		if d := time.Duration(r.delay(up, 0, 100)); d >= resendAfter {
			late++
		}
	}
	if late < 60 || late > 140 {
		t.Errorf("%d of 1000 messages are late with a loss of 10 %%", late)
	}
}

// A job goes on without a lost region, and the region's returns come when it is back.
func TestWAN_LostRegion(t *testing.T) {
	o := distant(t)
	o.WAN.Lost, o.WAN.At, o.WAN.For = 1, 0, time.Minute
	w, r := play(t, o)
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Jobs {
		if a.Took > 30*time.Second || a.Took < 0 {
			t.Errorf("the job ends at %s after %s, with a region away for a minute", a.Top, a.Took)
		}
	}
}

func TestWAN_Refusals(t *testing.T) {
	for name, o := range map[string]Options{
		"loss":          {WAN: WAN{Loss: 0.9}},
		"bandwidth":     {WAN: WAN{Rate: -1}},
		"region for 0s": {WAN: WAN{Lost: 1}},
		"more regions":  {WAN: WAN{Lost: 3, For: time.Second}},
		"database":      {SQL: SQL{Rows: -1}},
	} {
		o.Shape = shape(t, "2x5")
		if _, err := New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
