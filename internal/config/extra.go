package config

import (
	"slices"
	"strings"
)

// What returners bring along. It is written when the program starts.
var (
	extra  = map[string]bool{} // options that no table has: a returner reads them from Raw
	stores []string            // job stores, which may be named beside those that the tables name
)

// Know makes the options of a returner known, such as "mysql.host". A minion may have
// them with a prefix as well, which a job names (ret_config): "alternative.mysql.host".
// The name of one that is a job store may be that of the job cache.
func Know(name string, store bool, options ...string) {
	for _, o := range options {
		extra[o] = true
	}
	if store {
		stores = append(stores, name)
	}
}

// isExtra tells whether a returner reads an option that no table has.
func isExtra(name string) bool {
	_, bare, _ := strings.Cut(name, ".")
	return extra[name] || extra[bare]
}

// withStores adds the job stores to what an option may be.
func withStores(known []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(known, stores))))
}
