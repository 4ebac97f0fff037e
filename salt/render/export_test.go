package render

import "github.com/momtree/mom/salt/jinja"

// Spent is the time of the processors that this process has used.
var Spent = spent

// Known are the names of all filters, tests and globals that templates have.
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

// Slower is how much more time code takes under the race detector.
const Slower = slower
