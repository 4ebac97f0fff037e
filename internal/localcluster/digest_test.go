package localcluster_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/topology/trace"
)

// lookup reads the results of a job at the top, like salt-run.
func (s *stand) lookup(ctx context.Context, jid string) (map[string]string, error) {
	v, err := s.client.Runner(ctx, "jobs.lookup_jid", jid)
	if err != nil {
		return nil, err
	}
	m, err := v.Map()
	if err != nil {
		return nil, fmt.Errorf("the results: %w", err)
	}
	out := map[string]string{}
	for _, k := range m.Keys() {
		id, _ := k.(string)
		x, _ := m.Get(id)
		out[id] = fmt.Sprint(x)
	}
	return out, nil
}

// Results stay where syndic_forward_returns keeps them. The top has the account and fetches
// them along the route that they would have taken.
func TestDigestsKeepResultsBelow(t *testing.T) {
	for _, option := range []string{"digest", "none"} {
		t.Run(option, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			s := &stand{}
			t.Cleanup(func() { s.fell(t) })
			digest := "syndic_forward_returns: " + option
			spec := localcluster.Spec{ID: "top", Minions: []string{"top-01"}, Nodes: []localcluster.Spec{
				{ID: "syn-a", Master: digest, Minions: []string{"web-01"}, Nodes: []localcluster.Spec{{ID: "syn-c", Master: digest, Minions: []string{"db-01"}}}},
				{ID: "syn-b", Minions: []string{"cache-01"}},
			}}
			if err := s.plant(ctx, t, spec); err != nil {
				s.dump(t)
				t.Fatal(err)
			}
			shown, err := s.publish(ctx, client.Job{Tgt: "*", Fun: []string{"cmd.run"}, Args: []any{"echo here"}})
			if err != nil {
				s.dump(t)
				t.Fatal(err)
			}
			want := "cache-01 here\ndb-01 VALUE_TRIMMED\ntop-01 here\nweb-01 VALUE_TRIMMED\n"
			if option == "none" {
				want = "cache-01 here\ntop-01 here\n"
			}
			if want += "expected=4 returned=4 failed=0 missing=0\n"; shown != want {
				t.Errorf("the bus of the top says\n%swant\n%s", shown, want)
			}
			got, err := s.lookup(ctx, s.last)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{"top-01", "web-01", "db-01", "cache-01"} {
				if got[id] != "here" {
					t.Errorf("%s: %q", id, got[id])
				}
			}
			if err := s.change(ctx, "crash", "syn-c"); err != nil {
				t.Fatal(err)
			}
			if got, err = s.lookup(ctx, s.last); err != nil || got["web-01"] != "here" || !strings.Contains(got["db-01"], "syn-a") {
				t.Errorf("with the node away: %v %v", got, err)
			}
		})
	}
}

// A job is not sent into a branch that certainly has no matching minion.
func TestBranchesWithNobodyAreSpared(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	if err := s.grow(ctx, t, "top: top-01\n  syn-a: web-01\n    syn-c: db-01\n  syn-b: cache-01\n"); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	for _, c := range []struct {
		tgt   string
		nodes []string
	}{
		{"*", []string{"syn-a", "syn-a/syn-c", "syn-b"}},
		{"web-*", []string{"syn-a"}},
		{"db-01", []string{"syn-a", "syn-a/syn-c"}},
		{"cache-*", []string{"syn-b"}},
		{"top-01", nil},
		{"nobody", nil},
	} {
		shown, err := s.publish(ctx, client.Job{Tgt: c.tgt, Fun: []string{"test.ping"}})
		if err != nil {
			t.Fatal(c.tgt, err)
		}
		if c.tgt != "nobody" && !strings.Contains(shown, "missing=0") {
			t.Errorf("%s: %s", c.tgt, shown)
		}
		step, err := s.client.Trace(ctx, s.last, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := heardBelow("", step); !slices.Equal(got, c.nodes) {
			t.Errorf("%s came to %v, want %v", c.tgt, got, c.nodes)
		}
	}
}

func heardBelow(path string, s trace.Step) (out []string) {
	for _, c := range s.Nodes {
		at := strings.TrimPrefix(path+"/"+c.Node, "/")
		out = append(append(out, at), heardBelow(at, c)...)
	}
	return out
}
