package config

import (
	"slices"
	"strings"
	"testing"
)

// The options of PostgreSQL are known, in both forms, and checked at the start.
func TestPostgresOptions(t *testing.T) {
	const conf = `
master_job_cache: pgjsonb
event_return: pgjsonb
returner.pgjsonb.host: db1,db2
returner.pgjsonb.sslmode: None
returner.pgjsonb.sslmod: require
returner.postgres: {passwd: x, prot: 5}
alternative.returner.postgres.host: other
postgres: {host: db, schema: x}
`
	m, w := master(t, "master", conf)
	if m.MasterJobCache != "pgjsonb" || !slices.Equal(m.EventReturn, []string{"pgjsonb"}) {
		t.Errorf("%s %v", m.MasterJobCache, m.EventReturn)
	}
	want := []string{
		"master:6: unknown option returner.pgjsonb.sslmod; did you mean returner.pgjsonb.sslmode?",
		"master:7: unknown option returner.postgres.prot; did you mean returner.postgres.port?",
		"master:9: unknown option postgres.schema has no effect",
	}
	if got := warningTexts(w); !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q", got, want)
	}
	for bad, place := range map[string]string{
		"returner.pgjsonb.port: 70000":            "returner.pgjsonb.port",
		"returner.pgjsonb: {sslmode: always}":     "sslmode",
		"returner.postgres: here":                 "wants a mapping",
		"postgres: {port: x}":                     "postgres.port",
		"returner.postgres.connect_timeout: '-1'": "connect_timeout",
	} {
		if _, _, err := loadMaster(files(t, "master", bad+"\n"), machine("h.example")); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for s, secret := range map[string]bool{
		"returner.pgjsonb.pass": true, "returner.postgres.passwd": true, "alternative.returner.postgres.passwd": true, "returner.pgjsonb.host": false,
	} {
		if holdsSecret(setting{name: s, value: "x"}) != secret {
			t.Errorf("%s is a secret: %v", s, !secret)
		}
	}
	if !holdsSecret(setting{name: "returner.postgres", value: map[string]any{"passwd": "x"}}) {
		t.Error("the password in a mapping is not known as a secret")
	}
	if MayChange("returner.pgjsonb.host") == nil || MayChange("returner.pgjsonb") == nil {
		t.Error("the database may be set from afar")
	}
}
