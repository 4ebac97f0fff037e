package master

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/internal/wire"
)

// A job of a minion's schedule is stored under the id that the minion chose, once, however often it
// arrives. A minion cannot use the id of another job.
func TestReturns_OfASchedule(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	events := r.events()
	at := jid.New(time.Now())
	load := func(own, value any) *wire.Map {
		return wire.NewMap("cmd", "_return", "id", "m1", "jid", "req", "mom_jid", own, "fun", "test.ping", "fun_args", []any{}, "return", value,
			"retcode", 0, "success", true, "schedule", "often")
	}
	own := at + jid.OwnSuffix("m1")
	for range 3 {
		if v, err := m.send(load(own, "first")); err != nil || v == "" {
			t.Fatal(v, err)
		}
	}
	d := events.take("salt/job/" + own + "/ret/m1")
	if d.String("return") != "first" || d.String("schedule") != "often" || d.String("tgt") != "m1" || d.Has("mom_jid") {
		t.Errorf("%#v", d)
	}
	if tags := events.tags(); len(tags) != 0 {
		t.Errorf("it is fired again: %v", tags)
	}
	if _, ok, err := r.store.Local().GetLoad(t.Context(), own); !ok || err != nil {
		t.Errorf("no load, %v", err)
	}
	for _, other := range []any{someJob, at, at + jid.OwnSuffix("m2"), "req", "", 7, []any{own}} {
		if v, err := m.send(load(other, "x")); err != nil || v != "" {
			t.Errorf("%v: %v, %v", other, v, err)
		}
	}
	if tags := events.tags(); len(tags) != 0 {
		t.Errorf("events %v", tags)
	}
	if s := r.Stats(); s.Returns != 1 || s.Repeated != 2 {
		t.Errorf("%+v", s)
	}
}

// A result that is not to be cached has an event and is not stored.
func TestReturns_NoCache(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	events := r.events()
	if err := m.answer("nocache", "x"); err != nil {
		t.Fatal(err)
	}
	if d := events.take("salt/job/nocache/ret/m1"); d.String("return") != "x" {
		t.Errorf("%#v", d)
	}
	if _, ok, err := r.store.Local().GetLoad(t.Context(), "nocache"); ok || err != nil {
		t.Errorf("it is stored, %v", err)
	}
	if s := r.Stats(); s.Returns != 0 {
		t.Errorf("%+v", s)
	}
}

// The metrics page includes the file server.
func TestMetrics_Files(t *testing.T) {
	r := newRig(t)
	r.start()
	srv, err := metrics.Listen("127.0.0.1:0", "master", "test", metrics.Source{Collect: func(s *metrics.Sink) { collectFiles(s, r.files) }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- srv.Run(ctx) }()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	resp, err := c.Get("http://" + srv.Addr().String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`mom_files_total{kind="served"} 0`, `mom_files_total{kind="hashed"} 0`, `mom_files_total{kind="received"} 0`,
		"mom_files_bytes_total 0", "mom_files_waiting 0", "mom_files_bytes 0", "mom_files_bytes_most 0",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %s", want)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
