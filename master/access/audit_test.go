package access

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/returners"
)

// heard collects events.
type heard struct{ events []*wire.Map }

func (h *heard) fire(tag string, data *wire.Map) error {
	if tag != AuditTag {
		return errors.New(tag)
	}
	h.events = append(h.events, data)
	return nil
}

func TestAuditEvent(t *testing.T) {
	var h heard
	a := NewAudit(AuditOptions{Node: "top", Fire: h.fire, Log: quiet, Now: time.Now})
	long := strings.Repeat("ü", 200)
	kwargs := wire.NewMap("__kwarg__", true, "name", "x", "password", "hunter2", "SSH_KEY", "hunter2", "env", wire.NewMap("p", "hunter2"))
	args := []any{int64(1), long, []any{"hunter2"}}
	for range 20 {
		args = append(args, "more")
	}
	a.Note(Asked{
		Kind: "publish", Door: "eauth", User: "fred", Eauth: "pam", From: "10.0.0.1:5", Fun: "cmd.run", Call: Call{Fun: "cmd.run", Args: args, Kwargs: kwargs},
		Target: []any{"a", "b"}, TargetType: "list", JID: "20240102030405678901", Allowed: true,
	})
	m := h.events[0]
	raw, err := wire.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	text, err := wire.ToJSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "hunter2") || len(text) > 1200 {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	for key, want := range map[string]string{
		"node": "top", "kind": "publish", "door": "eauth", "user": "fred", "eauth": "pam", "from": "10.0.0.1:5", "fun": "cmd.run",
		"tgt": "a,b", "tgt_type": "list", "jid": "20240102030405678901",
	} {
		if got := m.String(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if n := len(m.List("arg")); !m.Bool("allowed") || n != auditArgs+1 || m.Map("kwarg").String("name") != "x" || m.Map("kwarg").Has("__kwarg__") {
		t.Errorf("%s", text)
	}
	if got := m.List("arg")[1]; got != strings.Repeat("ü", 64)+"…" {
		t.Errorf("cut to %q", got)
	}
}

// In a flood of refusals a limited number is reported and the rest counted; allowed requests are
// always reported.
func TestAuditBound(t *testing.T) {
	var h heard
	var log bytes.Buffer
	now := time.Unix(1000, 0)
	a := NewAudit(AuditOptions{Fire: h.fire, Refusals: 3, Log: slog.New(slog.NewTextHandler(&log, nil)), Now: func() time.Time { return now }})
	for range 10 {
		a.Note(Asked{User: "eve"})
	}
	if len(h.events) != 3 || strings.Count(log.String(), "limit=3") != 1 {
		t.Fatalf("%d events; %s", len(h.events), &log)
	}
	for range 5 {
		a.Note(Asked{User: "fred", Allowed: true})
	}
	if len(h.events) != 8 || h.events[3].Int(fieldUnsent) != 7 || h.events[4].Int(fieldUnsent) != 0 {
		t.Errorf("%d events, %d unsent", len(h.events), h.events[3].Int(fieldUnsent))
	}
	now = now.Add(time.Second)
	a.Note(Asked{User: "eve"})
	if len(h.events) != 9 {
		t.Error("a new second has no room")
	}
	broken := NewAudit(AuditOptions{Fire: func(string, *wire.Map) error { return errors.New("full") }, Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now})
	broken.Note(Asked{User: "eve"})
	if !strings.Contains(log.String(), "err=full") {
		t.Errorf("a full bus is not logged: %s", &log)
	}
}

// shelf is an event database.
type shelf struct{ tags []string }

func (s *shelf) SaveEvents(_ context.Context, events []returners.Event) error {
	for _, e := range events {
		s.tags = append(s.tags, e.Tag+" "+string(e.Data))
	}
	return nil
}

// event_return stores audit events like all others.
func TestAuditIsStored(t *testing.T) {
	b := bus.NewBus(bus.Options{})
	var s shelf
	k := jobstore.ListenEvents(jobstore.EventReturnOptions{Bus: b, Store: &s, MasterID: "top", Whitelist: []string{"mom/audit"}, Log: quiet})
	a := NewAudit(AuditOptions{Fire: func(tag string, data *wire.Map) error { return b.Fire(tag, data) }, Log: quiet, Now: time.Now})
	a.Note(Asked{User: "fred", Allowed: true})
	b.Close()
	k.Run(t.Context())
	if len(s.tags) != 1 || !strings.Contains(s.tags[0], "fred") {
		t.Errorf("stored %q", s.tags)
	}
}
