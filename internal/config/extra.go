package config

import (
	"slices"
	"strings"
)

// Options and stores of returners, written when the program starts.
var (
	extra  = map[string]bool{} // options without a table row: a returner reads them from Raw
	stores []string            // job stores, allowed in addition to those in the tables
)

// Know registers the options of a returner, such as "mysql.host". A minion may also have them
// with a prefix that a job names (ret_config): "alternative.mysql.host". With store, the name
// is allowed as job cache.
func Know(name string, store bool, options ...string) {
	for _, o := range options {
		extra[o] = true
	}
	if store {
		stores = append(stores, name)
	}
}

// isExtra reports whether a returner reads an option that has no table row.
func isExtra(name string) bool {
	_, bare, _ := strings.Cut(name, ".")
	return extra[name] || extra[bare]
}

// withStores adds the job stores to the allowed values of an option.
func withStores(known []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(known, stores))))
}
