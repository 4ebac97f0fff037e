package telemetry

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/returners"
)

// scraped returns the output of a source for one scrape.
func scraped(t *testing.T, src metrics.Source) string {
	t.Helper()
	s, err := metrics.Listen("127.0.0.1:0", "test", "1", src)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Run(t.Context()) }()
	tr := &http.Transport{DisableKeepAlives: true}
	r, err := (&http.Client{Transport: tr, Timeout: 20 * time.Second}).Get("http://" + s.Addr().String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return string(b)
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDatabaseMetrics(t *testing.T) {
	text := scraped(t, metrics.Source{Collect: func(s *metrics.Sink) {
		collectDatabase(s, returners.DrainStats{
			Delivered: map[returners.Kind]uint64{returners.KindReturn: 5}, Batches: 2, Rejected: 1, Errors: map[string]uint64{"unavailable": 3},
			Down: true, LastGood: time.Unix(1000, 0),
		})
	}})
	for _, m := range metrics.All() {
		if m.Where == metrics.Databases && !strings.Contains(text, "# TYPE "+m.Name+" ") {
			t.Errorf("%s is not exported", m.Name)
		}
	}
	for _, want := range []string{`mom_database_errors_total{class="unavailable"} 3`, "mom_database_up 0", "mom_database_last_write_timestamp_seconds 1000"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

func TestEventReturnMetrics(t *testing.T) {
	text := scraped(t, metrics.Source{Collect: func(s *metrics.Sink) {
		collectEvents(s, jobstore.WriterStats{Name: "kafka", Drain: &returners.DrainStats{
			Delivered: map[returners.Kind]uint64{returners.KindEvent: 5}, Rejected: 1, Errors: map[string]uint64{"connection": 3},
		}})
		collectEvents(s, jobstore.WriterStats{Name: "nats", OpenErr: errors.New("no credentials")})
	}})
	for _, want := range []string{
		`mom_event_return_delivered_total{returner="kafka"} 5`, `mom_event_return_rejected_total{returner="kafka"} 1`, `mom_event_return_errors_total{class="connection",returner="kafka"} 3`,
		`mom_event_return_up{returner="kafka"} 1`, `mom_event_return_up{returner="nats"} 0`, `mom_event_return_last_write_timestamp_seconds{returner="kafka"} 0`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
}

func TestJobs(t *testing.T) {
	tally := NewJobs()
	fire := func(tag, origin string, copied bool, pairs ...any) {
		raw, err := wire.Encode(wire.NewMap(pairs...))
		if err != nil {
			t.Fatal(err)
		}
		tally.count(bus.Event{Tag: "salt/job/1/" + tag, Data: raw, Origin: origin, Copy: copied})
	}
	fire("new", "", false, "fun", "state.apply", "arg", []any{"web"})
	fire("new", "syndic-a", false, "fun", "state.apply", "arg", []any{"web"}) // a node's own account of the same job
	fire("new", "syndic-a", true, "fun", "state.apply", "arg", []any{"web"})
	fire("ret/m1", "", false, "fun", "state.apply", "fun_args", []any{"web"}, "retcode", 0, "success", true)
	fire("ret/m2", "syndic-a", false, "fun", "state.apply", "fun_args", []any{}, "retcode", 2, "success", true)
	fire("ret/m3", "", false, "fun", "cmd.run", "retcode", 0, "schedule", "nightly")
	fire("complete", "", false, "fun", "state.apply", "expected", 5, "returned", 1, "failed", 1, "seconds", 2.5,
		"missing", wire.NewMap("a", wire.NewMap("reason", "Not connected", "path", ""), "b", wire.NewMap("reason", "odd", "path", "n")))
	tally.count(bus.Event{Tag: "salt/job/1/ret/x", Data: wire.Raw("junk")}) // of another program
	text := scraped(t, metrics.Source{Collect: tally.Collect})
	for _, want := range []string{
		`salt_new_job_total{function="state.apply",state="web"} 1`,
		`salt_function_responses_total{function="state.apply",state="web",success="true"} 1`,
		`salt_function_responses_total{function="state.apply",state="highstate",success="false"} 1`,
		`salt_scheduled_job_return_total{function="cmd.run",state="",success="true"} 1`,
		`salt_responses_total{success="false"} 1`, `salt_responses_total{success="true"} 2`,
		`salt_expected_responses_total{function="state.apply",state=""} 5`,
		`mom_job_minions_total{outcome="missing"} 2`, `mom_job_missing_total{reason="Not connected"} 1`, `mom_job_missing_total{reason="other"} 1`,
		`mom_job_missing_total{reason="Node did not answer"} 0`,
		"mom_job_duration_seconds_sum 2.5",
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
}
