package nats

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/broker"
)

func TestOptionsFrom(t *testing.T) {
	got, err := OptionsFrom(map[string]any{
		"nats.servers": []any{"nats://a:1", "b"}, "nats": map[string]any{"subject": "salt.events", "credentials": "/x.creds"}, "other.nats.subject": "theirs",
		"nats.username": "u", "nats.password": 12, "nats.token": "t", "nats.tls": true,
	}, "other")
	want := Options{Servers: []string{"nats://a:1", "b"}, Subject: "theirs", Credentials: "/x.creds", Username: "u", Password: "12", Token: "t", TLS: true}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Options{}, "Log")); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for want, o := range map[string]Options{
		"nats.servers is not set": {Subject: "a"},
		"nats.subject is not set": {Servers: []string{"a"}},
		"without wildcards":       {Servers: []string{"a"}, Subject: "salt.>"},
		"belong together":         {Servers: []string{"a"}, Subject: "a", TLSKey: "x"},
		"nats.tls_ca":             {Servers: []string{"a"}, Subject: "a", TLSCA: "/does/not/exist"},
	} {
		if _, err := Open(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	s, err := Open(Options{Servers: []string{"nats://u:secret@a:1"}, Subject: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if text := s.fault("publish", errors.New("x")).Error(); strings.Contains(text, "secret") || !strings.Contains(text, "a:1/s") {
		t.Error(text)
	}
	d, _ := returners.Lookup(Name)
	if err := d.Check(returners.Options{Values: map[string]any{"nats.subject": "s"}}); err == nil || !strings.Contains(err.Error(), "nats.servers") {
		t.Error(err)
	}
}

// A wave has one message of each order, and the waves of an order keep its sequence.
func TestWave(t *testing.T) {
	var messages []broker.Message
	for _, order := range strings.Split("a b a c b a", " ") {
		messages = append(messages, broker.Message{Order: order})
	}
	got := ""
	for rest := []int{0, 1, 2, 3, 4, 5}; len(rest) > 0; {
		var now []int
		now, rest = wave(messages, rest)
		got += fmt.Sprint(now)
	}
	if got != "[0 1 3][2 4][5]" {
		t.Errorf("waves %s", got)
	}
	large := make([]broker.Message, maxWave+2)
	for i := range large {
		large[i].Order = fmt.Sprint(i)
	}
	large[0].Document = make([]byte, maxWaveBytes+1)
	large[1].Document, large[maxWave+1].Order = make([]byte, 1), "1"
	rows := make([]int, len(large))
	for i := range rows {
		rows[i] = i
	}
	if now, _ := wave(large, rows); len(now) == 0 || now[0] != 0 || len(now) > 1 && now[1] == 1 {
		t.Errorf("a large message is sent with %d others", len(now)-1)
	}
	if now, rest := wave(large, rows[1:]); len(now) != maxWave || len(rest) != 1 {
		t.Errorf("%d now, %d later", len(now), len(rest))
	}
}
