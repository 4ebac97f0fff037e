package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		name  string
		needs Needs
		tiers int
		shape string // "" : whatever
	}{
		{"one minion", Needs{Minions: 1}, 1, "1"},
		{"a flat master", Needs{Minions: 10_000}, 1, "10000"},
		{"two tiers of masters", Needs{Minions: 100_000}, 2, "4x25000"},
		{"a million", Needs{Minions: 1_000_000}, 2, "36x27778"},
		{"four million", Needs{Minions: 4_000_000}, 3, "12x12x27778"},
		{"a quick restart", Needs{Minions: 20_000, Restart: 5 * time.Second}, 2, "9x2223"},
		{"a steady load", Needs{Minions: 50_000, JobsPerMinute: 10}, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Make(c.needs, Measured())
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Tiers) != c.tiers || c.shape != "" && p.Shape != c.shape {
				t.Errorf("shape %s in %d tiers, want %s in %d", p.Shape, len(p.Tiers), c.shape, c.tiers)
			}
			check(t, c.needs, p)
		})
	}
}

// check holds for every plan.
func check(t *testing.T, n Needs, p Plan) {
	t.Helper()
	last := p.Tiers[len(p.Tiers)-1]
	if last.Nodes*last.Minions < n.Minions {
		t.Errorf("%d nodes of %d minions hold fewer than %d", last.Nodes, last.Minions, n.Minions)
	}
	if p.Ping <= 0 || p.SQLServers < 1 || len(p.Notes) == 0 {
		t.Errorf("ping %s, %d SQL servers, %d notes", p.Ping, p.SQLServers, len(p.Notes))
	}
	for i, tier := range p.Tiers {
		if i > 0 && tier.Nodes != p.Tiers[i-1].Nodes*p.Tiers[i-1].Children {
			t.Errorf("tier %d has %d nodes under %d of %d children", i, tier.Nodes, p.Tiers[i-1].Nodes, p.Tiers[i-1].Children)
		}
		if tier.Memory <= 0 || math.IsNaN(tier.Cores) {
			t.Errorf("tier %d: %+v", i, tier)
		}
	}
}

// More of anything never asks for less.
func TestMoreNeedsMore(t *testing.T) {
	before := Plan{}
	for _, minions := range []int{10, 1000, 20_000, 100_000, 400_000, 2_000_000} {
		p, err := Make(Needs{Minions: minions}, Measured())
		if err != nil {
			t.Fatal(err)
		}
		check(t, Needs{Minions: minions}, p)
		if p.Ping < before.Ping || len(p.Tiers) < len(before.Tiers) {
			t.Errorf("%d minions: %s in %d tiers, fewer took %s in %d", minions, p.Ping, len(p.Tiers), before.Ping, len(before.Tiers))
		}
		before = p
	}
}

func TestRefusals(t *testing.T) {
	for name, n := range map[string]Needs{
		"none":            {},
		"below zero":      {Minions: -1},
		"not a number":    {Minions: 10, Returns: math.NaN()},
		"without end":     {Minions: 10, JobsPerMinute: math.Inf(1)},
		"size below zero": {Minions: 10, Size: -1},
		"load above one":  {Minions: 10, Load: 2},
		"no memory":       {Minions: 10, Memory: 1},
		"a year of way":   {Minions: 10, RTT: 24 * 365 * time.Hour},
	} {
		if p, err := Make(n, Measured()); err == nil || errors.Is(err, ErrTooMuch) {
			t.Errorf("%s: %v, %v", name, p.Shape, err)
		}
	}
	_, err := Make(Needs{Minions: 1_000_000, JobsPerMinute: 10}, Measured())
	if !errors.Is(err, ErrTooMuch) || !strings.Contains(err.Error(), "syndic_forward_returns") {
		t.Errorf("more than a top takes: %v", err)
	}
	if _, err := Make(Needs{Minions: 10_000_000, Memory: 512 << 20}, Measured()); !errors.Is(err, ErrTooMuch) {
		t.Errorf("accounts larger than the top: %v", err)
	}
}

func TestCosts(t *testing.T) {
	c := Measured()
	for _, x := range c {
		if x.Value <= 0 || x.Unit == "" || x.What == "" || x.Source == "" {
			t.Errorf("incomplete: %+v", x)
		}
	}
	if err := c.Set("row_cpu", 1, "here"); err != nil || c.of("row_cpu") != 1 {
		t.Errorf("set: %v", err)
	}
	if err := c.Set("row_cpu", 0, ""); err == nil {
		t.Error("0 is taken")
	}
	if err := c.Set("no such", 1, ""); err == nil || !strings.Contains(err.Error(), "row_cpu") {
		t.Errorf("unknown: %v", err)
	}
	if Measured().of("row_cpu") == 1 {
		t.Error("a change leaks into the table")
	}
}

// Without a load nothing is said of one: no column of zeros that looks measured.
func TestOutputWithoutALoad(t *testing.T) {
	p, err := Make(Needs{Minions: 2000}, Measured())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := p.Text(&out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasPrefix(got, "No steady load given") || !strings.Contains(got, "--jobs-per-minute") ||
		strings.Contains(got, "0.00") || strings.Contains(got, "returns per second") {
		t.Error(got)
	}
}

// What a plan says it carries at most is taken, and a little more is not.
func TestMostJobs(t *testing.T) {
	for _, n := range []Needs{{Minions: 2000}, {Minions: 100_000, Returns: 500}, {Minions: 1_000_000, Cores: 8}} {
		p, err := Make(n, Measured())
		if err != nil || p.MostJobs <= 0 {
			t.Fatal(p.MostJobs, err)
		}
		n.JobsPerMinute = p.MostJobs * 0.99
		if with, err := Make(n, Measured()); err != nil || with.Shape != p.Shape {
			t.Errorf("%+v: shape %s instead of %s: %v", n, with.Shape, p.Shape, err)
		}
		n.JobsPerMinute = p.MostJobs * 1.1
		if with, err := Make(n, Measured()); err == nil && with.Shape == p.Shape {
			t.Errorf("%+v: the same shape carries more", n)
		}
	}
}

func TestOutput(t *testing.T) {
	p, err := Make(Needs{Minions: 100_000, JobsPerMinute: 1}, Measured())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := p.Text(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"shape " + p.Shape, "test.ping to all", "momlab sim --shape"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var again Plan
	if err := json.Unmarshal(b, &again); err != nil || again.Shape != p.Shape || len(again.Tiers) != len(p.Tiers) {
		t.Errorf("%v: %s", err, b)
	}
	if err := p.Costs.Text(&out); err != nil {
		t.Fatal(err)
	}
}
