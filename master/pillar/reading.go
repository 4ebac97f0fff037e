package pillar

import "github.com/momtree/mom/value"

// reading records the inputs of a pass.
type reading struct {
	renders int
	opts    *value.Map          // what templates see of the options
	names   map[string][]string // SLS by environment
	states  map[dependency]string
	// impure is the reason why the result depends on more than the request and the files; "" if it
	// does not.
	impure string
}

// dependency is a file of an environment, or its list of files.
type dependency struct{ env, path string }

func newReading() *reading {
	return &reading{names: map[string][]string{}, states: map[dependency]string{}}
}

// file records a file before it is read.
func (r *reading) file(f Files, env, path string) {
	d := dependency{env, path}
	if _, ok := r.states[d]; !ok {
		r.states[d] = f.Stamp(env, path)
	}
}

// unfit excludes the result from the cache.
func (r *reading) unfit(why string) {
	if r.impure == "" {
		r.impure = why
	}
}

// current reports whether all inputs are unchanged.
func (r *reading) current(f Files) bool {
	for d, was := range r.states {
		if f.Stamp(d.env, d.path) != was {
			return false
		}
	}
	return true
}
