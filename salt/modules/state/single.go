package state

import (
	"context"
	"strings"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	modules.Register("state",
		modules.Function{
			Name: "single", VarKw: true, Run: single,
			Args: []modules.Arg{{Name: "fun", Required: true}, {Name: "name", Required: true}, testArg, queueArg}, Doc: `
Run one state function (fun) with a name; the keywords are its arguments. test,
queue, pillar, pillarenv and saltenv are those of the run.

CLI Example:

    salt '*' state.single file.managed name=/etc/motd contents=hello
`,
		},
		modules.Function{Name: "low", Args: []modules.Arg{{Name: "data", Required: true}, queueArg}, Run: low, Doc: `
Run one chunk of low data (data): state, fun, name, __id__ and arguments.

CLI Example:

    salt '*' state.low '{state: file, fun: touch, name: /tmp/x, __id__: x}'
`},
	)
}

// ofRun are keywords of state.single that do not belong to the state.
var ofRun = []string{"pillar", "pillarenv", "saltenv", "pillar_enc", "localconfig"}

func single(ctx context.Context, c *modules.Call) (any, error) {
	module, fun, ok := strings.Cut(c.Str("fun"), ".")
	if !ok {
		c.Retcode = states.CompileError
		return "Invalid function passed", nil
	}
	chunk := c.Kwargs.Clone()
	run := value.NewMap()
	for _, name := range ofRun {
		if v, ok := chunk.Get(name); ok {
			run.Set(name, v)
			if name != "saltenv" {
				chunk.Delete(name)
			}
		}
	}
	chunk.Set("state", module)
	chunk.Set("fun", fun)
	chunk.Set("__id__", c.Value("name"))
	chunk.Set("name", c.Value("name"))
	c.Kwargs = run
	return runChunk(ctx, c, chunk, c.Value("test"))
}

func low(ctx context.Context, c *modules.Call) (any, error) {
	data, ok := c.Value("data").(*value.Map)
	if !ok {
		return nil, &modules.ArgumentError{Msg: "data must be a map, not " + modules.PyRepr(c.Value("data"))}
	}
	chunk := states.Copy(data)
	if !chunk.Has("__id__") {
		v, _ := chunk.Get("name")
		chunk.Set("__id__", v)
	}
	res, err := runChunk(ctx, c, chunk, nil)
	if m, ok := res.(*value.Map); ok && m.Len() == 1 {
		c.Out = ""
		v, _ := m.GetKey(m.Keys()[0])
		return v, err
	}
	return res, err
}

func runChunk(ctx context.Context, c *modules.Call, chunk *value.Map, test any) (any, error) {
	if conflict, err := begin(ctx, c, c.Value("queue")); conflict != nil || err != nil {
		return given(conflict), err
	}
	j, problems, err := prepare(ctx, c, test, "", "")
	if err != nil {
		return nil, err
	}
	if problems != nil {
		return pillarProblems(c, problems), nil
	}
	return j.end(j.run.Single(ctx, chunk))
}
