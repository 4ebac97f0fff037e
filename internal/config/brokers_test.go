package config

import (
	"strings"
	"testing"
)

// A value of the wrong type is reported with its place, in each form of the option. Options of the
// same name that belong to other programs do not prevent the start.
func TestBrokerOptions(t *testing.T) {
	for lines, want := range map[string]string{
		"kafka.topic: [a]\n":             "master:1",
		"kafka: {tls: 7x}\n":             "tls",
		"returner.kafka.topic: {a: b}\n": "topic",
		"nats.servers: {a: b}\n":         "servers",
		"nats: none of ours\n":           "",
		"kafka.bootstrap: [a, b]\nreturner.kafka.topic: x\nnats: {tls: true, other: 1}\n": "",
	} {
		_, _, err := loadMaster(files(t, "master", lines), machine("h"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", lines, err, want)
		}
	}
	for name, want := range map[string]bool{"kafka.password": true, "nats.token": true, "nats.subject": false} {
		extra[name] = true
		t.Cleanup(func() { delete(extra, name) })
		if got := holdsSecret(setting{name: name, value: "x"}); got != want {
			t.Errorf("%s is a secret: %v", name, got)
		}
	}
}
