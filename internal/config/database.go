package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// databases are the groups of options for databases. In a file an option may stand as mysql.host
// or as mysql: {host: ...}, those of postgres only as a mapping: the dotted names are options of
// an execution module in Salt.
var databases = []struct {
	name   string
	table  func() map[string]option
	typ    reflect.Type
	dotted bool
}{
	{"mysql", mysqlTable, reflect.TypeFor[MySQLOptions](), true},
	{"returner.pgjsonb", pgjsonbTable, reflect.TypeFor[PgjsonbOptions](), true},
	{"returner.postgres", postgresTable, reflect.TypeFor[PostgresOptions](), true},
	{"postgres", pillarTable, reflect.TypeFor[PostgresPillarOptions](), false},
}

// isDatabase reports whether a name is that of a group of databases, or of one of its options,
// possibly with a prefix that a job may name (ret_config), such as alternative.mysql.<x>.
func isDatabase(name string) bool {
	_, bare, _ := strings.Cut(name, ".")
	for _, d := range databases {
		if name == d.name || d.dotted && (strings.HasPrefix(name, d.name+".") || strings.HasPrefix(bare, d.name+".")) {
			return true
		}
	}
	return false
}

// database reads the options of one group into a struct; the dotted form has precedence. The
// returner itself reads those with a prefix from Raw.
func (r *reader) database(src source, group string, dotted bool, table map[string]option, to reflect.Value) {
	read := func(name, key string, val any) {
		o, ok := table[key]
		if !ok {
			var names []string
			for k := range table {
				names = append(names, group+"."+k)
			}
			r.unknown(setting{name: name, place: src.places[name]}, names, group+"."+key)
			return
		}
		if val == nil || val == "None" { // the text that Salt's manual shows for "not set"
			return
		}
		if _, err := o.assign(to.FieldByIndex(o.index), val, pyText(val)); err != nil {
			r.fault(src.places[name], group+"."+key, "%v", err)
		}
	}
	switch nested := src.Raw[group].(type) {
	case nil:
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(nested)) {
			read(group, key, nested[key])
		}
	default:
		r.fault(src.places[group], group, "wants a mapping (host, user, ...), has %s", describe(nested))
	}
	for _, name := range slices.Sorted(maps.Keys(src.Raw)) {
		if key, ok := strings.CutPrefix(name, group+"."); ok && dotted {
			read(name, key, src.Raw[name])
		}
	}
}

// databases reads the options of all groups, those of MySQL into to. The others are only
// checked: their returners read them from Raw.
func (r *reader) databases(src source, to *MySQLOptions) {
	for _, d := range databases {
		if d.typ == reflect.TypeFor[MySQLOptions]() {
			r.database(src, d.name, d.dotted, d.table(), reflect.ValueOf(to).Elem())
			continue
		}
		v := reflect.New(d.typ).Elem()
		setDefaults(v, d.table())
		r.database(src, d.name, d.dotted, d.table(), v)
		c := &checker{places: src.places}
		c.table(v, d.table(), d.name+".")
		r.faults = append(r.faults, c.faults...)
	}
}

func holdsSecret(s setting) bool {
	if s.value == nil || s.value == "" {
		return false
	}
	if isDatabase(s.name) || isExtra(s.name) {
		words := []string{"pass", "passwd", "password", "token"}
		if m, ok := s.value.(map[string]any); ok {
			return slices.ContainsFunc(words, func(w string) bool { return m[w] != nil })
		}
		return slices.Contains(words, s.name[strings.LastIndex(s.name, ".")+1:])
	}
	if holdsLoginSecret(s) {
		return true
	}
	return masterTable()[s.name].secret || minionTable()[s.name].secret
}
