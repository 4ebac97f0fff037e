package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What cannot be understood in access rules, the reactor and the schedule is found by the
// option, its line and its name, and does not prevent the start where Salt starts.
func TestExamine_WhatCannotBeUnderstood(t *testing.T) {
	for _, c := range []struct{ text, area, what string }{
		{"publisher_acl: {fred: ['test.(']}", "publisher_acl", "user fred, rule 1"},
		{"publisher_acl: {'[fred': [test.ping]}", "publisher_acl", "not a regular expression"},
		{"publisher_acl: {fred: [{'web*': [{test.ping: {argss: [x]}}]}]}", "publisher_acl", `"argss"`},
		{"publisher_acl: {fred: ['@runnr']}", "publisher_acl", "@runnr"},
		{"external_auth: {sharedsecret: {fred: hello}}\nsharedsecret: x", "external_auth", "user fred"},
		{"external_auth: {sharedsecret: {fred: ~}}\nsharedsecret: x", "external_auth", "user fred"},
		{"external_auth: {sharedsecret: {fred: [[x]]}}\nsharedsecret: x", "external_auth", "rule 1"},
		{"external_auth: {ldap: hello}", "external_auth", "eauth ldap"},
		{"external_auth: {sharedsecret: {fred: ['@nosuch']}}\nsharedsecret: x", "external_auth", "@nosuch"},
		{"peer: {foo: ['test.(']}", "peer", "minions foo"},
		{"peer: {foo: [1]}", "peer", "minions foo"},
		{"peer_run: {'(': [manage.up]}", "peer_run", "not a regular expression"},
		{"peer_run: {foo: ['(']}", "peer_run", "rule 1"},
		{"schedule: {a: hello}", "schedule", "job a"},
		{"schedule: {a: {function: manage.up, seconds: x}}", "schedule", "seconds=x"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			dir := shortDir(t)
			text := "root_dir: " + dir + "\nfile_roots: {base: []}\n" + c.text + "\n"
			if err := os.WriteFile(filepath.Join(dir, "master"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Examine(dir)
			if err != nil {
				t.Fatal(err)
			}
			found := slices.ContainsFunc(r.Findings, func(f Finding) bool {
				return f.Level == Fails && f.Area == c.area && strings.Contains(f.What, c.what) && strings.HasSuffix(f.Where, "master:3")
			})
			starts := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Level == Works && f.Area == areaStart })
			if !found || !starts {
				t.Errorf("starts: %v; %+v", starts, r.Findings)
			}
		})
	}
}

// What cannot be understood in the schedule of the minion beside the master is found too.
func TestExamine_MinionSchedule(t *testing.T) {
	dir := shortDir(t)
	for name, text := range map[string]string{
		"master": "root_dir: " + dir + "\nfile_roots: {base: []}\n",
		"minion": "id: m1\nroot_dir: " + dir + "\nschedule:\n  a: hello\n  b: {function: test.ping, seconds: 5, foo: bar}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Examine(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"job a is ignored", "field foo"} {
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.Level == Differ && strings.Contains(f.What, want) && strings.HasSuffix(f.Where, "minion:3")
		}) {
			t.Errorf("%s is not found: %+v", want, r.Findings)
		}
	}
}
