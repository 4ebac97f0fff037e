package output

import (
	"strings"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// keys prints lists of salt-key: {minions: [ids]} or, with fingerprints, {minions: {id:
// fingerprint}}.
func keys(v any, o Options) (string, error) {
	c := o.colors()
	kinds := map[string]struct{ title, head, color string }{
		"minions":          {"Accepted Keys:", c.lightGreen, c.green},
		"minions_pre":      {"Unaccepted Keys:", c.lightRed, c.red},
		"minions_denied":   {"Denied Keys:", c.lightMagenta, c.magenta},
		"minions_rejected": {"Rejected Keys:", c.lightBlue, c.blue},
		"local":            {"Local Keys:", c.lightMagenta, c.magenta},
	}
	folders, ok := pyfmt.Pairs(v)
	if !ok || !pyfmt.SortPairs(folders) {
		return "", errShape
	}
	var b strings.Builder
	for _, f := range folders {
		name, _ := f.Key.(string)
		kind, ok := kinds[name]
		if !ok {
			return "", errShape
		}
		b.WriteString(kind.head + kind.title + c.end + "\n")
		if ids, ok := wire.AsList(f.Val); ok {
			entries := make([]pyfmt.Pair, len(ids))
			for i, id := range ids {
				entries[i].Key = pyfmt.Str(id)
			}
			pyfmt.SortPairs(entries)
			for _, e := range entries {
				b.WriteString(kind.color + terminal.Line(e.Key.(string)) + c.end + "\n")
			}
			continue
		}
		fingers, ok := pyfmt.Pairs(f.Val)
		if !ok {
			return "", errShape
		}
		textKeys(fingers)
		pyfmt.SortPairs(fingers)
		for _, e := range fingers {
			b.WriteString(kind.color + terminal.Line(e.Key.(string)) + ":  " + terminal.Text(pyfmt.Str(e.Val)) + c.end + "\n")
		}
	}
	return b.String(), nil
}
