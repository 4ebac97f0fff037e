package modules

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

func init() {
	tgt := Arg{Name: "tgt", Required: true}
	id := Arg{Name: "minion_id"}
	delimiter := Arg{Name: "delimiter", Default: defaultDelimiter}
	for _, f := range []struct {
		name, kind, what, example string
		args                      []Arg
	}{
		{"compound", "compound", "a compound target", "'L@cheese,foo and *'", []Arg{tgt, id}},
		{"glob", "glob", "a glob of ids", "'web*'", []Arg{tgt, id}},
		{"pcre", "pcre", "a regular expression of ids", "'.*'", []Arg{tgt, id}},
		{"list", "list", "a list of ids, separated by commas", "'server1,server2'", []Arg{tgt, id}},
		{"grain", "grain", "a grain and a glob", "'os:Ubuntu'", []Arg{tgt, delimiter}},
		{"grain_pcre", "grain_pcre", "a grain and a regular expression", "'os:Fedo.*'", []Arg{tgt, delimiter}},
		{"pillar", "pillar", "a pillar key and a glob", "'cheese:foo'", []Arg{tgt, delimiter}},
		{"pillar_pcre", "pillar_pcre", "a pillar key and a regular expression", "'cheese:(swiss|american)'", []Arg{tgt, delimiter}},
		{"ipcidr", "ipcidr", "an address or a network", "'192.168.44.0/24'", []Arg{tgt}},
	} {
		Register("match", Function{
			Name: f.name, Args: f.args, Run: matches(f.kind),
			Doc: fmt.Sprintf("\nReport whether this minion matches tgt, %s. A target that cannot be read does not match.\n%s\nCLI Example:\n\n    salt '*' match.%s %s\n",
				f.what, argumentDocs(f.args), f.name, f.example),
		})
	}
	Register("match",
		Function{
			Name: "filter_by", Run: matchFilterBy,
			Args: []Arg{{Name: "lookup", Required: true}, {Name: "tgt_type", Default: "compound"}, id, {Name: "merge"}, {Name: "merge_lists", Default: false}, {Name: "default", Default: "default"}},
			Doc: `
Return the value of the first key of the map lookup that is a target of tgt_type
matching this minion, or the one with minion_id; else the value of the key
default. merge is a map that is merged into the value; merge_lists=True also
joins lists.

CLI Example:

    salt '*' match.filter_by '{foo*: Foo!, bar*: Bar!}' minion_id=bar03
`,
		},
		Function{
			Name: "search_by", Run: matchSearchBy,
			Args: []Arg{{Name: "lookup", Required: true}, {Name: "tgt_type", Default: "compound"}, id},
			Doc: `
Return the keys of lookup, a map of lists of targets, that this minion, or the one
with minion_id, matches by targets of tgt_type; None if none matches.

CLI Example:

    salt '*' match.search_by '{web: [node1, node2], db: [node2, node]}'
`,
		},
	)
}

// argumentDocs describes the arguments after the target.
func argumentDocs(args []Arg) string {
	about := map[string]string{
		"minion_id": "minion_id is the id to match instead of this minion's.\n",
		"delimiter": "delimiter is what separates the levels of the key.\n",
	}
	var out strings.Builder
	for _, a := range args {
		out.WriteString(about[a.Name])
	}
	return out.String()
}

// targeted is this minion for target matching, under its own id or another one.
type targeted struct {
	env Env
	id  string
}

func (t targeted) ID() string  { return t.id }
func (t targeted) Grains() any { return t.env.Grains() }
func (t targeted) Pillar() any { return t.env.Pillar() }

// matchTarget reports whether a target matches the minion. A minionID other than nil
// replaces its id.
func matchTarget(env Env, tgt any, kind string, minionID any, delimiter string) bool {
	id := PyStr(env.Option("id"))
	if pyfmt.Truth(minionID) {
		id = PyStr(minionID)
	}
	groups, _ := wire.Normal(env.Option("nodegroups")).(*value.Map)
	named := map[string]any{}
	if groups != nil {
		groups.Range(func(k, v any) bool { named[PyStr(k)] = v; return true })
	}
	if _, list := tgt.([]any); !list {
		tgt = PyStr(tgt)
	}
	expr, err := target.Parse(tgt, kind, target.Options{Delimiter: delimiter, Nodegroups: named})
	if err != nil {
		logger(env).Warn("target not matched", "tgt", tgt, "tgt_type", kind, "err", err)
		return false
	}
	return expr.Match(targeted{env, id})
}

func matches(kind string) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		delimiter := ""
		if d := c.Value("delimiter"); d != nil {
			delimiter = PyStr(d)
		}
		return matchTarget(c.Env, c.Args[0], kind, c.Value("minion_id"), delimiter), nil
	}
}

// kindOfMatch returns the tgt_type of filter_by and search_by: the name of a function of
// match.
func kindOfMatch(c *Call) (string, error) {
	kind := strings.TrimSuffix(PyStr(c.Value("tgt_type")), "_")
	if _, ok := Lookup("match." + kind); !ok || strings.HasSuffix(kind, "_by") {
		return "", &CommandError{Msg: fmt.Sprintf("tgt_type %q is not a kind of target", PyStr(c.Value("tgt_type")))}
	}
	return kind, nil
}

func matchFilterBy(_ context.Context, c *Call) (any, error) {
	lookup, ok := c.Value("lookup").(*value.Map)
	if !ok {
		return nil, &CommandError{Msg: "lookup must be a map of targets"}
	}
	kind, err := kindOfMatch(c)
	if err != nil {
		return nil, err
	}
	for _, key := range lookup.Keys() {
		if !matchTarget(c.Env, key, kind, c.Value("minion_id"), "") {
			continue
		}
		found, _ := mapGet(lookup, key)
		merge := c.Value("merge")
		if !pyfmt.Truth(merge) {
			return found, nil
		}
		with, ok := merge.(*value.Map)
		if !ok {
			return nil, &CommandError{Msg: "filter_by merge argument must be a dictionary."}
		}
		if found == nil {
			return with, nil
		}
		base, ok := found.(*value.Map)
		if !ok {
			return nil, &CommandError{Msg: "Cannot update using non-dict types in dictupdate.update()"}
		}
		base = deepCopy(base).(*value.Map)
		mergeInto(base, with, isTrue(c.Value("merge_lists")))
		return base, nil
	}
	v, _ := mapGet(lookup, c.Value("default"))
	return v, nil
}

func matchSearchBy(_ context.Context, c *Call) (any, error) {
	lookup, ok := c.Value("lookup").(*value.Map)
	if !ok {
		return nil, &CommandError{Msg: "lookup must be a map of lists of targets"}
	}
	kind, err := kindOfMatch(c)
	if err != nil {
		return nil, err
	}
	var out []any
	lookup.Range(func(key, v any) bool {
		targets, _ := v.([]any)
		for _, tgt := range targets {
			if matchTarget(c.Env, tgt, kind, c.Value("minion_id"), "") {
				out = append(out, key)
			}
		}
		return true
	})
	if out == nil {
		return nil, nil
	}
	return out, nil
}
