package sim

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestParseShape(t *testing.T) {
	for s, want := range map[string]struct{ nodes, minions int }{
		"500": {1, 500}, "3x4": {4, 12}, "10x100x10": {1011, 10_000}, "1x1x1x1": {4, 1}, "2x1_000": {3, 2000},
	} {
		sh, err := ParseShape(s)
		if err != nil || len(sh.Parents) != want.nodes || sh.Total() != want.minions {
			t.Errorf("%s: %d nodes, %d minions, %v", s, len(sh.Parents), sh.Total(), err)
		}
		if flat := sh.Flat(); len(flat.Parents) != 1 || flat.Total() != want.minions {
			t.Errorf("%s: flat with %d nodes, %d minions", s, len(flat.Parents), flat.Total())
		}
	}
	for _, s := range []string{"", "x", "0", "-1", "3x", "3x0", "1e3", "99999999999", "100000x100000x1", "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", "20000x2000"} {
		if _, err := ParseShape(s); err == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestParseDist(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for s, want := range map[string]Dist{
		"5ms": {5 * time.Millisecond, 5 * time.Millisecond, 0}, "0s": {}, "1ms..2s": {time.Millisecond, 2 * time.Second, 0},
		"1ms+exp:10ms": {Min: time.Millisecond, Exp: 10 * time.Millisecond},
	} {
		d, err := ParseDist(s)
		if err != nil || d != want {
			t.Errorf("%s: %+v, %v", s, d, err)
		}
		for range 100 {
			if x := time.Duration(d.draw(r)); x < d.Min || d.Exp == 0 && x > d.Max || x > d.Min+d.Max+20*d.Exp {
				t.Errorf("%s drew %s", s, x)
			}
		}
	}
	for _, s := range []string{"", "5", "-1s", "2s..1s", "1s..", "..1s", "1s+exp:", "9000h"} {
		if _, err := ParseDist(s); err == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

// New accepts every random shape, with all its minions.
func TestRandomShapes(t *testing.T) {
	for seed := range uint64(500) {
		o := RandomOptions(seed, 0)
		if err := o.Shape.validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	sh := Shape{Parents: []int{-1}, Minions: []int{1}}
	for name, o := range map[string]Options{
		"no shape":          {},
		"no top":            {Shape: Shape{Parents: []int{0}, Minions: []int{1}}},
		"child first":       {Shape: Shape{Parents: []int{-1, 2, 0}, Minions: []int{1, 1, 1}}},
		"no minion":         {Shape: Shape{Parents: []int{-1}, Minions: []int{0}}},
		"share above one":   {Shape: sh, Minions: Minions{Dead: 0.6, Silent: 0.6}},
		"share below zero":  {Shape: sh, Minions: Minions{Dead: -1}},
		"nothing gets past": {Shape: sh, Faults: Faults{Loss: 0.99}},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
