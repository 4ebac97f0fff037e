package config

import (
	"slices"
	"strings"
)

// What returners registered when the program started.
var (
	extra  = map[string]bool{} // options without a table row: a returner reads them from Raw
	stores []string            // job stores, allowed in addition to those in the tables
	events []string            // returners that keep events, allowed likewise
)

// Returner declares a returner to this package.
type Returner struct {
	Name string
	// Store says that it is allowed as job cache, Events that it is allowed for event_return.
	Store, Events bool
	// Options are the names of its options, such as "mysql.host". A minion may also have them with
	// a prefix that a job names (ret_config): "alternative.mysql.host". They may stand in a map
	// with the name of the returner, too.
	Options []string
}

// Know registers a returner.
func Know(r Returner) {
	for _, o := range r.Options {
		extra[o], extra[r.Name] = true, true
	}
	if r.Store {
		stores = append(stores, r.Name)
	}
	if r.Events {
		events = append(events, r.Name)
	}
}

// isExtra reports whether a returner reads an option that has no table row.
func isExtra(name string) bool {
	_, bare, _ := strings.Cut(name, ".")
	return extra[name] || extra[bare]
}

// words returns the allowed values of an option, nil if all are. They include the registered
// returners where the option names returners.
func (o option) words() []string {
	registered := map[string][]string{"jobs": stores, "events": events}[o.returners]
	if registered == nil {
		return o.oneof
	}
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(o.oneof, registered))))
}
