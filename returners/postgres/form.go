package postgres

import "slices"

// The names of the returners in the configuration.
const (
	JSONB = "pgjsonb"  // columns of type jsonb
	Text  = "postgres" // columns of type text
)

// form is what distinguishes the two returners of Salt.
type form struct {
	name string
	json string // type of the columns that hold JSON
	opts string // what the names of the options begin with
	pass string // name of the option with the password
}

var forms = []form{{JSONB, "jsonb", "returner.pgjsonb.", "pass"}, {Text, "text", "returner.postgres.", "passwd"}}

// pillar is the form of the source of ext_pillar, which has no tables.
var pillar = form{name: "postgres", opts: "postgres.", pass: "pass"}

// formOf returns the form of a returner.
func formOf(name string) (form, bool) {
	i := slices.IndexFunc(forms, func(f form) bool { return f.name == name })
	if i < 0 {
		return form{}, false
	}
	return forms[i], true
}

// other returns the returner that uses the other type for JSON.
func (f form) other() form {
	if f == forms[0] {
		return forms[1]
	}
	return forms[0]
}

// option returns the full name of an option.
func (f form) option(key string) string { return f.opts + key }
