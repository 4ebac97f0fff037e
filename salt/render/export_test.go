package render

import "github.com/momtree/mom/salt/jinja"

// Spent returns the processor time of this process.
var Spent = spent

// Known returns the names of all filters, tests and globals of templates.
func Known() (filters, tests, globals []string) {
	env := jinja.NewEnvironment()
	for name, f := range saltFilters {
		env.Filters[name] = f
	}
	for name, f := range saltTests {
		env.Tests[name] = f
	}
	for name, f := range saltGlobals {
		env.Globals[name] = f
	}
	return sortedNames(env.Filters), sortedNames(env.Tests), sortedNames(env.Globals)
}

// Slower is the slowdown under the race detector.
const Slower = slower
