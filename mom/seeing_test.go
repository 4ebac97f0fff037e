package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/topology"
)

func TestTreeForms(t *testing.T) {
	tr := sharedTree(t)
	conf := tr.conf("top")
	for out, want := range map[string]string{
		"text": "└── syndic-a (syndic, ", "dot": "digraph mom {", "mermaid": "graph TD\n",
	} {
		if got := runLine("", "mom", "tree", "-c", conf, "--out", out); got.code != 0 || !strings.Contains(got.out, want) {
			t.Errorf("--out %s: %v", out, got)
		}
	}
	got := runLine("", "mom", "tree", "-c", conf, "--out", "json", "--depth", "1")
	var tree struct {
		Format int
		Tree   struct {
			ID    string
			Below struct{ Nodes, Minions, Up int }
		}
	}
	if err := json.Unmarshal([]byte(got.out), &tree); err != nil || tree.Format != 1 || tree.Tree.ID != "top" || tree.Tree.Below.Nodes != 2 || tree.Tree.Below.Minions != 3 {
		t.Errorf("%v: %v", err, got)
	}
}

func TestTreeRefuses(t *testing.T) {
	conf := sharedTree(t).conf("top")
	for _, c := range []struct {
		args []string
		code int
		err  string
	}{
		{[]string{"tree", "-c", conf, "--watch"}, 64, "mom tree --watch needs a terminal"},
		{[]string{"top", "-c", conf}, 64, "mom top needs a terminal"},
		{[]string{"tree", "-c", conf, "--out", "xml"}, 64, `"xml" is none of text, json, dot, mermaid`},
		{[]string{"top", "-c", conf, "--out", "dot"}, 64, `"dot" is neither text nor json`},
		{[]string{"tree", "-c", conf, "--problems", "--out", "dot"}, 64, "problems are written as text or json"},
		{[]string{"tree", "-c", conf, "--watch", "--problems"}, 64, "does not go together"},
		{[]string{"tree", "-c", conf, "--depth", "-1"}, 64, "below 0"},
	} {
		if got := runLine("", append([]string{"mom"}, c.args...)...); got.code != c.code || !strings.Contains(got.err, c.err) {
			t.Errorf("%v: %v", c.args, got)
		}
	}
}

// Views of a master that is away say so with an exit code of their own.
func TestViewsWithoutAMaster(t *testing.T) {
	tr := ownTree(t, "top: top-01\n")
	tr.kill(t, "top")
	for _, args := range [][]string{{"tree"}, {"tree", "--problems"}, {"top", "--once"}, {"top", "--out", "json"}} {
		got := runLine("", append(append([]string{"mom"}, args...), "-c", tr.conf("top"), "-t", "2s")...)
		if got.code != 2 || !strings.Contains(got.err, "cannot be read: ") || got.out != "" {
			t.Errorf("%v: %v", args, got)
		}
	}
}

func TestProblemsOfATree(t *testing.T) {
	tr := ownTree(t, "top: top-01\n  syndic-a: web-01\n")
	if got := runLine("", "mom", "tree", "-c", tr.conf("top"), "--problems"); got.code != 0 && !strings.Contains(got.out, "top") {
		t.Errorf("a whole tree: %v", got)
	}
	tr.end(t, "syndic-a")
	got := runLine("", "mom", "tree", "-c", tr.conf("top"), "--problems")
	for end := time.Now().Add(patience); !strings.Contains(got.out, "down: ") && time.Now().Before(end); {
		got = runLine("", "mom", "tree", "-c", tr.conf("top"), "--problems")
	}
	if got.code != 1 || !strings.Contains(got.out, "syndic-a") || got.err != "" {
		t.Errorf("a node that is down: %v", got)
	}
	got = runLine("", "mom", "tree", "-c", tr.conf("top"), "--problems", "--out", "json")
	var list struct {
		Format   int
		Problems []struct{ Kind, Path, Detail string }
	}
	if err := json.Unmarshal([]byte(got.out), &list); err != nil || got.code != 1 || len(list.Problems) == 0 || list.Problems[0].Kind == "" {
		t.Errorf("%v: %v", err, got)
	}
}

// What a node says of itself cannot steer a terminal.
func TestProblemsAreClean(t *testing.T) {
	var b bytes.Buffer
	err := problemsText(&b, []topology.Problem{{Kind: "down", Path: "a\x1b[2J", Detail: "b\nc", Since: time.Unix(1, 0)}})
	if err != nil || strings.ContainsRune(b.String(), '\x1b') || strings.Count(b.String(), "\n") != 2 {
		t.Errorf("%q %v", b.String(), err)
	}
}

// A job in flight is shown with what it waits for (jobs that never end and nobody
// knows why: pains 17).
func TestTopShowsWhatAJobWaitsFor(t *testing.T) {
	tr := sharedTree(t)
	done := make(chan ran, 1)
	go func() { done <- runLine("", "salt", "-c", tr.conf("top"), "web-01", "test.sleep", "6") }()
	got := runLine("", "mom", "top", "-c", tr.conf("top"), "--once")
	for end := time.Now().Add(patience); !strings.Contains(got.out, "test.sleep on web-01") && time.Now().Before(end); {
		got = runLine("", "mom", "top", "-c", tr.conf("top"), "--once")
	}
	if got.code != 0 || !strings.Contains(got.out, "test.sleep on web-01") {
		t.Errorf("the job is not in flight: %v", got)
	}
	if r := <-done; r.code != 0 {
		t.Errorf("the job: %v", r)
	}
}
