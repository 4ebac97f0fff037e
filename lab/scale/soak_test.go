package scale

import (
	"strings"
	"testing"
	"time"
)

// A soak of some seconds publishes each kind of job, kills a node, and finds nothing lost. It is
// too short to judge growth.
func TestSoak_Seconds(t *testing.T) {
	r, err := Soak(t.Context(), SoakOptions{
		Options: Options{Program: program, Lab: lab, Dir: t.TempDir(), Progress: 250 * time.Millisecond, Say: t.Logf},
		For:     20 * time.Second, Every: time.Second, KillEvery: 8 * time.Second, SampleEvery: time.Second, Minions: 5, Readers: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Faults {
		if !strings.Contains(f, " grows: ") {
			t.Error(f)
		}
	}
	if r.Jobs < len(soakJobs) || r.Kills == 0 || r.Events != r.Jobs || len(r.Usage) != 8 {
		t.Errorf("played too little: %+v", r)
	}
	for _, g := range r.Usage {
		if g.Most.Memory == 0 || g.Most.Descriptors == 0 || g.Most.Threads == 0 || g.Most.Disk == 0 && g.ID != "api" {
			t.Errorf("usage of %s is not known: %+v", g.ID, g.Most)
		}
	}
}

// Growth is a fault where the median of the last quarter exceeds that of the second by a tenth and
// the slack; one high sample is not.
func TestGrowth(t *testing.T) {
	const hour = time.Hour
	for name, c := range map[string]struct {
		memory []int64 // in MiB, twelve samples over an hour
		want   string
	}{
		"flat":         {[]int64{10, 50, 60, 100, 100, 100, 100, 100, 100, 100, 100, 100}, ""},
		"one peak":     {[]int64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 900, 100}, ""},
		"in the slack": {[]int64{100, 100, 100, 100, 100, 100, 100, 100, 100, 117, 117, 117}, ""},
		"a leak":       {[]int64{100, 100, 100, 100, 102, 104, 106, 110, 112, 119, 121, 123}, "top grows: 106954752 bytes of memory in the second quarter, 126877696 in the last"},
	} {
		t.Run(name, func(t *testing.T) {
			var us []Usage
			for i, m := range c.memory {
				us = append(us, Usage{At: time.Duration(i) * hour / 12, Memory: m << 20})
			}
			gs := growth(map[string][]Usage{"top": us}, hour)
			if got := strings.Join(gs[0].faults(), "; "); got != c.want {
				t.Errorf("faults %q, want %q", got, c.want)
			}
		})
	}
}
