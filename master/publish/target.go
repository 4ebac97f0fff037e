package publish

import (
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
)

// targetOf decodes a target as it travels: text, or a list of texts.
func targetOf(raw wire.Raw) (any, error) {
	v, err := wire.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	switch v.(type) {
	case string, []any:
		return v, nil
	}
	return nil, fmt.Errorf("target: neither text nor a list of ids")
}

// count is how many minions a target names one by one; 0 if it is a pattern.
func count(tgt any, tgtType string) int {
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
