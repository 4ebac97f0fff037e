package daemons

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/mom/salt"
)

// measuredTree grows a tree whose members all listen for scrapes.
func measuredTree(t *testing.T, drawing string) (*momtest.Tree, map[string]string) {
	t.Helper()
	addrs := map[string]string{}
	return momtest.Own(t, drawing, func(g *localcluster.Cluster) {
		for _, m := range g.Members {
			addrs[m.ID] = freeAddr(t)
			file := "master"
			if m.Kind == localcluster.Minion {
				file = "minion"
			}
			f, err := os.OpenFile(filepath.Join(m.ConfDir, file), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = fmt.Fprintf(f, "\nmetrics_listen: %s\n", addrs[m.ID])
			if e := f.Close(); err != nil || e != nil {
				t.Fatal(err, e)
			}
		}
	}), addrs
}

func freeAddr(t *testing.T) string {
	t.Helper()
	port, err := localcluster.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// ask gets one page; 0 says that nobody listens.
func ask(t *testing.T, addr, path string) (int, string) {
	t.Helper()
	tr := &http.Transport{DisableKeepAlives: true}
	r, err := (&http.Client{Transport: tr, Timeout: 20 * time.Second}).Get("http://" + addr + path)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// eventually asks until the answer is as wanted.
func eventually(t *testing.T, addr, path string, as func(code int, text string) bool) string {
	t.Helper()
	end := time.Now().Add(momtest.Patience)
	for {
		code, text := ask(t, addr, path)
		if as(code, text) {
			return text
		}
		if time.Now().After(end) {
			t.Fatalf("%s%s is not as expected: %d %s", addr, path, code, text)
		}
	}
}

var family = regexp.MustCompile(`(?m)^# TYPE ((?:mom|salt)_[a-z_]+) `)

// A real tree exports every metric of the table, and no other. Those of a
// database are looked at in package master, those of the API in TestUsersOfTheAPI.
func TestEveryMetricIsThere(t *testing.T) {
	tr, addrs := measuredTree(t, "top: top-01\n  syndic-a: web-01 web-02\n")
	if got := tr.Run(salt.Command(), "top", "*", "test.ping"); got.Code != 0 {
		t.Fatal(got)
	}
	if got := tr.Run(salt.Command(), "top", "web-01", "no.such"); !strings.Contains(got.Out, "not available") {
		t.Fatal(got)
	}
	scheduled := tr.Run(salt.Command(), "top", "web-*", "test.echo", "x") // more than one function
	if scheduled.Code != 0 {
		t.Fatal(scheduled)
	}
	text := eventually(t, addrs["top"], "/metrics", func(_ int, text string) bool {
		return strings.Contains(text, `salt_function_responses_total{function="test.echo",state="",success="true"} 2`) &&
			strings.Contains(text, `salt_function_responses_total{function="no.such",state="",success="false"} 1`) &&
			strings.Contains(text, "mom_jobs_open 0\n")
	})
	for _, want := range []string{
		`mom_tree_nodes{state="up"} 1`, `mom_tree_minions{state="up"} 3`, `mom_job_minions_total{outcome="failed"} 1`,
		`salt_new_job_total{function="test.ping",state=""} 1`, `salt_expected_responses_total{function="test.ping",state=""} 3`,
		`mom_peers{role="syndic",state="up"} 1`, `mom_sign_ins_total{outcome="accepted"}`, `mom_requests_total{command="_syndic_return"}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the top does not export %s", want)
		}
	}
	seen := map[string]bool{}
	for _, id := range []string{"top", "syndic-a", "web-01"} {
		code, text := ask(t, addrs[id], "/metrics")
		if code != http.StatusOK {
			t.Fatalf("%s: %d %s", id, code, text)
		}
		for _, f := range family.FindAllStringSubmatch(text, -1) {
			seen[f[1]] = true
		}
		for _, name := range []string{"web-01", "web-02", "20261", "20260"} { // minions and jobs are no labels
			if strings.Contains(text, `"`+name) {
				t.Errorf("%s: %s is a label", id, name)
			}
		}
	}
	// Nothing here is started by a schedule, nothing needs rescue, and nobody is turned away.
	quiet := map[string]bool{
		"salt_scheduled_job_return_total": true, "mom_rescued_total": true, "mom_turned_away_total": true,
		"mom_top_up": true, "mom_top_behind": true, "mom_top_dropped_total": true, // no other top
	}
	for _, m := range metrics.All() {
		if !seen[m.Name] && m.Where != metrics.Databases && m.Where != metrics.Brokers && m.Where != metrics.APIs && !quiet[m.Name] {
			t.Errorf("%s is in the table and not exported", m.Name)
		}
		delete(seen, m.Name)
	}
	for name := range seen {
		t.Errorf("%s is exported and not in the table", name)
	}
}

func TestReadiness(t *testing.T) {
	tr, addrs := measuredTree(t, "top: top-01\n  syndic-a: web-01\n")
	for id, checks := range map[string]int{"top": 2, "syndic-a": 3, "web-01": 2} {
		text := eventually(t, addrs[id], "/readyz", func(code int, _ string) bool { return code == http.StatusOK })
		var got struct {
			Ready  bool
			Checks []metrics.Check
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || !got.Ready || len(got.Checks) != checks {
			t.Errorf("%s: %v %s", id, err, text)
		}
	}
	tr.Kill(t, "top")
	for id, reason := range map[string]string{"syndic-a": "no parent is connected", "top-01": "no master is connected"} {
		text := eventually(t, addrs[id], "/readyz", func(code int, _ string) bool { return code == http.StatusServiceUnavailable })
		if !strings.Contains(text, reason) {
			t.Errorf("%s: %s", id, text)
		}
		if code, text := ask(t, addrs[id], "/healthz"); code != http.StatusOK {
			t.Errorf("%s is alive: %d %s", id, code, text)
		}
	}
}

// An address that is taken ends the start with the exit code for ports. The daemon prints once why it cannot start; a log
// level that hides errors does not hide it.
func TestStartErrorIsPrintedOnce(t *testing.T) {
	spec, err := localcluster.Parse("top:\n")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	spec.Master = "metrics_listen: " + l.Addr().String() + "\n"
	g, err := localcluster.Plant(t.TempDir(), spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []string{"info", "error", "quiet"} {
		got := momtest.Run(masterCommand(), "", "-c", g.Top().ConfDir, "-l", level)
		if n := strings.Count(got.Err, "bind metrics_listen "+l.Addr().String()); got.Code != command.ExitPorts || n != 1 {
			t.Errorf("-l %s: printed %d times, exit %d: %s", level, n, got.Code, got.Err)
		}
	}
}
