package config

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An invalid entry stays and allows nothing: without it, sudo_acl would restrict nobody.
func TestRuleLists(t *testing.T) {
	m, w := master(t, "master", "sudo_acl: true\npublisher_acl: {fred: test.ping, anna: ~, joe: [test.ping]}\npeer: {x: y}\n")
	want := map[string]any{"fred": []any{}, "anna": []any{}, "joe": []any{"test.ping"}}
	if !cmp.Equal(m.PublisherAcl, want) || len(w) != 3 || !cmp.Equal(m.Peer, map[string]any{"x": []any{}}) {
		t.Errorf("%v, %v, %v", m.PublisherAcl, m.Peer, w)
	}
	if len(m.LeftOut) != 3 || !strings.Contains(m.LeftOut[0], ":2: option publisher_acl: anna wants a list") {
		t.Errorf("left out: %q", m.LeftOut)
	}
}

// Errors about options are collected, each once, and other records are only forwarded.
func TestLeftOut(t *testing.T) {
	var text strings.Builder
	l := NewLeftOut(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelWarn}))
	log := slog.New(l)
	option := log.With("option", "peer", "place", "/etc/salt/master:4")
	for range 2 {
		option.Error("access rule ignored", "minions", "web*", "err", errors.New("no list"))
	}
	option.Warn("something else")
	log.Error("disk full")
	for i := range 2 * maxLeftOut {
		log.Error("no", "option", i)
	}
	list := l.List()
	if len(list) != maxLeftOut || list[0].String() != "/etc/salt/master:4: option peer: minions web*: access rule ignored: no list" {
		t.Errorf("%d entries, the first %q", len(list), list[0])
	}
	if n := strings.Count(text.String(), "\n"); n != 4+2*maxLeftOut {
		t.Errorf("%d records came through", n)
	}
	quiet := NewLeftOut(slog.DiscardHandler)
	slog.New(quiet).Error("no", "option", "peer")
	if len(quiet.List()) != 1 {
		t.Error("errors are not kept where the log is off")
	}
}

func TestReadReactors_Faults(t *testing.T) {
	got := ReadReactors([]any{map[string]any{"a": []any{"x", int64(1)}}, "b", map[string]any{"c": nil}, map[string]any{"d": "y"}})
	want := Reactors{
		List: []Reaction{{Tag: "a", SLS: []string{"x"}}, {Tag: "d", SLS: []string{"y"}}},
		Faults: []string{
			"entry 1, tag a: wants a list of files, has the number 1 in it",
			`entry 2 wants one tag with its files, has the text "b"`,
			"entry 3, tag c: wants a list of files, has nothing",
		},
	}
	if !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}
