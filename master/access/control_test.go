package access

import (
	"errors"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
)

func newControl(t *testing.T, acl map[string]any) *Control {
	t.Helper()
	c := config.DefaultMaster()
	c.Cachedir, c.User = t.TempDir(), ""
	c.PublisherAclBlacklist = map[string]any{"users": []any{"bad"}, "modules": []any{"cmd.exec_*"}}
	c.SudoAcl = true
	c.ExternalAuth = map[string]any{"pam": map[string]any{"fred": []any{"test.*", map[string]any{"web*": []any{"cmd.run"}}, "@runner"}}}
	ctl, err := Open(c, func(id string) target.Subject { return target.ID(id) }, quiet)
	if err != nil {
		t.Fatal(err)
	}
	ctl.List = New(Options{ACL: acl, Blacklist: c.PublisherAclBlacklist, Sudo: true, Log: quiet}) // without keys for users that are not there
	ctl.Own = "salt"
	return ctl
}

// A user of a login service is never trusted, has no rights without rules, and is subject to the
// blacklist under both names.
func TestAdmitUser(t *testing.T) {
	c := newControl(t, nil)
	for _, x := range []struct {
		user, named, fun string
		rules            []any
		want             error
	}{
		{"fred", "fred", "test.ping", []any{"test.*"}, nil},
		{"fred", "root", "test.ping", []any{"test.*"}, nil},
		{"fred", "fred", "test.ping", nil, server.ErrNoAccess},
		{"fred", "fred", "test.ping", []any{}, server.ErrNoAccess},
		{"bad", "fred", "test.ping", []any{"test.*"}, server.ErrNotAllowed},
		{"fred", "bad", "test.ping", []any{"test.*"}, server.ErrNotAllowed},
		{"fred", "fred", "cmd.exec_code", []any{".*"}, server.ErrNotAllowed},
	} {
		p, err := c.AdmitUser(wire.PublishLoad{User: x.named}, x.user, x.rules, []Call{{Fun: x.fun}})
		if !errors.Is(err, x.want) || p.Trusted || (err == nil) != (len(p.Rules) > 0) {
			t.Errorf("%+v: %+v, %v", x, p, err)
		}
	}
}

// The top refuses by the minions it knows behind nodes.
func TestPermitJudge(t *testing.T) {
	c := newControl(t, nil)
	calls := []Call{{Fun: "cmd.run"}}
	p, err := c.AdmitUser(wire.PublishLoad{}, "fred", c.External.Rules("pam", "fred", nil), calls)
	if err != nil {
		t.Fatal(err)
	}
	report := func(id string) (topology.Node, bool) {
		return topology.Node{ID: id, Version: "1", Minions: []topology.Minion{{ID: "db1"}, {ID: "web1"}}}, id == "syndic-a"
	}
	for _, x := range []struct {
		tgt     string
		minions []string
		node    string
		want    bool
	}{
		{"web*", []string{"web2"}, "syndic-a", true},
		{"*1", []string{"web2"}, "syndic-a", false},
		{"*1", nil, "syndic-a", false},
		{"db1", nil, "syndic-a", false},
		{"*2", []string{"web2"}, "syndic-a", true},
		{"web*", nil, "new", true},
		{"*1", nil, "new", false},
		{"web*", []string{"db2"}, "syndic-a", false},
	} {
		expr, err := target.Parse(x.tgt, "glob", target.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a := ownership.Audience{Expr: expr, Minions: x.minions, Nodes: []engine.Node{{ID: x.node}}}
		v := p.Judge(a, report)
		if v.Allowed != x.want || p.Covers(x.minions) != (len(x.minions) == 0 || x.minions[0] == "web2") {
			t.Errorf("%+v: %v", x, v)
		}
	}
}

func TestControlExplain(t *testing.T) {
	c := newControl(t, map[string]any{"fred": []any{"test.ping"}, "f*": []any{map[string]any{"web*": []any{"cmd.run"}}}})
	nobody := func() (Reach, error) { return here("web1"), nil }
	for _, x := range []struct {
		q     Question
		want  bool
		words string
		place string // of the last rule that was applied
	}{
		{Question{User: "salt"}, true, "may do everything", ""},
		{Question{User: "root"}, true, "may do everything", ""},
		{Question{User: "bad"}, false, "blacklist names the user", ""},
		{Question{User: "root", Calls: []Call{{Fun: "cmd.exec_x"}}}, false, "blacklist names the function", ""},
		{Question{User: "eve"}, false, "no rules for the user", ""},
		{Question{User: "fred"}, true, "", "publisher_acl, fred, rule 1"},
		{Question{User: "fred", Calls: []Call{{Fun: "cmd.run"}}}, true, "", "publisher_acl, f*, rule 1"},
		{Question{User: "sudo_fred"}, true, "", "publisher_acl, fred, rule 1"},
		{Question{User: "sudo_eve"}, false, "no rules for the user", ""},
		{Question{User: "fred", Kind: Runner}, false, "need a login", ""},
		{Question{User: "fred", Eauth: "pam"}, true, "", "external_auth pam, fred, rule 1"},
		{Question{User: "fred", Eauth: "pam", Kind: Runner}, true, "", "external_auth pam, fred, rule 3"},
		{Question{User: "fred", Eauth: "pam", Kind: Wheel}, false, "", "external_auth pam, fred, rule 3"},
		{Question{User: "fred", Eauth: "pam", Kind: Runner, Bound: bound("test", nil, nil)}, false, "module.function", ""},
		{Question{User: "fred", Eauth: "ldap"}, false, `no login service "ldap"`, ""},
		{Question{User: "eve", Eauth: "pam", Groups: []string{"x"}}, false, "no rules under pam", ""},
	} {
		if x.q.Kind == "" {
			x.q.Kind = Minions
		}
		if x.q.Calls == nil {
			x.q.Calls = []Call{{Fun: "test.ping"}}
		}
		if x.q.Bound == (functions.Bound{}) {
			x.q.Bound = bound("test.ping", nil, nil)
		}
		v, err := c.Explain(x.q, nobody)
		place := ""
		if len(v.Calls) > 0 && len(v.Calls[0].Rules) > 0 {
			place = v.Calls[0].Rules[len(v.Calls[0].Rules)-1].Place
		}
		if err != nil || v.Allowed != x.want || !strings.Contains(v.Reason, x.words) || place != x.place {
			t.Errorf("%+v: %+v %v", x.q, v, err)
		}
	}
	broken := errors.New("no such target")
	if _, err := c.Explain(Question{User: "fred", Kind: Minions, Calls: []Call{{Fun: "test.ping"}}}, func() (Reach, error) { return Reach{}, broken }); !errors.Is(err, broken) {
		t.Errorf("a target that cannot be read: %v", err)
	}
}
