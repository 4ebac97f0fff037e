package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/topology"
)

func TestTreeForms(t *testing.T) {
	tr := momtest.Shared(t)
	conf := tr.Conf("top")
	for out, want := range map[string]string{
		"text": "└── syndic-a (syndic, ", "dot": "digraph mom {", "mermaid": "graph TD\n",
	} {
		if got := momtest.Run(Command(), "", "-c", conf, "--out", out); got.Code != 0 || !strings.Contains(got.Out, want) {
			t.Errorf("--out %s: %v", out, got)
		}
	}
	got := momtest.Run(Command(), "", "-c", conf, "--out", "json", "--depth", "1")
	var tree struct {
		Format int
		Tree   struct {
			ID    string
			Below struct{ Nodes, Minions, Up int }
		}
	}
	if err := json.Unmarshal([]byte(got.Out), &tree); err != nil || tree.Format != 1 || tree.Tree.ID != "top" || tree.Tree.Below.Nodes != 2 || tree.Tree.Below.Minions != 3 {
		t.Errorf("%v: %v", err, got)
	}
}

func TestTreeRefuses(t *testing.T) {
	conf := momtest.Shared(t).Conf("top")
	for _, c := range []struct {
		args []string
		code int
		err  string
	}{
		{[]string{"-c", conf, "--watch"}, 64, "mom tree --watch needs a terminal"},
		{[]string{"-c", conf, "--out", "xml"}, 64, `"xml", must be text, json, dot or mermaid`},
		{[]string{"-c", conf, "--problems", "--out", "dot"}, 64, "problems are written as text or json"},
		{[]string{"-c", conf, "--watch", "--problems"}, 64, "excludes --problems"},
		{[]string{"-c", conf, "--depth", "-1"}, 64, "must not be negative"},
	} {
		if got := momtest.Run(Command(), "", c.args...); got.Code != c.code || !strings.Contains(got.Err, c.err) {
			t.Errorf("%v: %v", c.args, got)
		}
	}
}

// A view of an unreachable master exits with its own code.
func TestTreeWithoutAMaster(t *testing.T) {
	tr := momtest.Own(t, "top: top-01\n")
	tr.Kill(t, "top")
	for _, args := range [][]string{nil, {"--problems"}} {
		got := tr.Run(Command(), "top", append(args, "-t", "2s")...)
		if got.Code != 2 || !strings.Contains(got.Err, "cannot be read: ") || got.Out != "" {
			t.Errorf("%v: %v", args, got)
		}
	}
}

func TestProblemsOfATree(t *testing.T) {
	tr := momtest.Own(t, "top: top-01\n  syndic-a: web-01\n")
	if got := tr.Run(Command(), "top", "--problems"); got.Code != 0 && !strings.Contains(got.Out, "top") {
		t.Errorf("a whole tree: %v", got)
	}
	tr.End(t, "syndic-a")
	got := tr.Run(Command(), "top", "--problems")
	for end := time.Now().Add(momtest.Patience); !strings.Contains(got.Out, "down: ") && time.Now().Before(end); {
		got = tr.Run(Command(), "top", "--problems")
	}
	if got.Code != 1 || !strings.Contains(got.Out, "syndic-a") || got.Err != "" {
		t.Errorf("a node that is down: %v", got)
	}
	got = tr.Run(Command(), "top", "--problems", "--out", "json")
	var list struct {
		Format   int
		Problems []struct{ Kind, Path, Detail string }
	}
	if err := json.Unmarshal([]byte(got.Out), &list); err != nil || got.Code != 1 || len(list.Problems) == 0 || list.Problems[0].Kind == "" {
		t.Errorf("%v: %v", err, got)
	}
}

// Texts of nodes cannot control a terminal.
func TestProblemsAreClean(t *testing.T) {
	var b bytes.Buffer
	err := problemsText(&b, []topology.Problem{{Kind: "down", Path: "a\x1b[2J", Detail: "b\nc", Since: time.Unix(1, 0)}})
	if err != nil || strings.ContainsRune(b.String(), '\x1b') || strings.Count(b.String(), "\n") != 2 {
		t.Errorf("%q %v", b.String(), err)
	}
}

// A minion at two nodes is a note: it is listed, but not a problem.
func TestNotes(t *testing.T) {
	dual := topology.Problem{Kind: topology.DuplicateMinion, Path: "top/b/m", Detail: "connected here and at top/a"}
	down := topology.Problem{Kind: topology.NodeDown, Path: "top/c", Detail: "not connected"}
	for _, c := range []struct {
		ps    []topology.Problem
		wrong bool
		text  string
	}{
		{nil, false, "No problems.\n"},
		{[]topology.Problem{dual}, false, "duplicate-minion: top/b/m (a note)\n    connected here and at top/a\nNo problems.\n"},
		{[]topology.Problem{dual, down}, true, "duplicate-minion: top/b/m (a note)\n    connected here and at top/a\ndown: top/c\n    not connected\n"},
	} {
		var text, data strings.Builder
		if err := errors.Join(problemsText(&text, c.ps), problemsJSON(&data, c.ps)); err != nil {
			t.Fatal(err)
		}
		if text.String() != c.text || wrong(c.ps) != c.wrong {
			t.Errorf("wrong: %t\n%s", wrong(c.ps), text.String())
		}
		if notes := strings.Count(data.String(), `"note": true`); notes != strings.Count(c.text, "(a note)") {
			t.Errorf("%d notes in %s", notes, data.String())
		}
	}
}
