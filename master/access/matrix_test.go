package access

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/topology"
)

// salt holds the answers of a flat Salt master (testdata/salt.json names the functions).
type salt struct {
	Minions []struct {
		ID, Place      string
		Grains, Pillar map[string]any
	}
	Nodegroups map[string]any
	Targets    []struct {
		Kind, Tgt string
		Minions   []string
	}
	Rules          map[string][]any
	Calls          map[string]struct{ Fun, Arg any }
	Publish, Alone map[string]map[string]string // by rules and call
	Special        struct {
		Rules map[string][]any
		Calls []struct {
			Fun    string
			Args   []any
			Kwargs map[string]any
		}
		Runner, Wheel map[string]string
	}
	Users struct {
		Provider map[string]any
		Cases    []struct {
			User              string
			Groups            []string
			Rules, Permissive []any
		}
	}
	ACL struct {
		PublisherACL map[string]any `json:"publisher_acl"`
		Cases        []struct {
			User  string
			Rules []any
		}
	}
}

func readSalt(t *testing.T) (s salt) {
	t.Helper()
	b, err := os.ReadFile("testdata/salt.json")
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// person is a minion with its data.
type person struct {
	id             string
	grains, pillar any
}

func (p person) ID() string  { return p.id }
func (p person) Grains() any { return p.grains }
func (p person) Pillar() any { return p.pillar }

// places are the tiers of the matrix: a master, a node below it, and one below that.
var places = []string{"", "syndic-a", "syndic-a/syndic-b"}

// below returns the reports of the nodes directly below a place.
func (s *salt) below(place string) []topology.Node {
	i := slices.Index(places, place)
	if i+1 == len(places) {
		return nil
	}
	path := places[i+1]
	n := topology.Node{ID: path[strings.LastIndex(path, "/")+1:], Version: "1", Nodes: s.below(path)}
	for _, m := range s.Minions {
		if m.Place == path {
			n.Minions = append(n.Minions, topology.Minion{ID: m.ID})
		}
	}
	return []topology.Node{n}
}

// reach returns what a target matches at a place.
func (s *salt) reach(expr target.Expr, place string) Reach {
	known := map[string]target.Subject{}
	nodes := s.below(place)
	r := Reach{Target: expr, Subject: func(id string) target.Subject { return known[id] }, Nodes: func() []topology.Node { return nodes }}
	for _, m := range s.Minions {
		known[m.ID] = person{m.ID, m.Grains, m.Pillar}
		if m.Place == place && expr.Certain(known[m.ID]) != target.No {
			r.Minions = append(r.Minions, m.ID)
		}
	}
	return r
}

// tree publishes a job: each place judges it by its own knowledge and passes it on. ran lists the
// minions that run it; refused reports whether a place with matching minions refused it.
func tree(l []*List, rules []any, calls []Call, at []Reach) (ran []string, refused bool) {
	for i := range places {
		r := at[i]
		if l[i].Judge(rules, calls, r).Allowed {
			ran = append(ran, r.Minions...)
			continue
		}
		meant := 0
		for _, below := range at[i:] {
			meant += len(below.Minions)
		}
		return ran, i == 0 || meant > 0
	}
	return ran, false
}

// singles are the calls that others are composed of. Salt allows a composed call if it allows one
// of them; here each must be allowed.
var singles = map[string][]string{
	"two": {"ping", "other"}, "both tests": {"ping", "echo"}, "find_job and more": {"find_job", "other"},
}

// stricter lists the answers that differ on purpose in addition to those of [singles], by rules and
// call; "" stands for all calls.
var stricter = map[[2]string]string{
	{"broken", ""}:     "a target that cannot be read means nobody to Salt, so that a rule with it allows what means nobody either",
	{"runner map", ""}: "rules for runners are none for minions, also where a target means nobody",
}

// whole lists those that differ because an expression must match a whole name.
var whole = map[[2]string]string{
	{"one function", "longer"}:        "test.ping is not test.ping_all",
	{"two", "longer"}:                 "test.ping is not test.ping_all",
	{"two targets", "longer"}:         "test.ping is not test.ping_all",
	{"one text", "longer"}:            "test.ping is not test.ping_all",
	{"targeted and not", "longer"}:    "test.ping is not test.ping_all",
	{"beginning", "ping"}:             "test.p is not test.ping",
	{"beginning", "longer"}:           "test.p is not test.ping_all",
	{"arguments", "uptime elsewhere"}: "/tmp is not /tmp/x",
}

// The tree answers as a flat Salt master would, wherever the minions are, for each kind of target
// and rule and each call. Where it differs it is stricter, for the reasons in the tables above. No
// minion ever runs what Salt would not allow the user to run on it alone.
func TestMatrix(t *testing.T) {
	s := readSalt(t)
	at := make([][]Reach, len(s.Targets)) // by target and place
	for i, tgt := range s.Targets {
		for _, place := range places {
			at[i] = append(at[i], s.reach(s.expr(t, tgt.Kind, tgt.Tgt), place))
		}
	}
	for _, start := range []bool{true, false} {
		top := New(Options{Log: quiet, Nodegroups: s.Nodegroups, Start: start})
		node := New(Options{Log: quiet, Start: start}) // it has no node groups
		lists, used := []*List{top, node, node}, map[[2]string]bool{}
		for _, name := range slices.Sorted(maps.Keys(s.Rules)) {
			rules := prepare(s.Rules[name], top.reader(), quiet)
			for _, call := range slices.Sorted(maps.Keys(s.Calls)) {
				x := s.Calls[call]
				calls := callsOf(t, x.Fun, x.Arg)
				for i, tgt := range s.Targets {
					where := name + ", " + call + ", " + tgt.Kind + " " + tgt.Tgt
					ran, refused := tree(lists, rules, calls, at[i])
					want := s.Publish[name][call][i] == '1'
					for _, one := range singles[call] {
						want = want && s.Publish[name][one][i] == '1'
					}
					if got := !refused; got != want {
						key, excused := [2]string{name, call}, false
						for _, k := range [][2]string{key, {name, ""}} {
							_, a := stricter[k]
							_, b := whole[k]
							if a || b && !start {
								used[k], excused = true, true
							}
						}
						for _, one := range singles[call] {
							if _, b := whole[[2]string{name, one}]; b && !start {
								excused = true
							}
						}
						if got || !excused {
							t.Errorf("%s: %v, Salt %v", where, got, want)
						}
					}
					if !refused && !subset(tgt.Minions, ran) {
						t.Errorf("%s: %v run it, want %v", where, ran, tgt.Minions)
					}
					one := singles[call]
					if one == nil {
						one = []string{call}
					}
					for _, c := range one {
						if !subset(ran, strings.Fields(s.Alone[name][c])) {
							t.Errorf("%s: %v run it, and Salt allows it on %s", where, ran, s.Alone[name][c])
						}
					}
				}
			}
		}
		for k, why := range whole {
			if !start && !used[k] {
				t.Errorf("%v: nothing differs, although %s", k, why)
			}
		}
		for k, why := range stricter {
			if !used[k] {
				t.Errorf("%v: nothing differs, although %s", k, why)
			}
		}
	}
}

func subset(of, all []string) bool {
	return !slices.ContainsFunc(of, func(id string) bool { return !slices.Contains(all, id) })
}

// expr parses a target as the master does where the job starts.
func (s *salt) expr(t *testing.T, kind, tgt string) target.Expr {
	t.Helper()
	to, kind, err := target.ExpandTarget(tgt, kind, s.Nodegroups)
	if err != nil {
		t.Fatal(err)
	}
	expr, err := target.Parse(to, kind, target.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return expr
}

// callsOf converts the calls of a JSON load through the wire format.
func callsOf(t *testing.T, fun, arg any) []Call {
	t.Helper()
	var p wire.PublishLoad
	for to, v := range map[*wire.Raw]any{&p.Fun: fun, &p.Arg: arg} {
		b, err := wire.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		*to = b
	}
	calls, err := Calls(p)
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

// wholeSpecial lists the answers about runners and wheel functions that differ because an
// expression must match a whole name.
var wholeSpecial = map[[2]string]string{
	{"runner beginning", "jobs.list_jobs"}:  "jobs is not jobs.list_jobs",
	{"runner beginning", "jobs.lookup_jid"}: "jobs is not jobs.lookup_jid",
	{"runner functions", "manage.upgrade"}:  "manage.up is not manage.upgrade",
	{"runners functions", "manage.upgrade"}: "manage.up is not manage.upgrade",
	{"runner arguments", "manage.upgrade"}:  "manage.up is not manage.upgrade",
	{"one text", "manage.upgrade"}:          "manage.up is not manage.upgrade",
}

func TestMatrixOfRunnersAndWheels(t *testing.T) {
	s := readSalt(t)
	for _, start := range []bool{true, false} {
		l, used := New(Options{Log: quiet, Start: start}), map[[2]string]bool{}
		for name, rules := range s.Special.Rules {
			for i, c := range s.Special.Calls {
				kwargs := wire.NewMap()
				for k, v := range c.Kwargs {
					kwargs.Set(k, v)
				}
				for form, x := range map[string]struct {
					judge   func([]any, functions.Bound) verdict.Verdict
					answers map[string]string
				}{"runner": {l.JudgeRunner, s.Special.Runner}, "wheel": {l.JudgeWheel, s.Special.Wheel}} {
					got, want := x.judge(rules, bound(c.Fun, c.Args, kwargs)).Allowed, x.answers[name][i] == '1'
					key := [2]string{name, c.Fun}
					_, excused := wholeSpecial[key]
					if got == want {
						continue
					}
					if used[key] = true; start || !excused || got {
						t.Errorf("%s %s%v%v by %s: %v, Salt %v", form, c.Fun, c.Args, c.Kwargs, name, got, want)
					}
				}
			}
		}
		for k, why := range wholeSpecial {
			if !start && !used[k] {
				t.Errorf("%v: nothing differs, although %s", k, why)
			}
		}
	}
}

// A user has the same rules with every way of authentication, so the matrix holds for all.
func TestDoors(t *testing.T) {
	s := readSalt(t)
	for name, rules := range s.Rules {
		l := New(Options{ACL: map[string]any{"fred": rules}, Nodegroups: s.Nodegroups, Log: quiet})
		e := NewExternal(ExternalOptions{
			Auth: map[string]any{"pam": map[string]any{"fred": rules, "ops%": rules}}, KeepACL: true, Nodegroups: s.Nodegroups, Log: quiet,
		})
		key, _ := l.Rules(Sender{Owner: "fred", Own: "root", Name: "fred", Extra: wire.NewMap()})
		login := e.Rules("pam", "fred", nil)
		for door, got := range map[string][]any{
			"login": login, "group": e.Rules("pam", "eve", []string{"ops"}), "token": e.TokenRules(nil, "pam", "fred", nil),
			"token that keeps its rules": e.TokenRules(login, "pam", "fred", nil),
		} {
			if !reflect.DeepEqual(got, key) || len(got) != len(rules) {
				t.Errorf("%s: by %s %v, by the key %v", name, door, got, key)
			}
		}
	}
}

// The rules of a user of a login service are those of Salt, except for the table.
func TestMatrixOfUsers(t *testing.T) {
	s := readSalt(t)
	differs := map[string]struct {
		rules, permissive string
		why               string
	}{
		"web_1":  {"p", "e p", "an entry may be a pattern, which Salt compares the wrong way round"},
		"*":      {"e", "e", "a name is no pattern: in Salt who is called * has the rules of all"},
		"f*":     {"e", "e", "a name is no pattern"},
		"^model": {"e", "e", "options of a section are no users"},
		"":       {"", "", "nobody has no rules"},
	}
	for i, c := range s.Users.Cases {
		for _, permissive := range []bool{false, true} {
			e := NewExternal(ExternalOptions{Auth: map[string]any{"pam": s.Users.Provider}, Permissive: permissive, Log: quiet})
			want := c.Rules
			if permissive {
				// In Salt the option removes the rules of * from everybody, against its meaning.
				want = append(slices.Clone(s.Users.Cases[i].Permissive), "e")
			}
			text := sorted(want)
			if d, ok := differs[c.User]; ok {
				if text = d.rules; permissive {
					text = d.permissive
				}
			}
			if got := sorted(e.Rules("pam", c.User, c.Groups)); got != text {
				t.Errorf("%q in %v, permissive %v: %s, want %s", c.User, c.Groups, permissive, got, text)
			}
			if e.Rules("ldap", c.User, c.Groups) != nil {
				t.Errorf("%q has rules of a service that is not there", c.User)
			}
		}
	}
	for _, c := range s.ACL.Cases {
		l := New(Options{ACL: s.ACL.PublisherACL, Log: quiet})
		want := sorted(c.Rules)
		if c.User == "annx" { // the expression must match the whole name in each of its parts
			want = ""
		}
		if got := sorted(l.rulesOf(c.User)); got != want {
			t.Errorf("publisher_acl: %q: %s, want %s", c.User, got, want)
		}
	}
}

func sorted(rules []any) string {
	texts := wire.Texts(rules)
	slices.Sort(texts)
	return strings.Join(texts, " ")
}

// The top lacks knowledge: a node that does not report its minions gets only what is within the
// rules by its form, wherever it is.
func TestBlindNodes(t *testing.T) {
	rules := []any{map[string]any{"web*": []any{"test.*"}}, map[string]any{"G@role:web": []any{"cmd.run"}}}
	l := New(Options{Log: quiet})
	python := topology.Node{ID: "syndic-p"}
	deep := topology.Node{ID: "syndic-a", Version: "1", Nodes: []topology.Node{python}}
	beside := topology.Node{ID: "syndic-f", Version: "1", Blind: true}
	for _, c := range []struct {
		tgt  string
		fun  string
		want bool
	}{
		{"web*", "test.ping", true},
		{"web1", "test.ping", true},
		{"web1*", "test.ping", true},
		{"web* and G@os:Debian", "test.ping", true},
		{"L@web1,web2", "test.ping", true},
		{"L@web1,db1", "test.ping", false},
		{"*", "test.ping", false},
		{"db1", "test.ping", false},
		{"G@os:Debian", "test.ping", false},
		{"web* or G@os:Debian", "test.ping", false},
		{"G@role:web", "cmd.run", true},
		{"G@role:web and db*", "cmd.run", true},
		{"web*", "cmd.run", false},
	} {
		expr, err := target.Parse(c.tgt, "compound", target.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []topology.Node{python, deep, beside} {
			a := ownership.Audience{Expr: expr}
			a.Nodes = append(a.Nodes, engine.Node{ID: n.ID})
			r := reachOf(a, nil, func(string) (topology.Node, bool) { return n, true })
			if got := l.Judge(rules, []Call{{Fun: c.fun}}, r); got.Allowed != c.want {
				t.Errorf("%s on %q through %s: %+v", c.fun, c.tgt, n.ID, got)
			}
			if !l.Judge([]any{c.fun}, []Call{{Fun: c.fun}}, r).Allowed {
				t.Errorf("%s on %q through %s: a rule for all minions needs no proof", c.fun, c.tgt, n.ID)
			}
		}
	}
}

// A minion of unknown grains may match anything: Salt counts it as matched by the rule as well as
// by the target.
func TestUnknownMinions(t *testing.T) {
	expr, err := target.Parse("os:Debian", "grain", target.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rules := []any{map[string]any{"G@os:Debian": []any{"test.*"}}}
	r := here("new")
	r.Target = expr
	v := New(Options{Log: quiet}).Judge(rules, []Call{{Fun: "test.ping"}}, r)
	if v.Allowed || !slices.Equal(v.Calls[0].Rules[0].Tiers[0].Outside, []string{"new"}) {
		t.Errorf("%+v", v)
	}
}
