package hostile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
	"github.com/momtree/mom/salt/modules"
)

// execution is one function that ran, with what its parameters had for values.
type execution struct {
	by     string // "mom" or "Salt": whose program ran it
	minion string // "": the master did, a runner or a wheel function
	kind   kind
	fun    string
	given  map[string]any // of named parameters, those that the call gave
	rest   []any          // further positional ones
	free   map[string]any // keywords that name no parameter
	ret    string         // returners
	// executors means that the job chose how it is executed.
	executors bool
}

func (e execution) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", e.fun)
	b.WriteString("(")
	for _, name := range slices.Sorted(maps.Keys(e.given)) {
		fmt.Fprintf(&b, " %s=%s", name, show(e.given[name]))
	}
	for _, v := range e.rest {
		fmt.Fprintf(&b, " *%s", show(v))
	}
	for _, name := range slices.Sorted(maps.Keys(e.free)) {
		fmt.Fprintf(&b, " **%s=%s", name, show(e.free[name]))
	}
	b.WriteString(" )")
	if e.ret != "" {
		fmt.Fprintf(&b, " ret=%q", e.ret)
	}
	if e.executors {
		b.WriteString(" with executors of its own")
	}
	where := "on " + e.minion
	if e.minion == "" {
		where = "at the master"
	}
	return fmt.Sprintf("%s %s, by %s", b.String(), where, e.by)
}

// signature is a function of minions, as Salt declares it.
type signature struct {
	params   []string
	required int
	varargs  bool
	varkw    bool
}

// saltFunctions are those that minions have.
var saltFunctions = map[string]signature{
	"test.ping":         {},
	"test.echo":         {params: []string{"text"}, required: 1},
	"test.arg":          {varargs: true, varkw: true},
	"cmd.run":           {params: []string{"cmd", "cwd", "stdin", "runas", "group", "shell", "python_shell"}, required: 1, varkw: true},
	"file.copy":         {params: []string{"src", "dst", "recurse", "remove_existing"}, required: 2},
	"file.remove":       {params: []string{"path"}, required: 1, varkw: true},
	"grains.items":      {},
	"grains.setval":     {params: []string{"key", "val", "destructive"}, required: 2},
	"state.apply":       {params: []string{"mods"}, varkw: true},
	"saltutil.find_job": {params: []string{"jid"}, required: 1},
}

// absent is the default of all parameters. It separates arguments that a call gave from others.
type absent struct{}

// ours are the same functions in the form of our minion.
var ours = func() map[string]modules.Function {
	out := map[string]modules.Function{}
	for full, s := range saltFunctions {
		_, name, _ := strings.Cut(full, ".")
		f := modules.Function{Name: name, VarArgs: s.varargs, VarKw: s.varkw}
		for i, p := range s.params {
			f.Args = append(f.Args, modules.Arg{Name: p, Default: absent{}, Required: i < s.required})
		}
		out[full] = f
	}
	return out
}()

// execute has a minion run a publication, as ours and as Salt's.
func (w *world) execute(m *minion, frame []byte) {
	p, err := wire.ParsePublication(frame)
	if err != nil {
		return
	}
	for _, run := range []struct {
		by   string
		runs func(*minion, wire.Publication) []execution
	}{{"mom", runsOurs}, {"Salt", runsSalts}} {
		for _, e := range run.runs(m, p) {
			e.by, e.minion = run.by, m.id
			e.ret = p.Ret
			e.executors = truthy(p.ModuleExecutors) || truthy(p.ExecutorOpts)
			w.note(func(a *act) { a.ran = append(a.ran, e) })
		}
	}
}

func truthy(r wire.Raw) bool {
	v, err := wire.Decode(r)
	if len(r) == 0 || err != nil {
		return false
	}
	switch v := v.(type) {
	case nil:
		return false
	case []any:
		return len(v) > 0
	case *wire.Map:
		return v.Len() > 0
	case string:
		return v != ""
	}
	return true
}

// runsOurs is what our minion runs of a publication: it matches the target with its own data,
// and binds the arguments of each function.
func runsOurs(m *minion, p wire.Publication) (out []execution) {
	asked, _, narrowed, err := jobfields.Requested(p)
	if err != nil || narrowed && !oursMatches(m, p) || !oursMatches(m, asked) {
		return nil
	}
	load, err := wire.DecodeMap(p.Full)
	if err != nil {
		return nil
	}
	names, err := delivery.Functions(p.Fun)
	if err != nil {
		return nil
	}
	args := load.List("arg")
	if fun, _ := load.Get("fun"); isText(fun) {
		return appendOurs(nil, fun.(string), args)
	}
	for i, name := range names {
		var own []any
		if i < len(args) {
			own, _ = args[i].([]any)
		}
		out = appendOurs(out, name, own)
	}
	return out
}

func oursMatches(m *minion, p wire.Publication) bool {
	tgt, err := wire.Decode(p.Tgt)
	if err != nil {
		return false
	}
	expr, err := target.Parse(tgt, p.TgtType, target.Options{Delimiter: p.Delimiter})
	return err == nil && expr.Match(m)
}

func isText(v any) bool { _, ok := v.(string); return ok }

func appendOurs(out []execution, fun string, args []any) []execution {
	fn, ok := ours[fun]
	if !ok {
		return out
	}
	c, err := modules.Bind(fun, fn, args)
	if err != nil {
		return out
	}
	e := execution{fun: fun, given: map[string]any{}, free: map[string]any{}, rest: c.Rest()}
	for i, a := range fn.Args {
		if _, none := c.Args[i].(absent); !none {
			e.given[a.Name] = c.Args[i]
		}
	}
	c.Kwargs.Range(func(k, v any) bool {
		e.free[k.(string)] = v
		return true
	})
	return append(out, e)
}
