package hostile

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
)

// usersPerWorld is how many users of external_auth a tree has.
const usersPerWorld = 24

// userName names a user. One of them is called as the administrator of the machine is.
func userName(i int) string {
	if i == 0 {
		return "root"
	}
	return fmt.Sprintf("user%d", i)
}

// tokenOf is the token of a user, in the form of the product's.
func tokenOf(name string) string {
	return hex.EncodeToString([]byte(name)) + strings.Repeat("0", 64-2*len(name))
}

func userOfToken(token string) (name string, ok bool) {
	b, err := hex.DecodeString(token)
	if err != nil {
		return "", false
	}
	name = strings.TrimRight(string(b), "\x00")
	return name, name != ""
}

// user is one of external_auth, or a minion that the options peer and peer_run mean.
type user struct {
	name  string
	rules []rule
}

// operator is the master's own user, as which reactions and the schedule start jobs: held to the
// blacklist alone.
var operator = &user{name: own}

// kind is what a rule is for.
type kind int

const (
	minionRules kind = iota
	runnerRules
	wheelRules
)

// rule is one entry of a user, in a form of our own. [rule.salt] is what an operator writes.
type rule struct {
	kind kind
	to   *audience // nil: all minions
	funs []funRule
}

// funRule allows functions: with any arguments, or with those of one entry.
type funRule struct {
	fun  string
	with []argRule // nil: any
}

// argRule are expressions, nil for anything.
type argRule struct {
	args   []*string
	kwargs map[string]string
}

// audience is the target of a rule, and what it means.
type audience struct {
	text  string
	means func(m *minion) bool
	data  bool // it looks at grains: a master that does not know them refuses
}

func grain(m *minion, name string) string { return m.grains.String(name) }

// audiences are targets that have one meaning: how targets are read is what calls try.
var audiences = []audience{
	{"web*", func(m *minion) bool { return strings.HasPrefix(m.id, "web") }, false},
	{"web1", func(m *minion) bool { return m.id == "web1" }, false},
	{"web[12]", func(m *minion) bool { return m.id == "web1" || m.id == "web2" }, false},
	{"L@web1,web3,app1", func(m *minion) bool { return m.id == "web1" || m.id == "web3" || m.id == "app1" }, false},
	{`E@web\d`, func(m *minion) bool { return strings.HasPrefix(m.id, "web") }, false},
	{"G@role:web", func(m *minion) bool { return grain(m, "role") == "web" }, true},
	{"G@os:Debian", func(m *minion) bool { return grain(m, "os") == "Debian" }, true},
	{"web* and not web2", func(m *minion) bool { return strings.HasPrefix(m.id, "web") && m.id != "web2" }, false},
	{"app1 or G@os:RedHat", func(m *minion) bool { return m.id == "app1" || grain(m, "os") == "RedHat" }, true},
}

func text(s string) *string { return &s }

// minionFuns are what rules say of functions of minions.
var minionFuns = []funRule{
	{fun: "test.ping"},
	{fun: `test\..*`},
	{fun: "cmd.run"},
	{fun: "grains.*"},
	{fun: "cmd.run", with: []argRule{{args: []*string{text("echo.*")}}}},
	{fun: "cmd.run", with: []argRule{{args: []*string{text("uptime")}, kwargs: map[string]string{"runas": "nobody"}}}},
	{fun: "cmd.run", with: []argRule{{kwargs: map[string]string{"runas": "nobody"}}}},
	{fun: "cmd.run", with: []argRule{{args: []*string{text("id"), text("/tmp")}}, {args: []*string{text("date")}}}},
	{fun: "file.copy", with: []argRule{{args: []*string{nil, text("/tmp/.*")}}}},
	{fun: "test.arg", with: []argRule{{args: []*string{nil, text("b")}}}},
	{fun: "file.copy", with: []argRule{{kwargs: map[string]string{"dst": "/tmp/.*"}}}},
	{fun: "state.apply", with: []argRule{{args: []*string{text("nginx")}}}},
	{fun: "state.apply", with: []argRule{{args: []*string{text("nginx")}, kwargs: map[string]string{"test": "True"}}}},
	{fun: "grains.setval", with: []argRule{{args: []*string{text("role"), text("web|app")}}}},
	{fun: "test.arg", with: []argRule{{args: []*string{text("a"), text("b")}}}},
	{fun: "test.arg", with: []argRule{{args: []*string{text("1")}, kwargs: map[string]string{"k": "v"}}}},
}

// masterFuns are the same of runners and wheel functions, by [deploys].
var masterFuns = []funRule{
	{fun: "deploy.status"},
	{fun: "deploy.run", with: []argRule{{args: []*string{text("web.*")}}}},
	{fun: "deploy.run", with: []argRule{{kwargs: map[string]string{"name": "web.*"}}}},
	{fun: "deploy.run", with: []argRule{{args: []*string{text("web1")}, kwargs: map[string]string{"env": "test"}}}},
	{fun: "deploy.many", with: []argRule{{args: []*string{text("web1"), text("web2")}}}},
	{fun: "deploy.free", with: []argRule{{args: []*string{text("web1")}, kwargs: map[string]string{"level": "[1-3]"}}}},
}

// newUser draws the rules of a user.
func newUser(r *rand.Rand, name string) *user {
	u := &user{name: name}
	for range 1 + r.IntN(3) {
		one := rule{kind: minionRules}
		switch n := r.IntN(20); {
		case n < 11:
			one.to = &audiences[r.IntN(len(audiences))]
		case n < 14: // for all minions
		case n < 17:
			one.kind = runnerRules
		default:
			one.kind = wheelRules
		}
		of := minionFuns
		if one.kind != minionRules {
			of = masterFuns
		}
		for range 1 + r.IntN(2) {
			one.funs = append(one.funs, of[r.IntN(len(of))])
		}
		if one.to == nil && one.kind == minionRules { // else most users may do most
			one.funs = one.funs[:1]
		}
		u.rules = append(u.rules, one)
	}
	return u
}

// salt are the rules as the configuration has them.
func (u *user) salt() []any {
	out := []any{}
	for _, r := range u.rules {
		out = append(out, r.salt()...)
	}
	return out
}

// saltOf are those of one kind, as the options peer and peer_run have them.
func (u *user) saltOf(k kind) []any {
	out := []any{}
	for _, r := range u.rules {
		switch {
		case r.kind != k:
		case k == minionRules:
			out = append(out, r.salt()...)
		default:
			for _, f := range r.funs {
				out = append(out, f.salt())
			}
		}
	}
	return out
}

func (r rule) salt() []any {
	funs := []any{}
	for _, f := range r.funs {
		funs = append(funs, f.salt())
	}
	switch {
	case r.kind == runnerRules:
		return []any{map[string]any{"@runner": funs}}
	case r.kind == wheelRules:
		return []any{map[string]any{"@wheel": funs}}
	case r.to != nil:
		return []any{map[string]any{r.to.text: funs}}
	case r.funs[0].with == nil:
		return funs
	}
	return []any{map[string]any{"*": funs}} // only functions alone go without a target
}

func (f funRule) salt() any {
	if f.with == nil {
		return f.fun
	}
	entries := []any{}
	for _, a := range f.with {
		m := map[string]any{}
		if a.args != nil {
			list := []any{}
			for _, x := range a.args {
				if x == nil {
					list = append(list, nil)
				} else {
					list = append(list, *x)
				}
			}
			m["args"] = list
		}
		if a.kwargs != nil {
			named := map[string]any{}
			for k, v := range a.kwargs {
				named[k] = v
			}
			m["kwargs"] = named
		}
		entries = append(entries, m)
	}
	return map[string]any{f.fun: entries}
}
