package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

func (f *treeFlags) listProblems(cmd *cobra.Command, conf *config.Master) (err error) {
	ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
	defer cancel()
	cl := client.New(client.FromMaster(conf))
	defer func() { err = errors.Join(err, cl.Close()) }()
	ps, err := askProblems(ctx, cl, nil)
	if err != nil {
		return exit(exitAway, fmt.Errorf("the problems of the tree cannot be read: %w", err))
	}
	if f.out == "json" {
		err = problemsJSON(cmd.OutOrStdout(), ps)
	} else {
		err = problemsText(cmd.OutOrStdout(), ps)
	}
	if err == nil && len(ps) > 0 {
		return exit(exitFailure, nil)
	}
	return err
}

// askProblems asks the master. One that does not know the question yet gives its
// tree, in which some problems can be seen; root saves that second question.
func askProblems(ctx context.Context, cl *client.Client, root *topology.Node) ([]topology.Problem, error) {
	v, err := cl.Runner(ctx, "topology.problems", nil, nil)
	var refused *client.RunnerError
	if errors.As(err, &refused) && strings.Contains(refused.Reason, "is not available") {
		if root == nil {
			n, err := askTree(ctx, cl)
			if err != nil {
				return nil, err
			}
			root = &n
		}
		return seenProblems(*root), nil
	}
	if err != nil {
		return nil, err
	}
	return readProblems(v)
}

// readProblems reads the answer of the runner: a list of maps.
func readProblems(v any) ([]topology.Problem, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("the master's answer is not a list of problems")
	}
	out := make([]topology.Problem, 0, len(list))
	for _, x := range list {
		m, ok := x.(*wire.Map)
		if !ok {
			return nil, errors.New("the master's answer holds a problem that is not a map")
		}
		p := topology.Problem{Kind: topology.Kind(m.String("kind")), Path: m.String("path"), Detail: m.String("detail")}
		p.Since, _ = time.Parse(time.RFC3339Nano, m.String("since"))
		out = append(out, p)
	}
	return out, nil
}

// Bounds beyond which figures of a tree are problems.
const (
	oldBacklog = time.Minute
	farClock   = 5 * time.Second
)

// seenProblems are those that a tree itself shows.
func seenProblems(root topology.Node) (out []topology.Problem) {
	minions := map[string]string{}
	root.Walk(func(path string, n topology.Node) {
		full := root.ID
		if path != "" {
			full += "/" + path
		}
		add := func(kind topology.Kind, since time.Time, format string, args ...any) {
			out = append(out, topology.Problem{Kind: kind, Path: full, Detail: fmt.Sprintf(format, args...), Since: since})
		}
		if n.State == topology.Down {
			_, below, _ := n.Count()
			add(topology.NodeDown, n.Since, "The node is not connected; %d minions are behind it.", below)
			return
		}
		if v := n.Vitals; v.OwedAge > oldBacklog {
			add(topology.Backlog, time.Time{}, "It owes %d rows, the oldest for %s; is its parent or its database away?", v.Owed, topology.Span(v.OwedAge))
		}
		if v := n.Vitals; v.Skew.Abs() > farClock {
			add(topology.ClockSkew, time.Time{}, "Its clock is %s off its parent's; let it keep the time by NTP.", topology.Signed(v.Skew))
		}
		if n.Version != root.Version && n.Version != "" {
			add(topology.VersionSkew, time.Time{}, "It runs version %s, the top %s.", n.Version, root.Version)
		}
		for _, m := range n.Minions {
			if m.State != topology.Up {
				continue
			}
			if other, twice := minions[m.ID]; twice {
				add(topology.DuplicateMinion, time.Time{}, "Minion %s is connected here and at %s; give one of them another id.", m.ID, other)
			}
			minions[m.ID] = full
		}
	})
	return out
}

func problemsText(w io.Writer, ps []topology.Problem) error {
	var b strings.Builder
	for _, p := range ps {
		since := ""
		if !p.Since.IsZero() {
			since = " since " + p.Since.Format("2006-01-02 15:04:05")
		}
		fmt.Fprintf(&b, "%s: %s%s\n    %s\n", topology.Clean(string(p.Kind)), topology.Clean(p.Path), since, topology.Clean(p.Detail))
	}
	if len(ps) == 0 {
		b.WriteString("No problems.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// problemsJSON writes an object, so that fields can be added beside the list.
func problemsJSON(w io.Writer, ps []topology.Problem) error {
	type problem struct {
		Kind   topology.Kind `json:"kind"`
		Path   string        `json:"path"`
		Detail string        `json:"detail"`
		Since  string        `json:"since,omitempty"`
	}
	out := struct {
		Format   int       `json:"format"`
		Problems []problem `json:"problems"`
	}{1, make([]problem, 0, len(ps))}
	for _, p := range ps {
		since := ""
		if !p.Since.IsZero() {
			since = p.Since.UTC().Format(time.RFC3339)
		}
		out.Problems = append(out.Problems, problem{p.Kind, p.Path, p.Detail, since})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
