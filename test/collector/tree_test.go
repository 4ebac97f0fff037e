package collector

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/mom/momtest"
)

// regexpJID finds a job id.
var regexpJID = regexp.MustCompile(`\b\d{20}\b`)

func TestMain(m *testing.M) { momtest.Trees(m) }

// The daemons of three tiers send their metrics; and a job through three tiers of masters is one trace: the command, each master, the forwarders
// and each minion add their spans to it, and every span hangs below another of the trace.
func TestOneTraceThroughThreeTiers(t *testing.T) {
	var got taken
	url := listen(t, &got)
	on := fmt.Sprintf("tracing:\n  enabled: True\n  endpoint: %s/v1/traces\nmetrics:\n  enabled: True\n  export_interval_seconds: 1\n  endpoint: %s/v1/metrics\n", url, url)
	tr := momtest.Own(t, "top: top-01\n  syndic-a: web-01\n    syndic-c: db-01\n", func(c *localcluster.Cluster) {
		for _, m := range c.Members {
			for _, file := range []string{"master", "minion"} {
				add(t, filepath.Join(m.ConfDir, file), on)
			}
		}
	})
	for _, id := range []string{"top", "syndic-a", "syndic-c", "top-01", "web-01", "db-01"} {
		if !waiting.Became(30*time.Second, func() bool { return got.has(id, "mom_info") }) {
			t.Errorf("%s sends no metrics", id)
		}
	}
	out := run(t, "salt", "-c", tr.Conf("top"), "*", "test.ping", "--show-jid")
	drawn := run(t, "mom", "trace", "-c", tr.Conf("top"), regexpJID.FindString(out))
	_, rest, ok := strings.Cut(drawn, "\ntrace ")
	if !ok {
		t.Fatalf("mom trace names no trace: %s", drawn)
	}
	id, _, _ := strings.Cut(rest, "\n")

	want := []string{" salt.cli.test.ping", "top salt.req.recv.publish", "syndic-a salt.req.recv._syndic_return", "top salt.req.recv._syndic_return"}
	for _, m := range []string{"top", "syndic-a", "syndic-c"} {
		for _, s := range []string{"salt.job.match", "salt.job.commit", "salt.pub.send", "salt.job", "salt.req.recv._return", "salt.returner.commit"} {
			want = append(want, m+" "+s)
		}
		if m != "top" {
			want = append(want, m+" salt.syndic.forward", m+" salt.req.send._syndic_return")
		}
	}
	for _, m := range []string{"top-01", "web-01", "db-01"} {
		for _, s := range []string{"salt.minion.recv.test.ping", "salt.minion.exec.test.ping", "salt.req.send._return"} {
			want = append(want, m+" "+s)
		}
	}
	lacks := func() (out []string) {
		have, _ := got.of(id)
		for _, w := range want {
			if len(have[w]) == 0 {
				out = append(out, w)
			}
		}
		return out
	}
	if !waiting.Became(30*time.Second, func() bool { return len(lacks()) == 0 }) {
		have, _ := got.of(id)
		t.Fatalf("the trace lacks %q, it has %q", lacks(), slices.Sorted(maps.Keys(have)))
	}
	byName, byID := got.of(id)
	t.Log("\n" + draw(byID, "", ""))
	roots := 0
	for _, s := range byID {
		switch _, known := byID[s.parent]; {
		case s.parent == "":
			roots++
		case !known:
			t.Errorf("%s %s hangs below a span that nobody sent", s.service, s.name)
		}
		if s.failed {
			t.Errorf("%s %s counts as failed", s.service, s.name)
		}
	}
	if roots != 1 {
		t.Errorf("%d spans are roots", roots)
	}
	if e := byName["top salt.job"][0].attrs["salt.returned"]; e != int64(3) {
		t.Errorf("the job says that %v returned", e)
	}
}

// draw shows the spans below one, as docs/guide/operate/traces.md does.
func draw(byID map[string]span, parent, indent string) string {
	var below []span
	for _, s := range byID {
		if s.parent == parent {
			below = append(below, s)
		}
	}
	slices.SortFunc(below, func(a, b span) int { return a.begun.Compare(b.begun) })
	var out strings.Builder
	for _, s := range below {
		fmt.Fprintf(&out, "%s%s  (%s, %s)\n", indent, s.name, cmp.Or(s.instance, s.service), s.took.Round(100*time.Microsecond))
		out.WriteString(draw(byID, s.id, indent+"  "))
	}
	return out.String()
}

// run runs a command of the built program.
func run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := momtest.Process(t, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// add appends to a file that is there.
func add(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if os.IsNotExist(err) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}
