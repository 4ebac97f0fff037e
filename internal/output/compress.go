package output

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// compressed combines states of several names that share an id, a file and a result. If that is
// not possible, all stay unchanged.
func compressed(hosts []pyfmt.Pair) []pyfmt.Pair {
	out := make([]pyfmt.Pair, 0, len(hosts))
	for _, h := range hosts {
		states, ok := pyfmt.Pairs(h.Val)
		if !ok {
			return hosts
		}
		c := &compressor{out: wire.NewMap(), count: map[string]int{}, rows: map[string]*wire.Map{}}
		if !c.all(states) {
			return hosts
		}
		out = append(out, pyfmt.Pair{Key: h.Key, Val: c.out})
	}
	return out
}

type compressor struct {
	out   *wire.Map
	count map[string]int       // states per id and result
	rows  map[string]*wire.Map // combined states by key
}

func (c *compressor) all(states []pyfmt.Pair) bool {
	ids := make([]string, len(states))
	for i, s := range states {
		fields, ok := pyfmt.Pairs(s.Val)
		key, isKey := s.Key.(string)
		if !ok || !isKey {
			return false
		}
		parts := []string{strings.Split(key, "_|-")[0]}
		for _, name := range []string{"__id__", "__sls__", "result"} {
			v, ok := field(fields, name)
			if !ok {
				return false
			}
			parts = append(parts, pyfmt.Str(v))
		}
		ids[i] = strings.Join(parts, "_")
		c.count[ids[i]]++
	}
	for i, s := range states {
		if c.count[ids[i]] == 1 {
			c.out.Set(s.Key, s.Val)
			continue
		}
		if fields, _ := pyfmt.Pairs(s.Val); !c.add(s.Key.(string), fields, c.count[ids[i]]) {
			return false
		}
	}
	return true
}

// add adds a state to its combined state.
func (c *compressor) add(key string, fields []pyfmt.Pair, n int) bool {
	get := func(name string) any { v, _ := field(fields, name); return v }
	parts := strings.Split(key, "_|-")
	if len(parts) < 3 {
		return false
	}
	parts[2] = compressedKey + pyfmt.Str(get("__sls__")) + "_" + pyfmt.Str(get("__id__")) + "_" + pyfmt.Str(get("result"))
	parts[1] = fmt.Sprintf("%s (%d)", pyfmt.Str(get("__id__")), n)
	key = strings.Join(parts, "_|-")
	row := c.rows[key]
	if row == nil {
		row = wire.NewMap()
		for _, f := range fields {
			row.Set(f.Key, f.Val)
		}
		c.rows[key] = row
		c.out.Set(key, row)
		return true
	}
	had := func(name string) any { v, _ := row.Get(name); return v }
	at, ok1 := pyfmt.Number(get("__run_num__"))
	before, ok2 := pyfmt.Number(had("__run_num__"))
	took, ok3 := pyfmt.Number(get("duration"))
	sum, ok4 := pyfmt.Number(had("duration"))
	began, ok5 := get("start_time").(string)
	first, ok6 := had("start_time").(string)
	if slices.Contains([]bool{ok1, ok2, ok3, ok4, ok5, ok6}, false) {
		return false
	}
	if at < before {
		row.Set("__run_num__", get("__run_num__"))
	}
	row.Set("duration", round3(took+sum))
	row.Set("start_time", min(began, first))
	return mergeChanges(row, get("name"), get("changes"))
}

// mergeChanges merges the changes of several states by their names.
func mergeChanges(row *wire.Map, name, changes any) bool {
	if !pyfmt.Truth(changes) {
		return true
	}
	const all = "compressed changes"
	had, _ := row.Get("changes")
	each := wire.NewMap()
	if pyfmt.Truth(had) {
		ps, ok := pyfmt.Pairs(had)
		if !ok {
			return false
		}
		if known, ok := field(ps, all); ok && pyfmt.Truth(known) {
			m, ok := known.(*wire.Map)
			if !ok {
				return false
			}
			each = m
		} else {
			first, _ := row.Get("name")
			each.Set(first, had)
		}
	}
	each.Set(name, changes)
	row.Set("changes", wire.NewMap(all, each))
	return true
}

// round3 is Python's round to three digits.
func round3(f float64) float64 {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return f
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', 3, 64), 64)
	if err != nil {
		panic(err) // it was made here
	}
	return r
}
