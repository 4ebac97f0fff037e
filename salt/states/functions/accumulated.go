package functions

import (
	"context"
	"fmt"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// accumulators is the key of the texts that file.accumulated has collected in a run: file →
// accumulator → texts.
type accumulators struct{}

func init() {
	Register("file", Function{
		Name: "accumulated", Run: fileAccumulated,
		Spec: states.Spec{VarKw: true, Args: args([]string{"name", "filename", "text"})}, Doc: `
Collects texts for a file (filename) under a name, for its template (the
variable accumulator) or for file.blockreplace. It must name the state of that
file in require_in or watch_in.
`,
	})
}

func fileAccumulated(_ context.Context, c *Call) (*states.Result, error) {
	name := c.Name()
	if name == "" {
		return bad(name, "Must provide name to file.accumulated"), nil
	}
	if c.Value("text") == nil {
		return bad(name, "No text supplied for accumulator"), nil
	}
	if !c.accumulates() {
		return bad(name, "Orphaned accumulator %s in %s:%s", name, pystr(get(c.Low, "__sls__")), pystr(get(c.Low, "__id__"))), nil
	}
	res := good(name, "")
	texts, many := c.Value("text").([]any)
	if !many {
		texts = []any{c.Value("text")}
	}
	file := c.Str("filename")
	c.Run.Update(accumulators{}, func(old any) any {
		all, ok := old.(*value.Map)
		if !ok {
			all = value.NewMap()
		}
		of := all.Map(file)
		if of == nil {
			of = value.NewMap()
			all.Set(file, of)
		}
		list := of.List(name)
		for _, t := range texts {
			if !states.Has(list, t) {
				list = append(list, t)
				res.Comment = fmt.Sprintf("Accumulator %s for file %s was charged by text", name, file)
			}
		}
		of.Set(name, list)
		return all
	})
	return res, nil
}

// accumulates reports whether a requisite of the state names a file state that uses the
// texts.
func (c *Call) accumulates() bool {
	for _, kind := range []string{"require_in", "watch_in"} {
		for _, req := range c.Low.List(kind) {
			if m, ok := req.(*value.Map); ok && m.Has("file") {
				return true
			}
		}
	}
	return false
}

// gathered returns the accumulated texts for a file.
func (c *Call) gathered(file string) *value.Map {
	if c.Run == nil {
		return nil
	}
	all, _ := c.Run.Get(accumulators{}).(*value.Map)
	return all.Map(file)
}

// accumulated adds the accumulated texts to the variables of the template.
func (m *managed) accumulated() {
	of := m.gathered(m.name)
	if of == nil {
		return
	}
	context, _ := m.Value("context").(*value.Map)
	if context = context.Clone(); context == nil {
		context = value.NewMap()
	}
	context.Set("accumulator", of.Clone())
	m.Args.Set("context", context)
}
