package render

import (
	"math/big"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/salt/pyfmt"
)

// yamlModel adapts the values of a template to the writer of YAML.
type yamlModel struct{ jinja.Model }

func (m yamlModel) Open(v any) pyfmt.Node {
	switch v := v.(type) {
	case *jinja.Undefined:
		return pyfmt.Node{Value: pyfmt.Plain("NULL")}
	case *jinja.Set:
		fail("a set cannot be written as YAML here; make it a list")
	case nil, bool, int64, *big.Int, float64, string, jinja.Bytes, *jinja.List, jinja.Tuple, *jinja.Dict:
	default:
		fail("cannot represent an object: %s", jinja.Repr(v))
	}
	return m.Model.Open(v)
}

// dumpYAML returns v as YAML.
func dumpYAML(r *jinja.Run, v any, f pyfmt.YAMLForm) string {
	f.MaxDepth = maxNested
	b := r.Builder()
	if err := pyfmt.WriteYAML(b, v, f, yamlModel{r.Model()}); err != nil {
		fail("%v", err)
	}
	return b.String()
}

// quoteYAML returns s in quotes, for the filters yaml_dquote and yaml_squote.
func quoteYAML(r *jinja.Run, s string, single bool) string {
	b := r.Builder()
	pyfmt.QuoteYAML(b, s, single, r.Model())
	return b.String()
}
