package acl

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/mom/momtest"
)

const rules = `
publisher_acl:
  fred:
    - test.ping
    - 'web-*':
      - 'cmd.*'
external_auth:
  pam:
    eve:
      - 'G@os:Plan9': ['test.*']
    ops%:
      - '@runner': ['jobs.*']
      - syndic-a: ['.*']
    kim:
      - '@runner': [{state.orchestrate: [{args: [deploy]}]}]
      - '*': [{cmd.run: [{kwargs: {runas: nobody}}]}]
      - '@returners': [mysql, {rawfile: [{kwargs: {filename: /tmp/x}}]}]
`

// The rules of a running master applied to its tree, as the command shows them.
func TestExplain(t *testing.T) {
	tr := momtest.Own(t, "top: top-01\n  syndic-a: web-01 db-01\n", func(c *localcluster.Cluster) {
		for _, m := range c.Members {
			if m.ID != "top" {
				continue
			}
			path := filepath.Join(m.ConfDir, "master")
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(rules); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{"root * test.ping", 0, []string{"ALLOWED: root is the user"}},
		{"fred * test.ping", 0, []string{"ALLOWED\n", `publisher_acl, fred, rule 1, "test.ping", allows it`}},
		{"fred * cmd.run uptime", 1, []string{"REFUSED\n", "this master: top-01 is meant", "syndic-a: db-01 is meant by the target and not"}},
		{"fred web-* cmd.run uptime", 0, []string{"syndic-a: the rule means the one minion"}},
		{"fred db-01 test.pingx", 1, []string{"it is for other functions"}},
		{"joe * test.ping", 1, []string{`REFUSED: publisher_acl has no rules for the user "joe"`}},
		{"sudo_joe * test.ping", 0, []string{"ALLOWED: users of sudo"}},
		{"eve top-01 test.ping --eauth pam", 1, []string{"REFUSED\n", "G@os:Plan9", "this master: top-01 is meant"}},
		{"eve web-01 test.ping --eauth pam", 0, []string{"ALLOWED here; 1 minion is judged by its node\n", "syndic-a: 1 of 1 judged there"}},
		{"eve web-01 test.ping --eauth ldap", 1, []string{`external_auth has no login service "ldap"`}},
		{"joe web-01 test.ping --eauth pam --group ops", 1, []string{"syndic-a is a node, and rules name minions"}},
		{"joe --runner jobs.list_jobs --eauth pam --group ops", 0, []string{"external_auth pam, ops%, rule 1"}},
		{"kim --runner state.orchestrate mods=deploy --eauth pam", 0, []string{`judged with mods="deploy"`, "pam, kim, rule 1"}},
		{"kim --runner state.orchestrate mods=deploy,secret --eauth pam", 1, []string{`judged with mods="deploy", mods="secret"`, `argument 1 (mods) is "secret", which deploy does not match`}},
		{"kim --runner state.orchestrate deploy mods=secret --eauth pam", 1, []string{"got multiple values for argument 'mods'", "it is for returners"}},
		{"kim web-01 cmd.run id runas=root --eauth pam", 1, []string{`judged with argument 1="id", runas="root"`, `keyword runas is "root", which nobody does not match`}},
		{"kim web-01 cmd.run id runas=nobody --eauth pam --return rawfile --return_kwargs {\"filename\":\"/tmp/x\"}", 0, []string{"returner rawfile: allowed"}},
		{"kim web-01 cmd.run id runas=nobody --eauth pam --return mysql", 0, []string{"returner mysql: allowed"}},
		{"kim web-01 cmd.run id runas=nobody --eauth pam --return mysql --return_config other", 1, []string{"returner mysql: refused", "the rule does not name ret_config"}},
		{"kim web-01 cmd.run id runas=nobody --eauth pam --module-executors [sudo]", 1, []string{"executor sudo: refused", "it is not for executors"}},
		{"kim web-01 saltutil.find_job 1 --eauth pam --return x", 1, []string{"saltutil.find_job: allowed", "returner x: refused"}},
		{"joe --wheel key.list_all --eauth pam --group ops", 1, []string{"REFUSED", "it is for functions of minions"}},
	} {
		got := tr.Run(Command(), "top", append([]string{"explain"}, strings.Fields(c.args)...)...)
		for _, want := range c.want {
			if got.Code != c.code || !strings.Contains(got.Out, want) {
				t.Errorf("%s: want exit %d with %q: %v", c.args, c.code, want, got)
			}
		}
	}
	got := tr.Run(Command(), "top", "explain", "fred", "*", "cmd.run", "cwd=/", "--out", "json")
	var v struct {
		Allowed bool
		Calls   []struct {
			Rules []struct{ Tiers []struct{ Path string } }
		}
	}
	if err := json.Unmarshal([]byte(got.Out), &v); err != nil || v.Allowed || len(v.Calls) != 1 || len(v.Calls[0].Rules) != 2 || len(v.Calls[0].Rules[1].Tiers) != 2 {
		t.Errorf("%v: %v", err, got)
	}
	tr.Kill(t, "top")
	if got := tr.Run(Command(), "top", "explain", "fred", "*", "test.ping", "-t", "2s"); got.Code != 2 || got.Out != "" {
		t.Errorf("without a master: %v", got)
	}
}

func TestExplainRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                                      "mom acl needs its command",
		"explain fred":                          "needs a user, a target and a function",
		"explain fred --runner":                 "needs a user and a function",
		"explain fred --runner --wheel x.y":     "exclude each other",
		"explain fred * test.ping --kind range": `"range": unknown`,
		"explain fred * test.ping --out yaml":   "text or json",
		"explain fred * test.ping --group ops":  "--eauth",
		"explain fred --runner x.y --return a":  "need a job on minions",
	} {
		if got := momtest.Run(Command(), "", strings.Fields(args)...); got.Code != 64 || !strings.Contains(got.Err, want) {
			t.Errorf("%s: %v", args, got)
		}
	}
}
