package report_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/mom/report"
)

func came(ids ...string) (out []client.Update) {
	for _, id := range ids {
		out = append(out, client.Update{Return: &client.Return{ID: id}})
	}
	return out
}

func expects(node string, ids ...string) client.Update {
	return client.Update{Expectation: &client.Expectation{Node: node, Minions: ids}}
}

func gone(ids ...string) client.Update {
	m := map[string]client.Missing{}
	for _, id := range ids {
		m[id] = client.Missing{Reason: "No response"}
	}
	return client.Update{Missing: m}
}

func TestProgress(t *testing.T) {
	var many []client.Update
	for i := range 13 {
		many = append(many, expects(fmt.Sprintf("n%02d", i), fmt.Sprintf("m%02d", i)))
	}
	for _, c := range []struct {
		name    string
		own     []string
		updates []client.Update
		want    string
	}{
		{"a flat master", []string{"a", "b", "c"}, came("a"), " 33% |######             | Elapsed Time: 1:02:03 Returns: [1/3]\n"},
		{"nobody", nil, nil, "100% |###################| Elapsed Time: 1:02:03 Returns: [0/0]\n"},
		{
			"a tree",
			[]string{"a"},
			append([]client.Update{expects("mid/paris", "p1", "p2", "p3"), expects("mid", "x"), expects("mid", "x"), gone("p1", "p1")}, came("a", "a", "p2")...),
			" 40% |#######            | Elapsed Time: 1:02:03 Returns: [2/5]\n     1/3 mid/paris, 1 missing\n     0/1 mid\n     1/1 this master\n",
		},
		{
			"behind a syndic of Salt's", nil, append(came("s1", "s2"), gone("s3"), expects("mid", "s2", "s3")),
			" 66% |############       | Elapsed Time: 1:02:03 Returns: [2/3]\n     1/2 mid, 1 missing\n     1/1 elsewhere\n",
		},
		{"came after all", []string{"a"}, append([]client.Update{gone("a")}, came("a")...), "100% |###################| Elapsed Time: 1:02:03 Returns: [1/1]\n"},
		{"a path that would steer", nil, []client.Update{expects("\x1b[2J\n", "a")}, "  0% |                   | Elapsed Time: 1:02:03 Returns: [0/1]\n     0/1 ?[2J?\n"},
	} {
		now := time.Unix(1, 0)
		var b bytes.Buffer
		p := report.NewProgress(report.ProgressOptions{W: &b, Width: func() int { return 64 }, Now: func() time.Time { return now }})
		p.Expect(c.own)
		for _, u := range c.updates {
			p.Update(u)
		}
		now = now.Add(time.Hour + 2*time.Minute + 3*time.Second + 900*time.Millisecond)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, b.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
	var b bytes.Buffer
	p := report.NewProgress(report.ProgressOptions{W: &b})
	for _, u := range many {
		p.Update(u)
	}
	if err := p.Close(); err != nil || strings.Count(b.String(), "\n") != 12 || !strings.HasSuffix(b.String(), "     and 3 more nodes\n") {
		t.Errorf("13 nodes: %v\n%s", err, b.String())
	}
}

// A live bar is redrawn in place until it is stopped.
func TestProgress_Live(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := report.NewProgress(report.ProgressOptions{W: &b, Live: true, Width: func() int { return 60 }})
		p.Expect([]string{"a"})
		ctx, cancel := context.WithTimeout(t.Context(), 450*time.Millisecond)
		defer cancel()
		p.Run(ctx)
		p.Update(came("a")[0])
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		got := strings.Split(b.String(), "\x1b[1A\r\x1b[J")
		if len(got) != 4 || !strings.Contains(got[2], "[0/1]") || !strings.Contains(got[3], "[1/1]") {
			t.Errorf("%q", got)
		}
	})
}

type lost struct{}

func (lost) Write([]byte) (int, error) { return 0, errLost }

var errLost = errors.New("the terminal is gone")

// A closed terminal ends the drawing, and Close returns the error.
func TestProgress_NoTerminal(t *testing.T) {
	p := report.NewProgress(report.ProgressOptions{W: lost{}, Live: true})
	p.Run(t.Context())
	if err := p.Close(); !errors.Is(err, errLost) {
		t.Error(err)
	}
}
