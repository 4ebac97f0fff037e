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
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/screen"
	"github.com/momtree/mom/topology"
)

// topFlags are the options of mom top.
type topFlags struct {
	dir, out string
	timeout  time.Duration
	once     bool
}

func topCommand() *cobra.Command {
	var f topFlags
	c := &cobra.Command{
		Use:   "top",
		Short: "Watch the jobs in flight at this master",
		Long: "Keeps the jobs in flight on the screen: whom they are for, who asked, how many minions\n" +
			"are expected, have returned, will not answer, and what each job waits for; below them the\n" +
			"nodes with the fullest outboxes. ? shows the keys.\n\n" +
			"--once prints one reading; --out json prints it for programs.\n\n" +
			"Exit codes: 0; 2 when the master does not answer; 64 for a wrong option.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	c.Flags().StringVarP(&f.dir, "config-dir", "c", "/etc/salt", "folder with the file master")
	c.Flags().DurationVarP(&f.timeout, "timeout", "t", 10*time.Second, "how long to wait for the master")
	c.Flags().BoolVarP(&f.once, "once", "1", false, "print one reading and end")
	c.Flags().StringVar(&f.out, "out", "text", "form of one reading: text or json; json implies --once")
	return c
}

func (f *topFlags) run(cmd *cobra.Command) (err error) {
	if f.out != "text" && f.out != "json" {
		return command.Exit(command.ExitUsage, fmt.Errorf("option --out: %q is neither text nor json", f.out))
	}
	once := f.once || f.out == "json"
	if !once {
		if err := needTerminal(cmd, "mom top", "mom top"); err != nil {
			return command.Exit(command.ExitUsage, err)
		}
	}
	conf, _, err := config.LoadMaster(f.dir)
	if err != nil {
		return command.Exit(command.ExitAway, err)
	}
	o := client.FromMaster(conf)
	cl := client.New(o)
	defer func() { err = errors.Join(err, cl.Close()) }()
	fetch := func() screen.Work {
		ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
		defer cancel()
		return askWork(ctx, cl)
	}
	if !once {
		return show(cmd, screen.NewTop(fetch, nil), o.Bus, func(string) bool { return false })
	}
	w := fetch()
	if w.Err != nil {
		return command.Exit(command.ExitAway, fmt.Errorf("the jobs in flight cannot be read: %w", w.Err))
	}
	if f.out == "json" {
		return workJSON(cmd.OutOrStdout(), w)
	}
	return workText(cmd.OutOrStdout(), w)
}

// askWork asks the master what is going on.
func askWork(ctx context.Context, cl *client.Client) screen.Work {
	v, err := cl.Runner(ctx, "jobs.inflight", nil, nil)
	if err != nil {
		return screen.Work{Err: err}
	}
	m, ok := v.(*wire.Map)
	if !ok {
		return screen.Work{Err: errors.New("the master's answer is not a list of jobs")}
	}
	w := readWork(m)
	root, err := topology.Ask(ctx, cl)
	if err != nil {
		return screen.Work{Err: err}
	}
	root.Walk(func(path string, n topology.Node) {
		full := root.ID
		if path != "" {
			full += "/" + path
		}
		w.Nodes = append(w.Nodes, screen.Node{Path: full, State: n.State, Vitals: n.Vitals})
	})
	return w
}

func readWork(m *wire.Map) screen.Work {
	w := screen.Work{Returns: uint64(max(whole(m, "returned"), 0)), Closed: uint64(max(whole(m, "closed"), 0)), Inflight: whole(m, "open")}
	if w.At, _ = time.Parse(time.RFC3339Nano, m.String("at")); w.At.IsZero() {
		w.At = time.Now()
	}
	for _, v := range m.List("jobs") {
		d, ok := v.(*wire.Map)
		if !ok {
			continue
		}
		j := screen.Job{
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

// waitsFor words what keeps a job open.
func waitsFor(d *wire.Map) string {
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

// whole reads a number that may have come in any of the wire's forms.
func whole(m *wire.Map, key string) int {
	v, _ := m.Get(key)
	switch n := v.(type) {
	case int64:
		return int(n)
	case uint64:
		return int(min(n, 1<<62)) //nolint:gosec // bounded
	case int:
		return n
	}
	return 0
}

func workText(w io.Writer, work screen.Work) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d jobs in flight; %d returns taken and %d jobs closed since the master's start\n", work.Inflight, work.Returns, work.Closed)
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

// workJSON writes the stable form: seconds are numbers, fields are only added.
func workJSON(w io.Writer, work screen.Work) error {
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
		Path    string         `json:"path"`
		State   topology.State `json:"state"`
		Working int            `json:"working"`
		Jobs    int            `json:"jobs"`
		Owed    int            `json:"owed"`
		OwedAge float64        `json:"owed_age"`
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
		out.Nodes = append(out.Nodes, node{n.Path, n.State, n.Vitals.Working, n.Vitals.Jobs, n.Vitals.Owed, n.Vitals.OwedAge.Seconds()})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
