package tree

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/topology"
)

func (f *flags) listProblems(cmd *cobra.Command, cl *client.Client) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
	defer cancel()
	n, err := cl.Tree(ctx)
	if err != nil {
		return command.Exit(command.ExitAway, fmt.Errorf("the problems of the tree cannot be read: %w", err))
	}
	ps := topology.Problems(n)
	if f.out == "json" {
		err = problemsJSON(cmd.OutOrStdout(), ps)
	} else {
		err = problemsText(cmd.OutOrStdout(), ps)
	}
	if err == nil && wrong(ps) {
		return command.Exit(command.ExitFailure, nil)
	}
	return err
}

// wrong reports whether some of the problems are more than notes.
func wrong(ps []topology.Problem) bool {
	return slices.ContainsFunc(ps, func(p topology.Problem) bool { return !p.Kind.Note() })
}

func problemsText(w io.Writer, ps []topology.Problem) error {
	var b strings.Builder
	for _, p := range ps {
		since := ""
		if !p.Since.IsZero() {
			since = " since " + p.Since.Format("2006-01-02 15:04:05")
		}
		if p.Kind.Note() {
			since += " (a note)"
		}
		fmt.Fprintf(&b, "%s: %s%s\n    %s\n", topology.Clean(string(p.Kind)), topology.Clean(p.Path), since, topology.Clean(p.Detail))
	}
	if !wrong(ps) {
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
		Note   bool          `json:"note,omitempty"`
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
		out.Problems = append(out.Problems, problem{p.Kind, p.Path, p.Detail, since, p.Kind.Note()})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
