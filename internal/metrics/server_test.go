package metrics

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// serve runs a server until the end of the test and returns a function that requests a path.
func serve(t *testing.T, sources ...Source) func(path string) (int, string) {
	t.Helper()
	s, err := Listen("127.0.0.1:0", "master", "1.0", sources...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	tr := &http.Transport{}
	c := &http.Client{Transport: tr, Timeout: 20 * time.Second}
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		tr.CloseIdleConnections()
	})
	return func(path string) (int, string) {
		r, err := c.Get("http://" + s.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(b)
	}
}

func TestMetrics(t *testing.T) {
	h := NewHistogram(1, 10)
	h.Add(0.5)
	h.Add(5)
	h.Add(50)
	get := serve(t, Source{Collect: func(s *Sink) {
		s.Count("mom_returns_total", 7, "new")
		s.Flag("mom_database_up", true)
		s.Observe("mom_job_duration_seconds", h)
	}})
	code, text := get("/metrics")
	for _, want := range []string{
		`mom_info{role="master",version="1.0"} 1`, `mom_returns_total{result="new"} 7`, "# TYPE mom_returns_total counter", "mom_database_up 1",
		`mom_job_duration_seconds_bucket{le="1"} 1`, `mom_job_duration_seconds_bucket{le="10"} 2`, "mom_job_duration_seconds_count 3",
		"mom_job_duration_seconds_sum 55.5", "go_goroutines", "process_start_time_seconds",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if code != http.StatusOK {
		t.Errorf("status %d", code)
	}
	if code, _ := get("/other"); code != http.StatusNotFound {
		t.Errorf("another path: %d", code)
	}
}

func TestHealthAndReadiness(t *testing.T) {
	checks := []Check{{Name: "store", OK: true}, {Name: "parent", Reason: "no master above is connected"}}
	get := serve(t, Source{}, Source{Checks: func(context.Context) []Check { return checks }})
	if code, text := get("/healthz"); code != 200 || text != "{\"alive\":true}\n" {
		t.Errorf("%d %s", code, text)
	}
	var got struct {
		Ready  bool
		Checks []Check
	}
	code, text := get("/readyz")
	if err := json.Unmarshal([]byte(text), &got); err != nil || code != 503 || got.Ready || len(got.Checks) != 2 || got.Checks[1].Reason == "" {
		t.Errorf("%d %s %v", code, text, err)
	}
	checks = checks[:1]
	if code, text = get("/readyz"); code != 200 || !strings.Contains(text, `"ready":true`) {
		t.Errorf("%d %s", code, text)
	}
}

func TestListenRefuses(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	for _, addr := range []string{ln.Addr().String(), "nonsense", "127.0.0.1:99999"} {
		if _, err := Listen(addr, "master", ""); err == nil || !strings.Contains(err.Error(), "metrics_listen "+addr) {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// No label may have values that grow with minions or jobs, and names follow Prometheus' rules.
func TestTable(t *testing.T) {
	bounded := map[string]bool{
		"role": true, "version": true, "function": true, "state": true, "success": true, "outcome": true, "command": true, "result": true,
		"reason": true, "socket": true, "dest": true, "kind": true, "class": true, "parent": true, "queue": true, "master": true, "by": true, "top": true, "returner": true,
	}
	name := regexp.MustCompile(`^(mom|salt)_[a-z_]+[a-z]$`)
	seen := map[string]bool{}
	for _, m := range All() {
		if !name.MatchString(m.Name) || seen[m.Name] || m.Help == "" {
			t.Errorf("%s is misnamed, there twice, or not explained", m.Name)
		}
		seen[m.Name] = true
		exporters := m.Name == "salt_health_minions_total" // a gauge under the name that the exporters use
		if (m.Kind == Counter) != strings.HasSuffix(m.Name, "_total") && !exporters {
			t.Errorf("%s is a %s", m.Name, m.Kind)
		}
		for _, l := range m.Labels {
			if !bounded[l] {
				t.Errorf("%s has the label %s, whose values have no bound", m.Name, l)
			}
		}
	}
}

// Users choose names of functions: beyond a number of names the others share one time series.
func TestTallyIsBounded(t *testing.T) {
	c := NewTally(10, "other", "")
	for i := range 1000 {
		c.Add(2, fmt.Sprintf("fun.%d", i), "")
	}
	lines, sum := 0, uint64(0)
	c.Each(func(n uint64, labels ...string) {
		lines, sum = lines+1, sum+n
		if len(labels) != 2 {
			t.Errorf("labels %q", labels)
		}
	})
	if lines != 11 || sum != 2000 {
		t.Errorf("%d lines, %d counted", lines, sum)
	}
}

func TestUnknownMetricIsAMistake(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a metric that is not in the table is accepted")
		}
	}()
	(&Sink{}).Set("mom_other", 1)
}
