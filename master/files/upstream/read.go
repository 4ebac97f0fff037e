package upstream

import (
	"slices"

	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/value"
)

// missing is the cached info of a file that does not exist.
type missing struct{}

// readTexts decodes a list of strings and sorts it.
func readTexts(v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, unread(v)
	}
	out := make([]string, len(list))
	for i, e := range list {
		switch e := e.(type) {
		case string:
			out[i] = e
		case []byte:
			out[i] = string(e)
		default:
			return nil, unread(v)
		}
	}
	slices.Sort(out)
	return out, nil
}

// readLinks decodes links and their targets.
func readLinks(v any) (any, error) {
	m, ok := v.(*value.Map)
	if !ok {
		return nil, unread(v)
	}
	out := map[string]string{}
	m.Range(func(k, _ any) bool {
		if name, ok := k.(string); ok {
			out[name] = m.String(name)
		}
		return true
	})
	return out, nil
}

// readInfo decodes [{hash_type, hsum}, stat]. If the file does not exist, the hash is an empty
// string or an empty map.
func readInfo(v any) (any, error) {
	pair, ok := v.([]any)
	if !ok || len(pair) != 2 {
		return nil, unread(v)
	}
	var i info
	switch sum := pair[0].(type) {
	case string:
		if sum != "" {
			return nil, unread(v)
		}
		return missing{}, nil
	case *value.Map:
		i.sum = files.Sum{Type: sum.String("hash_type"), Hex: sum.String("hsum")}
		if i.sum.Hex == "" {
			return missing{}, nil
		}
	default:
		return nil, unread(v)
	}
	if pair[1] == nil {
		return i, nil
	}
	stat, ok := pair[1].([]any)
	if ok && len(stat) == 1 { // only the mode, as from Salt's gitfs
		return i, nil
	}
	if !ok || len(stat) != 10 {
		return nil, unread(v)
	}
	for _, n := range stat {
		switch n := n.(type) {
		case int64:
			i.stat = append(i.stat, n)
		case uint64:
			i.stat = append(i.stat, int64(n))
		case float64:
			i.stat = append(i.stat, int64(n))
		default:
			return nil, unread(v)
		}
	}
	if i.stat[6] < 0 {
		return nil, unread(v)
	}
	return i, nil
}
