package states

import (
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// The requisites that change other states: they become extensions.
var (
	requisitesIn = []string{"require_in", "watch_in", "onfail_in", "onchanges_in", "use", "use_in", "prereq", "prereq_in"}
	notUsed      = append(slices.Clone(requisitesIn), "require", "watch", "onfail", "onfail_stop", "onchanges", "name", "names")
)

// reversed reverses requisites of high data: require_in of one state becomes require of the
// other.
type reversed struct {
	high     *value.Map
	disabled []string
	ext      *value.Map // ID → module → arguments to merge
	errs     []string
}

// RequisitesIn applies require_in, watch_in, use, prereq and similar requisites.
func (r *Run) RequisitesIn(high *value.Map) (errs []string) {
	t := &reversed{high: high, disabled: r.o.DisabledRequisites, ext: value.NewMap()}
	high.Range(func(id, b any) bool {
		body, ok := b.(*value.Map)
		if !ok {
			return true
		}
		body.Range(func(k, run any) bool {
			if hidden(k) {
				return true
			}
			for _, arg := range listOf(run) {
				if m := mapOf(arg); m.Len() > 0 {
					t.argument(id, body, str(k), m)
				}
			}
			return true
		})
		return true
	})
	list := []any{}
	t.ext.Range(func(id, body any) bool {
		list = append(list, value.NewMap(id, body))
		return true
	})
	high.Set("__extend__", list)
	return append(t.errs, applyExtend(high, true)...)
}

// origin is the state with the requisite.
type origin struct {
	id     any
	body   *value.Map
	module string
}

func (t *reversed) argument(id any, body *value.Map, module string, arg *value.Map) {
	key, items, _ := first(arg)
	if !slices.Contains(requisitesIn, key) || slices.Contains(t.disabled, key) {
		return
	}
	rkey, _, _ := strings.Cut(key, "_")
	o := origin{id, body, module}
	switch items := items.(type) {
	case *value.Map:
		items.Range(func(k, name any) bool {
			t.add(o, rkey, name, t.dotless(o, rkey, str(k), name))
			return true
		})
	case []any:
		var refs []stateRef
		for _, item := range items {
			refs = t.refs(o, rkey, item, refs)
			if mapOf(t.named(item)).Len() == 0 {
				continue
			}
			for _, h := range refs {
				t.reverse(o, key, rkey, h)
			}
		}
	}
}

// stateRef is a state that a requisite names.
type stateRef struct {
	name   any
	module string
}

// dotless returns an error for a module with a function, which names the module only.
func (t *reversed) dotless(o origin, rkey, module string, name any) string {
	before, _, dotted := strings.Cut(module, ".")
	if dotted {
		t.errs = append(t.errs, fmt.Sprintf("Invalid requisite in %s: %s for %s, in SLS '%s'. Requisites must not contain dots, did you mean '%s'?",
			rkey, module, str(name), o.body.String("__sls__"), before))
	}
	return before
}

// named converts one item of the list to the form {module: name}; nil if it names nothing.
func (t *reversed) named(item any) any {
	if _, ok := item.(*value.Map); ok {
		return item
	}
	if _, ok := item.([]any); ok {
		return nil
	}
	if body, ok := t.high.GetKey(item); ok {
		for _, k := range mapOf(body).Keys() {
			if !hidden(k) {
				return value.NewMap(k, item)
			}
		}
		return nil
	}
	var found any
	t.high.Range(func(id, b any) bool {
		mapOf(b).Range(func(k, run any) bool {
			if hidden(k) {
				return true
			}
			for _, a := range listOf(run) {
				if v, ok := mapOf(a).Get("name"); ok && same(v, item) {
					found = value.NewMap(k, id)
				}
			}
			return true
		})
		return true
	})
	return found
}

// refs appends the states that one item names to those of the previous items. As in Salt,
// an earlier state is repeated with each later one.
func (t *reversed) refs(o origin, rkey string, item any, before []stateRef) []stateRef {
	m := mapOf(t.named(item))
	if m.Len() == 0 {
		return before
	}
	k := m.Keys()[0]
	module := str(k)
	name, _ := m.GetKey(k)
	switch name.(type) {
	case *value.Map, []any:
		t.errs = append(t.errs, illegal(name))
		return before
	}
	if module == "sls" {
		return t.ofSLS(name)
	}
	t.dotless(o, rkey, module, name)
	return append(before, stateRef{name, module})
}

// ofSLS returns all states of an SLS.
func (t *reversed) ofSLS(sls any) (out []stateRef) {
	t.high.Range(func(id, b any) bool {
		body := mapOf(b)
		if body.Has("__sls__") && same(sls, body.String("__sls__")) {
			for _, k := range body.Keys() {
				if !hidden(k) {
					out = append(out, stateRef{id, str(k)})
				}
			}
		}
		return true
	})
	return out
}

func (t *reversed) reverse(o origin, key, rkey string, h stateRef) {
	switch key {
	case "prereq_in":
		t.append(o.id, o.module, value.NewMap("prerequired", []any{value.NewMap(h.module, h.name)}))
	case "prereq":
		ids, modules := findName(h.name, h.module, t.high, true)
		for i, id := range ids {
			t.append(id, modules[i], value.NewMap("prerequired", []any{value.NewMap(o.module, o.id)}))
		}
		return
	case "use_in":
		ids, modules := findName(h.name, h.module, t.high, true)
		for i, id := range ids {
			t.use(stateRef{o.id, o.module}, stateRef{id, h.module}, modules[i])
		}
		return
	case "use":
		ids, modules := findName(h.name, h.module, t.high, true)
		for i, id := range ids {
			t.use(stateRef{id, modules[i]}, stateRef{o.id, o.module}, o.module)
		}
		return
	}
	t.add(o, rkey, h.name, h.module)
}

// use copies missing arguments from one state to another.
func (t *reversed) use(from, to stateRef, into string) {
	has := map[string]bool{}
	for _, a := range t.args(to) {
		if m := mapOf(a); m.Len() == 1 {
			k, _, _ := first(m)
			has[k] = true
		}
	}
	t.slot(to.name, into)
	for _, a := range t.args(from) {
		m := mapOf(a)
		if m.Len() != 1 {
			continue
		}
		if k, _, _ := first(m); !has[k] && !slices.Contains(notUsed, k) {
			t.append(to.name, into, copied(a))
		}
	}
}

func (t *reversed) args(h stateRef) []any {
	body, _ := t.high.GetKey(h.name)
	return mapOf(body).List(h.module)
}

// slot returns the extension of a state that is being built.
func (t *reversed) slot(id any, module string) *value.Map {
	v, ok := t.ext.GetKey(id)
	if !ok {
		v = value.NewMap()
		t.ext.Set(id, v)
	}
	body := v.(*value.Map)
	if !body.Has(module) {
		body.Set(module, []any{})
	}
	return body
}

func (t *reversed) append(id any, module string, arg any) {
	appendTo(t.slot(id, module), module, arg)
}

// add adds the requisite rkey of the origin to the named state.
func (t *reversed) add(o origin, rkey string, name any, module string) {
	switch name.(type) {
	case *value.Map, []any:
		t.errs = append(t.errs, illegal(name))
		return
	}
	body := t.slot(name, module)
	body.Set("__env__", o.body.String("__env__"))
	body.Set("__sls__", o.body.String("__sls__"))
	found := false
	for _, a := range body.List(module) {
		if m := mapOf(a); m.Len() > 0 {
			if k, _, _ := first(m); k == rkey {
				appendTo(m, rkey, value.NewMap(o.module, o.id))
				found = true
			}
		}
	}
	if !found {
		t.append(name, module, value.NewMap(rkey, []any{value.NewMap(o.module, o.id)}))
	}
}
