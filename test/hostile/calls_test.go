package hostile

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
)

// call is what a user tries.
type call struct {
	by       *user
	kind     kind
	entrance string
	fun      any // a text, or a list of them
	args     []any
	kwargs   *wire.Map // of runners and wheel functions, beside args
	target   targeting
	extra    *wire.Map // returners, executors and the like
	// honest means that the call is within the rules and in plain form: it has to run, on
	// these minions.
	honest bool
	on     []string
	// sent is what went in, for whoever reads a failure.
	sent string
}

// samples are values for the expressions of rules: those that fit, and those that do not.
var samples = map[string][2][]any{
	"echo.*":  {{"echo", "echo hi", "echo=1"}, {"id", "rm -r /"}},
	"uptime":  {{"uptime"}, {"id", "uptime;id", "uptime\n"}},
	"id":      {{"id"}, {"reboot", "id\n"}},
	"date":    {{"date"}, {"reboot"}},
	"nobody":  {{"nobody"}, {"root", nil, ""}},
	"/tmp":    {{"/tmp"}, {"/", nil}},
	"/tmp/.*": {{"/tmp/a", "/tmp/b"}, {"/var/x", "/etc/passwd"}},
	"nginx":   {{"nginx", "nginx"}, {"secret", []any{"nginx", "secret"}}},
	"True":    {{true, "True"}, {false, nil, int64(1)}},
	"role":    {{"role"}, {"os", "role\n"}},
	"web|app": {{"web", "app"}, {"db", "webx"}},
	"a":       {{"a"}, {"z", []any{"a"}}},
	"b":       {{"b"}, {"y"}},
	"1":       {{"1", int64(1)}, {int64(2), true, 1.5}},
	"v":       {{"v"}, {"w"}},
	"web.*":   {{"web1", "web2"}, {"db1", "*"}},
	"web1":    {{"web1"}, {"db1", []any{"web1", "db1"}}},
	"web2":    {{"web2"}, {"db2"}},
	"test":    {{"test"}, {"prod"}},
	"[1-3]":   {{int64(1), "2"}, {int64(9), nil}},
}

func sample(r *rand.Rand, expression string, good bool) any {
	of := samples[expression][1]
	if good {
		of = samples[expression][0]
	}
	return of[r.IntN(len(of))]
}

// newCall draws a call of a user: one that a rule allows, or one that begins like that.
func (w *world) newCall(u *user) call {
	r := w.rng
	by := u.rules[r.IntN(len(u.rules))]
	f := by.funs[r.IntN(len(by.funs))]
	for range 3 { // rules about arguments are what most disguises are for
		if f.with != nil || chance(r, 25) {
			break
		}
		by = u.rules[r.IntN(len(u.rules))]
		f = by.funs[r.IntN(len(by.funs))]
	}
	c := call{by: u, kind: by.kind, extra: wire.NewMap()}
	var a argRule
	if f.with != nil {
		a = f.with[r.IntN(len(f.with))]
	}
	fun := nameFor(r, f.fun)
	c.fun = fun
	params := paramsOf(by.kind, fun)
	c.honest = chance(r, 30) && (by.to == nil || !by.to.data)
	// What is disguised: the arguments, the target, or both.
	args, aim := chance(r, 55), chance(r, 55)
	if by.to == nil || by.kind != minionRules {
		args = true
	}
	if c.honest || !args {
		c.args, c.kwargs = w.plain(params, a)
	} else if chance(r, 70) {
		c.args, c.kwargs = w.decoy(params, a)
	} else {
		c.args, c.kwargs = w.disguised(params, a)
	}
	if by.kind != minionRules {
		return c
	}
	if c.kwargs.Len() > 0 {
		kw := c.kwargs.Clone()
		kw.Set("__kwarg__", true)
		c.args = append(c.args, kw)
	}
	c.kwargs = nil
	allowed, denied := w.split(by)
	if c.honest || !aim {
		n := 1 + r.IntN(len(allowed))
		r.Shuffle(len(allowed), func(i, j int) { allowed[i], allowed[j] = allowed[j], allowed[i] })
		c.on = slices.Sorted(slices.Values(allowed[:n]))
		c.target = honestTarget(r, c.on)
	} else {
		no := "db1"
		if len(denied) > 0 {
			no = denied[r.IntN(len(denied))]
		}
		c.target = targets{r, allowed, no}.hostile()
	}
	if !c.honest && (args || chance(r, 20)) {
		w.disguiseJob(&c)
	}
	return c
}

// split parts the minions into those that a rule means and the others.
func (w *world) split(r rule) (allowed, denied []string) {
	for _, id := range w.ids {
		if r.to == nil || r.to.means(w.minions[id]) {
			allowed = append(allowed, id)
		} else {
			denied = append(denied, id)
		}
	}
	return allowed, denied
}

// nameFor is a function that an expression fits.
func nameFor(r *rand.Rand, expression string) string {
	switch expression {
	case `test\..*`:
		return pick(r, "test.ping", "test.arg", "test.echo")
	case "grains.*":
		return pick(r, "grains.items", "grains.setval")
	}
	return expression
}

// paramsOf are the parameters of a function of one kind.
func paramsOf(k kind, fun string) signature {
	if k == minionRules {
		return saltFunctions[fun]
	}
	return deploys[fun]
}

// plain writes arguments that fit a rule as one would: by position, and by keyword behind.
func (w *world) plain(s signature, a argRule) (args []any, kwargs *wire.Map) {
	kwargs = wire.NewMap()
	for _, x := range a.args {
		if x != nil {
			args = append(args, plainly(sample(w.rng, *x, true)))
		} else {
			args = append(args, "/tmp/source") // anything
		}
	}
	for name, x := range a.kwargs {
		kwargs.Set(name, plainly(sample(w.rng, x, true)))
	}
	for i, p := range s.params[:s.required] {
		if i >= len(args) && !kwargs.Has(p) {
			kwargs.Set(p, "word")
		}
	}
	return args, kwargs
}

// plainly has no text that somebody may take for a keyword.
func plainly(v any) any {
	if s, ok := v.(string); ok && strings.Contains(s, "=") {
		return "echo"
	}
	return v
}

// marks are values of __kwarg__: one is true, others are taken for it by some.
var marks = []any{true, true, true, false, int64(0), int64(1), "x", "", nil, "True", []any{}, 1.0}

// decoy writes what a rule wants in plain form, and one argument more, or in another form, by
// which a binder may do something else.
func (w *world) decoy(s signature, a argRule) (args []any, kwargs *wire.Map) {
	r := w.rng
	args, kwargs = w.plain(s, a)
	bad := func(i int) any {
		if i >= 0 && i < len(a.args) && a.args[i] != nil {
			return sample(r, *a.args[i], false)
		}
		return pick[any](r, "root", "/etc/shadow", "secret", "db1", "id")
	}
	switch r.IntN(5) {
	case 0: // the judged parameter once more, by its name
		if p := names(s, a); len(p) > 0 {
			i := r.IntN(len(p))
			return w.named(args, kwargs, p[i], bad(slices.Index(s.params, p[i]))), kwargs
		}
	case 1: // a mapping without keywords takes a place, for some
		at := r.IntN(len(args) + 1)
		if chance(r, 60) {
			at = 0 // what stands behind is judged one place further than it runs
		}
		args = slices.Insert(args, at, any(wire.NewMap("__kwarg__", pick(r, marks...))))
		if n := len(args); n > 1 && chance(r, 60) {
			args[n-1] = bad(len(a.args) - 1)
		}
		if n := len(a.args); at == 0 && n > 1 && a.args[n-1] != nil && chance(r, 60) {
			// What the rule wants stands where it is judged, and runs one place before.
			args = slices.Concat(args[:n-1], []any{sample(r, *a.args[n-1], true), bad(n - 1)})
		}
	case 2: // invalid keywords, for some
		m := kwargs.Clone()
		m.Set("__kwarg__", pick(r, marks...))
		args, kwargs = append(args, m), wire.NewMap()
		if len(args) == 1 {
			args = slices.Insert(args, 0, any("id"))
		}
	case 3: // a text that is a keyword, for some
		if len(args) > 0 {
			args[0] = show(args[0]) + pick(r, "=1", "=", "= x", "=\n")
			args = append(args, bad(0))
		}
	case 4:
		args = append(args, bad(len(args)))
	}
	return args, kwargs
}

// disguised mixes what a rule wants with what it does not, in all forms that an argument has.
func (w *world) disguised(s signature, a argRule) (args []any, kwargs *wire.Map) {
	r := w.rng
	kwargs = wire.NewMap()
	good := func() bool { return chance(r, 65) }
	if chance(r, 25) {
		args = append(args, wire.NewMap("__kwarg__", pick(r, marks...)))
	}
	for i, x := range a.args {
		v := any("/tmp/source")
		if x != nil {
			v = sample(r, *x, good())
		} else if chance(r, 30) {
			v = nil
		}
		args = w.entry(args, kwargs, s, i, v)
	}
	for name, x := range a.kwargs {
		at := slices.Index(s.params, name)
		args = w.named(args, kwargs, name, sample(r, x, good()))
		if at >= 0 && chance(r, 50) { // and by its position
			for len(args) < at && len(args) < len(s.params) {
				args = append(args, pick[any](r, "id", nil, "/tmp/c"))
			}
			args = append(args, sample(r, x, good()))
		}
	}
	for range r.IntN(3) {
		switch r.IntN(5) {
		case 0:
			args = append(args, pick[any](r, "id", "x=1", "echo=1", "/var/y", nil, int64(3), "__kwarg__=True", "-x", "a==b"))
		case 1:
			args = slices.Insert(args, r.IntN(len(args)+1), any(wire.NewMap("__kwarg__", pick(r, marks...))))
		case 2: // one of the judged parameters once more
			if p := names(s, a); len(p) > 0 {
				name := p[r.IntN(len(p))]
				args = w.named(args, kwargs, name, pick[any](r, "root", "/etc/shadow", "secret", "db1", false, "id", nil))
			}
		case 3:
			if len(args) > 1 {
				i, j := r.IntN(len(args)), r.IntN(len(args))
				args[i], args[j] = args[j], args[i]
			}
		case 4:
			args = append(args, wire.NewMap("runas", "nobody", "mods", "nginx", "k", "v"))
		}
	}
	return args, kwargs
}

// names are the parameters that a rule speaks of.
func names(s signature, a argRule) (out []string) {
	for i := range a.args {
		if i < len(s.params) {
			out = append(out, s.params[i])
		}
	}
	for name := range a.kwargs {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// entry adds an argument that a rule judges by position.
func (w *world) entry(args []any, kwargs *wire.Map, s signature, i int, v any) []any {
	if i < len(s.params) && chance(w.rng, 15) {
		return w.named(args, kwargs, s.params[i], v)
	}
	if t, ok := v.(string); ok && chance(w.rng, 8) {
		v = t + pick(w.rng, "=1", "=", "==1", "=\n")
	}
	return append(args, v)
}

// named adds a keyword in one of its forms.
func (w *world) named(args []any, kwargs *wire.Map, name string, v any) []any {
	switch w.rng.IntN(5) {
	case 0:
		return append(args, name+"="+show(v))
	case 1:
		m := wire.NewMap(name, v, "__kwarg__", pick(w.rng, marks...))
		return slices.Insert(args, w.rng.IntN(len(args)+1), any(m))
	case 2:
		return append(args, wire.NewMap(name, v, "__kwarg__", pick(w.rng, marks...)))
	}
	kwargs.Set(name, v)
	return args
}

// disguiseJob changes the form of a job: several functions, returners, executors.
func (w *world) disguiseJob(c *call) {
	r := w.rng
	if chance(r, 20) {
		funs, lists := []any{c.fun}, []any{c.args}
		for range 1 + r.IntN(2) {
			funs = append(funs, pick[any](r, "test.ping", "cmd.run", "saltutil.find_job", "grains.items", "state.apply"))
			lists = append(lists, pick[any](r, []any{}, []any{"id"}, "id", c.args, wire.NewMap("__kwarg__", true), nil))
		}
		if chance(r, 40) {
			funs[0], funs[1] = funs[1], funs[0]
		}
		if chance(r, 20) {
			lists = lists[:len(lists)-1]
		}
		c.fun, c.args = funs, lists
	} else if chance(r, 8) {
		c.fun = pick[any](r, []any{c.fun}, "cmd.run", "test.ping,cmd.run", "saltutil.find_job", c.fun.(string)+"\n", " "+c.fun.(string), strings.ToUpper(c.fun.(string)))
	}
	if chance(r, 12) {
		c.extra.Set("ret", pick(r, "rawfile_json", "mysql,redis", "x"))
		if chance(r, 60) {
			c.extra.Set("ret_kwargs", wire.NewMap("filename", "/etc/cron.d/x"))
		}
		if chance(r, 30) {
			c.extra.Set("ret_config", "other")
		}
	}
	if chance(r, 8) {
		c.extra.Set("module_executors", pick[any](r, []any{"sudo"}, "sudo", []any{"direct_call"}))
		c.extra.Set("executor_opts", wire.NewMap("sudo_user", "root"))
	}
	if chance(r, 5) {
		c.extra.Set(pick(r, "auth_list", "user", "id", "master_id", "queue_until"), pick[any](r, []any{}, "root", int64(1), []any{".*"}))
	}
}

// draw is the call of a seed.
func (w *world) draw(seed uint64) call {
	w.rng = rand.New(rand.NewPCG(seed, 0x75736572))
	u := w.users[w.rng.IntN(len(w.users))]
	entrance := pick(w.rng, "wire", "cherrypy", "tornado")
	if chance(w.rng, 20) {
		u, entrance = w.peers[w.rng.IntN(len(w.peers))], "peer"
	}
	c := w.newCall(u)
	if c.kind == minionRules && chance(w.rng, 5) {
		c.by, c.honest, c.entrance = operator, false, "own"
		return c
	}
	for entrance == "peer" && c.kind == wheelRules { // minions call no wheel functions
		if !slices.ContainsFunc(u.rules, func(r rule) bool { return r.kind != wheelRules }) {
			u, entrance = w.users[1], "wire"
		}
		c = w.newCall(u)
	}
	c.entrance = entrance
	return c
}
