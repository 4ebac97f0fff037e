package tree

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/value"
)

// askWork asks the master for its jobs in flight.
func askWork(ctx context.Context, cl *client.Client) Work {
	v, err := cl.Query(ctx, client.RunnerCall{Fun: "jobs.inflight"})
	if err != nil {
		return Work{Err: err}
	}
	m, err := v.Map()
	if err != nil {
		return Work{Err: fmt.Errorf("the master's answer is not a list of jobs: %w", err)}
	}
	w := readWork(m)
	root, err := cl.Tree(ctx)
	if err != nil {
		return Work{Err: err}
	}
	root.Walk(func(path string, n topology.Node) {
		full := root.ID
		if path != "" {
			full += "/" + path
		}
		w.Nodes = append(w.Nodes, Node{Path: full, State: n.State, Vitals: n.Vitals})
	})
	return w
}

func readWork(m *value.Map) Work {
	w := Work{Returns: uint64(max(whole(m, "returned"), 0)), Closed: uint64(max(whole(m, "closed"), 0)), Inflight: whole(m, "open")}
	if w.At, _ = time.Parse(time.RFC3339Nano, m.String("at")); w.At.IsZero() {
		w.At = time.Now()
	}
	for _, v := range m.List("jobs") {
		d, ok := v.(*value.Map)
		if !ok {
			continue
		}
		j := Job{
			JID: d.String("jid"), Fun: d.String("fun"), User: d.String("user"),
			Age: time.Duration(d.Float("age") * float64(time.Second)), Expected: whole(d, "expected"), Returned: whole(d, "returned"),
			Failed: whole(d, "failed"), Missing: whole(d, "missing"), Waits: whole(d, "waiting"), For: waitsFor(d),
		}
		switch tgt, _ := d.Get("tgt"); t := tgt.(type) {
		case nil:
		case []any:
			j.Target = fmt.Sprintf("list of %d", len(t))
		default:
			j.Target = fmt.Sprint(t)
		}
		w.Jobs = append(w.Jobs, j)
	}
	return w
}

// waitsFor describes what keeps a job open.
func waitsFor(d *value.Map) string {
	list := func(key string) (out []string) {
		for _, v := range d.List(key) {
			if s, ok := v.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	var parts []string
	if ids := list("waits_for"); len(ids) > 0 {
		text := strings.Join(ids, ", ")
		if more := whole(d, "waiting") - len(ids); more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, text)
	}
	if nodes := list("nodes_due"); len(nodes) > 0 {
		parts = append(parts, "what is expected at "+strings.Join(nodes, ", "))
	}
	if held, _ := d.Get("held"); held == true {
		parts = append(parts, "Python syndics that may still speak")
	}
	return strings.Join(parts, "; ")
}

// whole reads a number in any form of the wire.
func whole(m *value.Map, key string) int {
	v, _ := m.Get(key)
	switch n := v.(type) {
	case int64:
		return int(n)
	case uint64:
		return int(min(n, 1<<62))
	case int:
		return n
	}
	return 0
}

// counted returns a number with its noun.
func counted[N int | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func workText(w io.Writer, work Work) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in flight; %s received and %s closed since the master's start\n", counted(work.Inflight, "job"), counted(work.Returns, "return"), counted(work.Closed, "job"))
	for _, j := range work.Jobs {
		fmt.Fprintf(&b, "%s %s on %s by %s for %s: %d expected, %d returned, %d failed, %d missing, %d waited for", topology.Clean(j.JID), topology.Clean(j.Fun),
			topology.Clean(j.Target), topology.Clean(j.User), topology.Span(j.Age), j.Expected, j.Returned, j.Failed, j.Missing, j.Waits)
		if j.For != "" {
			b.WriteString(": " + topology.Clean(j.For))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// workJSON writes the stable format: seconds are numbers, fields are only added.
func workJSON(w io.Writer, work Work) error {
	type job struct {
		JID      string  `json:"jid"`
		Fun      string  `json:"fun"`
		Target   string  `json:"target"`
		User     string  `json:"user"`
		Age      float64 `json:"age"`
		Expected int     `json:"expected"`
		Returned int     `json:"returned"`
		Failed   int     `json:"failed"`
		Missing  int     `json:"missing"`
		Waiting  int     `json:"waiting"`
		WaitsFor string  `json:"waits_for"`
	}
	type node struct {
		Path       string         `json:"path"`
		State      topology.State `json:"state"`
		Working    int            `json:"working"`
		Jobs       int            `json:"jobs"`
		Pending    int            `json:"owed"`
		PendingAge float64        `json:"owed_age"`
	}
	out := struct {
		Format   int    `json:"format"`
		At       string `json:"at"`
		Open     int    `json:"open"`
		Returned uint64 `json:"returned"`
		Closed   uint64 `json:"closed"`
		Jobs     []job  `json:"jobs"`
		Nodes    []node `json:"nodes"`
	}{1, work.At.UTC().Format(time.RFC3339), work.Inflight, work.Returns, work.Closed, make([]job, 0, len(work.Jobs)), make([]node, 0, len(work.Nodes))}
	for _, j := range work.Jobs {
		out.Jobs = append(out.Jobs, job{j.JID, j.Fun, j.Target, j.User, j.Age.Seconds(), j.Expected, j.Returned, j.Failed, j.Missing, j.Waits, j.For})
	}
	for _, n := range work.Nodes {
		out.Nodes = append(out.Nodes, node{n.Path, n.State, n.Vitals.Working, n.Vitals.Jobs, n.Vitals.Pending, n.Vitals.PendingAge.Seconds()})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
