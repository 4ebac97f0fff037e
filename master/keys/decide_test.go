package keys

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/wire"
)

func signingFileWith(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "signing")
	if err := durable.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTable walks the rows of the decision table that the recorded sign-ins do
// not show.
func TestTable(t *testing.T) {
	one, two := goldenText(t, "minion"), goldenText(t, "minion2")
	matching := signingFileWith(t, "m1\n")
	small, err := crypt.NewKeyPair(1024)
	if err != nil {
		t.Fatal(err)
	}
	const broken = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"
	type keyMap = map[State]string
	for _, tc := range []struct {
		name    string
		policy  Policy
		id      string // m1
		pub     string // one
		have    keyMap
		outcome Outcome
		act     string
		silent  bool
		after   []string
	}{
		{name: "unknown", outcome: Waiting, act: "pend", after: []string{"minions_pre/m1"}},
		{name: "id with a dot in front", id: ".m1", silent: true, after: []string{}},
		{name: "id that climbs", id: "../m1", silent: true, after: []string{}},
		{name: "rejected before accepted", have: keyMap{Rejected: one, Accepted: one}, after: []string{"minions/m1", "minions_rejected/m1"}},
		{name: "auto_accept does not help the rejected", policy: Policy{AutoAccept: true}, have: keyMap{Rejected: one}, after: []string{"minions_rejected/m1"}},
		{name: "auto_accept does not replace a key", policy: Policy{AutoAccept: true}, have: keyMap{Accepted: two}, act: "denied", after: []string{"minions/m1", "minions_denied/m1"}},
		{name: "unknown, autoreject", policy: Policy{AutorejectFile: matching}, act: "reject", after: []string{"minions_rejected/m1"}},
		{name: "pending, autoreject", policy: Policy{AutorejectFile: matching}, have: keyMap{Pending: two}, act: "reject", after: []string{"minions_rejected/m1"}},
		{name: "accepted, autoreject", policy: Policy{AutorejectFile: matching}, have: keyMap{Accepted: one}, outcome: Admitted, act: "accept", after: []string{"minions/m1"}},
		{name: "autoreject before autosign", policy: Policy{AutorejectFile: matching, AutosignFile: matching}, act: "reject", after: []string{"minions_rejected/m1"}},
		{name: "unknown, autosign", policy: Policy{AutosignFile: matching}, outcome: Admitted, act: "accept", after: []string{"minions/m1"}},
		{name: "pending, autosign", policy: Policy{AutosignFile: matching}, have: keyMap{Pending: one}, outcome: Admitted, act: "accept", after: []string{"minions/m1"}},
		{name: "pending, autosign, other key", policy: Policy{AutosignFile: matching}, have: keyMap{Pending: two}, act: "denied", after: []string{"minions_denied/m1", "minions_pre/m1"}},
		{name: "autosign names another", policy: Policy{AutosignFile: matching}, id: "m2", outcome: Waiting, act: "pend", after: []string{"minions_pre/m2"}},
		{name: "stub", have: keyMap{Autosign: ""}, outcome: Admitted, act: "accept", after: []string{"minions/m1"}},
		{name: "stub, pending", have: keyMap{Autosign: "", Pending: one}, outcome: Admitted, act: "accept", after: []string{"minions/m1"}},
		{name: "stub stays when another key comes", have: keyMap{Autosign: "", Pending: two}, act: "denied", after: []string{"minions_autosign/m1", "minions_denied/m1", "minions_pre/m1"}},
		{name: "stub stays for an accepted key", have: keyMap{Autosign: "", Accepted: one}, outcome: Admitted, act: "accept", after: []string{"minions/m1", "minions_autosign/m1"}},
		{name: "no key", pub: "none", after: []string{}},
		{name: "broken key", pub: broken, after: []string{}},
		{name: "broken key, auto_accept", policy: Policy{AutoAccept: true}, pub: broken, after: []string{}},
		{name: "oversized key", pub: strings.Repeat(" ", maxPubBytes) + one, after: []string{}},
		{name: "1024 bits", pub: small.PublicPEM, outcome: Waiting, act: "pend", after: []string{"minions_pre/m1"}},
		{name: "open_mode, unknown", policy: Policy{OpenMode: true}, outcome: Admitted, act: "accept", after: []string{"minions/m1"}},
		{name: "open_mode, rejected", policy: Policy{OpenMode: true}, have: keyMap{Rejected: one}, outcome: Admitted, act: "accept", after: []string{"minions/m1", "minions_rejected/m1"}},
		{name: "open_mode, no key", policy: Policy{OpenMode: true}, pub: "none", silent: true, after: []string{}},
		{name: "crlf and spaces, accepted", have: keyMap{Accepted: " \n" + crlf(one) + "\n\n"}, outcome: Admitted, act: "accept", after: []string{"minions/m1"}},
		{name: "crlf, pending", have: keyMap{Pending: crlf(one)}, outcome: Waiting, act: "pend", after: []string{"minions_pre/m1"}},
		{name: "full", policy: Policy{MaxMinions: 3, Connected: func(string) (int, bool) { return 4, false }}, outcome: Full, act: "full", after: []string{}},
		{name: "full, but connected", policy: Policy{MaxMinions: 3, Connected: func(id string) (int, bool) { return 4, id == "m1" }}, outcome: Waiting, act: "pend", after: []string{"minions_pre/m1"}},
		{name: "not yet full", policy: Policy{MaxMinions: 3, Connected: func(string) (int, bool) { return 3, false }}, outcome: Waiting, act: "pend", after: []string{"minions_pre/m1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := openStore(t, Options{})
			for st, text := range tc.have {
				putKey(t, s, st, "m1", text)
			}
			a := Auth{ID: "m1", Pub: one}
			if tc.id != "" {
				a.ID = tc.id
			}
			if tc.pub == "none" {
				a.Pub = ""
			} else if tc.pub != "" {
				a.Pub = tc.pub
			}
			tc.policy.Log = quiet
			v := NewDecider(s, tc.policy).Decide(context.Background(), a)
			if v.Outcome != tc.outcome || v.Act != tc.act || v.Err != nil {
				t.Errorf("%s, act %q, error %v, want %s, %q", v.Outcome, v.Act, v.Err, tc.outcome, tc.act)
			}
			if (v.Event() == nil) != tc.silent {
				t.Errorf("event %#v, want none: %t", v.Event(), tc.silent)
			}
			if (v.Key != nil) != (tc.outcome == Admitted) {
				t.Errorf("key %v with outcome %s", v.Key, v.Outcome)
			}
			if tc.outcome != Admitted && v.Reason == "" {
				t.Error("no reason given")
			}
			if diff := cmp.Diff(tc.after, files(t, s.opts.PkiDir)); diff != "" {
				t.Errorf("folders (-want +got):\n%s", diff)
			}
			for _, f := range tc.after {
				st, id := filepath.Split(f)
				for i := range numStates {
					if i.Folder() == filepath.Clean(st) && !s.Has(i, id) {
						t.Errorf("the index does not know %s", f)
					}
				}
			}
		})
	}
}

func TestStubExpires(t *testing.T) {
	c := &clock{time.Now()}
	s := openStore(t, Options{AutosignTimeout: 2 * time.Hour, Now: c.now})
	d := NewDecider(s, Policy{Log: quiet})
	for _, id := range []string{"m1", "m2", "m3"} {
		putKey(t, s, Autosign, id, "")
	}
	c.at = c.at.Add(time.Hour)
	if v := d.Decide(context.Background(), Auth{ID: "m1", Pub: goldenText(t, "minion")}); v.Outcome != Admitted {
		t.Errorf("stub of one hour: %s", v.Outcome)
	}
	c.at = c.at.Add(2 * time.Hour)
	if v := d.Decide(context.Background(), Auth{ID: "m2", Pub: goldenText(t, "minion")}); v.Outcome != Waiting {
		t.Errorf("stub of three hours: %s", v.Outcome)
	}
	s.Refresh("m3")
	s.sweepStubs()
	if diff := cmp.Diff([]string{"minions/m1", "minions_pre/m2"}, files(t, s.opts.PkiDir)); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
}

// Of many that come at once for one stub, with a key each, one is admitted.
func TestStubAdmitsOne(t *testing.T) {
	s := openStore(t, Options{})
	putKey(t, s, Autosign, "m1", "")
	d := NewDecider(s, Policy{Log: quiet})
	var wg sync.WaitGroup
	verdicts := make([]Verdict, 8)
	names := []string{"minion", "minion2", "syndic", "changed_minion"}
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = goldenText(t, name)
	}
	for i := range verdicts {
		wg.Go(func() { verdicts[i] = d.Decide(context.Background(), Auth{ID: "m1", Pub: texts[i%4]}) })
	}
	wg.Wait()
	b, err := os.ReadFile(s.path(Accepted, "m1"))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range verdicts {
		if want := texts[i%4] == string(b); (v.Outcome == Admitted) != want || v.Err != nil {
			t.Errorf("sign-in %d: %s, %v, its key stored: %t", i, v.Outcome, v.Err, want)
		}
	}
}

func TestDiskFailureRefuses(t *testing.T) {
	s := openStore(t, Options{})
	if err := os.Mkdir(s.path(Pending, "m1"), 0o700); err != nil { // no key can be stored there
		t.Fatal(err)
	}
	var log bytes.Buffer
	d := NewDecider(s, Policy{Log: slog.New(slog.NewTextHandler(&log, nil))})
	v := d.Decide(context.Background(), Auth{ID: "m1", Pub: goldenText(t, "minion")})
	if v.Outcome != Refused || v.Err == nil || v.Event().Bool("result") {
		t.Errorf("%+v", v)
	}
	if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "id=m1") {
		t.Errorf("log does not say it: %s", log.String())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if v := d.Decide(ctx, Auth{ID: "m2", Pub: goldenText(t, "minion")}); v.Outcome != Refused || s.Has(Pending, "m2") {
		t.Errorf("ended context: %+v", v)
	}
}

// A key file that was cut off is no attempt to take over the id.
func TestSpoiltKeyIsNoTakeover(t *testing.T) {
	pub := goldenText(t, "minion")
	for _, text := range []string{"", pub[:100], "nonsense"} {
		s := openStore(t, Options{})
		putKey(t, s, Accepted, "m1", text)
		var log bytes.Buffer
		d := NewDecider(s, Policy{Log: slog.New(slog.NewTextHandler(&log, nil))})
		v := d.Decide(context.Background(), Auth{ID: "m1", Pub: pub})
		if v.Outcome != Refused || v.Act == "denied" || v.Err == nil || s.Has(Denied, "m1") {
			t.Errorf("%q: %+v", text, v)
		}
		if l := log.String(); !strings.Contains(l, "cannot be read") || !strings.Contains(l, "salt-key -d") || strings.Contains(l, "take over") {
			t.Error(l)
		}
	}
}

func TestEventShowsGrains(t *testing.T) {
	s := openStore(t, Options{})
	a := Auth{ID: "m1", Pub: goldenText(t, "minion"), Grains: wire.NewMap("uuid", "1")}
	plain := NewDecider(s, Policy{Log: quiet}).Decide(context.Background(), a).Event()
	if plain.Has("autosign_grains") {
		t.Error("grains shown without the option")
	}
	shown := NewDecider(s, Policy{Log: quiet, AuthEventsAutosignGrains: []string{"pend"}}).Decide(context.Background(), a).Event()
	if shown.Map("autosign_grains").String("uuid") != "1" {
		t.Errorf("event %#v without grains", shown)
	}
}

func BenchmarkDecideKnown(b *testing.B) {
	s := openStore(b, Options{})
	text := goldenText(b, "minion")
	putKey(b, s, Accepted, "m1", text)
	d := NewDecider(s, Policy{Log: slog.New(slog.DiscardHandler)})
	b.ReportAllocs()
	for b.Loop() {
		if v := d.Decide(context.Background(), Auth{ID: "m1", Pub: text}); v.Outcome != Admitted {
			b.Fatal(v)
		}
	}
}
