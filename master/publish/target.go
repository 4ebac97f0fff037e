package publish

import (
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
)

// targetOf decodes a target: a string or a list of strings.
func targetOf(raw wire.Raw) (any, error) {
	v, err := wire.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	switch v.(type) {
	case string, []any:
		return v, nil
	}
	return nil, fmt.Errorf("target: must be a string or a list of ids")
}

// countNamed returns the number of minions that a target names, or 0 for a pattern.
func countNamed(tgt any, tgtType string) int {
	switch tgtType {
	case "list":
		ids := ownership.Listed(tgt)
		slices.Sort(ids)
		return len(slices.Compact(ids))
	case "glob":
		if id, ok := tgt.(string); ok && !strings.ContainsAny(id, "*?[") {
			return 1
		}
	}
	return 0
}
