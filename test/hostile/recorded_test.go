package hostile

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// recordedFile has what Salt 3006.27 answered to the questions of this file: its answers, one a
// line, to the questions that [questions] asks in this order.
const recordedFile = "testdata/salt-answers.gz"

// question is one to Salt, and the answer of the model.
type question struct {
	ask   map[string]any
	model any // as JSON has it
}

// questions are about targets, about arguments, and about rules, as the calls of the property
// have them.
func questions(targetsN, bindsN, rulesN int) (out []question) {
	w := &world{rng: rand.New(rand.NewPCG(1, 0x73616c74)), place: plant(true), minions: map[string]*minion{}}
	w.place.walk(func(m *minion) {
		w.minions[m.id] = m
		w.ids = append(w.ids, m.id)
	})
	var minions []any
	for _, id := range w.ids {
		m := w.minions[id]
		minions = append(minions, map[string]any{"id": id, "grains": plainOf(m.grains), "pillar": plainOf(m.pillar)})
	}
	for len(out) < targetsN {
		by := rule{to: &audiences[w.rng.IntN(len(audiences))]}
		allowed, denied := w.split(by)
		x := targets{w.rng, allowed, denied[w.rng.IntN(len(denied))]}.hostile()
		tgt := textual(x.tgt)
		said := ""
		for _, id := range w.ids {
			if saltMatches(w.minions[id], tgt, x.kind, x.delimiter) {
				said += "1"
			} else {
				said += "0"
			}
		}
		out = append(out, question{map[string]any{"ask": "match", "minions": minions, "tgt": plainOf(tgt), "kind": x.kind, "delimiter": x.delimiter}, said})
	}
	for range bindsN {
		f := minionFuns[w.rng.IntN(len(minionFuns))]
		fun := nameFor(w.rng, f.fun)
		s := saltFunctions[fun]
		var a argRule
		if f.with != nil {
			a = f.with[w.rng.IntN(len(f.with))]
		}
		args, kwargs := w.disguised(s, a)
		if kwargs.Len() > 0 {
			kwargs.Set("__kwarg__", true)
			args = append(args, kwargs)
		}
		var model any
		if e, err := saltBinds(s, args); err == nil {
			model = map[string]any{"given": plainOf(e.given), "rest": plainOf(orNone(e.rest)), "free": plainOf(e.free)}
		}
		out = append(out, question{map[string]any{
			"ask": "bind", "args": plainOf(orNone(args)),
			"signature": map[string]any{"params": append([]string{}, s.params...), "required": s.required, "varargs": s.varargs, "varkw": s.varkw},
		}, model})
	}
	for range rulesN {
		out = append(out, w.ruleQuestion())
	}
	return out
}

// ruleQuestion asks whether a rule allows a call in plain form, with values that fit or do not.
// Salt's rules fit the beginning.
func (w *world) ruleQuestion() question {
	u := newUser(w.rng, "asked")
	by := u.rules[w.rng.IntN(len(u.rules))]
	f := by.funs[w.rng.IntN(len(by.funs))]
	fun := nameFor(w.rng, f.fun)
	by.funs = []funRule{f} // one that judges the same argument by name would be asked in Salt's way alone
	u.rules = []rule{by}
	var a argRule
	if f.with != nil {
		a = f.with[w.rng.IntN(len(f.with))]
	}
	e := execution{kind: by.kind, fun: fun, given: map[string]any{}, free: map[string]any{}, minion: w.ids[w.rng.IntN(len(w.ids))]}
	var args []any
	s := paramsOf(by.kind, fun)
	for i, x := range a.args {
		v := any("/tmp/source")
		if x != nil {
			v = sample(w.rng, *x, chance(w.rng, 80))
		}
		args = append(args, v)
		if i < len(s.params) {
			e.given[s.params[i]] = v
		} else {
			e.rest = append(e.rest, v)
		}
	}
	kwargs := wire.NewMap()
	for name, x := range a.kwargs {
		if v := sample(w.rng, x, chance(w.rng, 80)); chance(w.rng, 90) {
			kwargs.Set(name, v)
			e.given[name] = v
		}
	}
	ask := map[string]any{"ask": "allow", "rules": plainOf(u.salt()), "fun": fun, "tgt": []any{e.minion}}
	ask["form"] = map[kind]string{minionRules: "minions", runnerRules: "runner", wheelRules: "wheel"}[by.kind]
	ask["args"], ask["kwargs"] = plainOf(orNone(args)), plainOf(kwargs)
	if by.kind == minionRules {
		kwargs = kwargs.Clone()
		kwargs.Set("__kwarg__", true)
		ask["args"] = plainOf(append(args, kwargs))
		for _, r := range u.rules { // a master without grains allows nothing by them
			if r.to != nil && r.to.data {
				return w.ruleQuestion()
			}
		}
	}
	start := w.start
	w.start = true
	defer func() { w.start = start }()
	return question{ask, w.permits(u, e) == nil}
}

// plainOf is a value as encoding/json writes it.
func plainOf(v any) any {
	var out any
	if err := json.Unmarshal([]byte(jsonOf(v)), &out); err != nil {
		panic(err)
	}
	return out
}

const (
	recordedTargets = 6000
	recordedBinds   = 6000
	recordedRules   = 3000
)

// The model of Salt's minion and of its rules answers as Salt did.
func TestModelIsSalts(t *testing.T) {
	f, err := os.Open(recordedFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	said := map[string]map[string]int{}
	for i, q := range questions(recordedTargets, recordedBinds, recordedRules) {
		if !lines.Scan() {
			t.Fatalf("there are %d answers; record them anew", i)
		}
		kind := q.ask["ask"].(string)
		if said[kind] == nil {
			said[kind] = map[string]int{}
		}
		said[kind][lines.Text()]++
		if want, got := canonical(t, lines.Bytes()), canonicalOf(t, q.model); got != want {
			t.Errorf("%s: the model says %s, Salt said %s", canonicalOf(t, withoutMinions(q.ask)), got, want)
		}
	}
	for kind, answers := range said {
		if len(answers) < 2 {
			t.Errorf("all answers about %s are the same: %v", kind, answers)
		}
	}
}

func withoutMinions(ask map[string]any) map[string]any {
	delete(ask, "minions")
	return ask
}

func canonical(t *testing.T, b []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return canonicalOf(t, v)
}

func canonicalOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
