package states

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/value"
)

// refusedOptions are options of states that Salt has and this runner does not support. A
// state with one of them fails with a message.
var refusedOptions = []string{"beacon", "provider"}

// aggregating are the modules whose states Salt aggregates. The option aggregate has no
// effect on others.
var aggregating = map[string]bool{"pkg": true, "iptables": true}

// VerifyChunk returns the faults of a chunk. It converts umask to its internal form, and a
// watch of a module without mod_watch to a require.
func (r *Run) VerifyChunk(c *value.Map) (errs []string) {
	for _, key := range []string{"state", "fun", "name"} {
		if !c.Has(key) {
			errs = append(errs, fmt.Sprintf("Missing \"%s\" data", key))
		}
	}
	sls, hasSLS := c.Get("__sls__")
	if v, _ := c.Get("name"); pyfmt.Truth(v) {
		if _, text := v.(string); !text {
			in := ""
			if hasSLS {
				in = fmt.Sprintf("in SLS '%s' ", str(sls))
			}
			errs = append(errs, fmt.Sprintf("ID '%s' %sis not formed as a string, but is a %s", str(v), in, typeName(v)))
		}
	}
	if v, ok := c.Get("umask"); ok {
		c.Delete("umask")
		mask, err := strconv.ParseInt(strings.TrimPrefix(str(v), "0o"), 8, 32)
		if err != nil || mask < 0 || mask > 0o777 {
			errs = append(errs, fmt.Sprintf("Invalid umask: %s", str(v)))
		} else {
			c.Set("__umask__", mask)
		}
	}
	if len(errs) > 0 {
		return errs
	}
	errs = r.verifyFunction(c, sls, hasSLS)
	return append(errs, r.verifyRequire(c)...)
}

func (r *Run) verifyFunction(c *value.Map, sls any, hasSLS bool) (errs []string) {
	module := c.String("state")
	full := module + "." + c.String("fun")
	spec, ok := r.o.Functions.Spec(full)
	if !ok {
		if !hasSLS {
			return []string{fmt.Sprintf("Specified state '%s' was not found", full)}
		}
		errs = append(errs, fmt.Sprintf("State '%s' was not found in SLS '%s'", full, str(sls)))
		if why := r.o.Functions.Missing(full); why != "" {
			errs = append(errs, "Reason: "+why)
		}
		return errs
	}
	for _, a := range spec.Args {
		if a.Required && !c.Has(a.Name) {
			errs = append(errs, fmt.Sprintf("Missing parameter %s for state %s", a.Name, full))
		}
	}
	for _, name := range refusedOptions {
		if v, _ := c.Get(name); pyfmt.Truth(v) {
			errs = append(errs, fmt.Sprintf("The option %s of state '%s' is not supported here: leave it out", name, full))
		}
	}
	if v, _ := c.Get("aggregate"); pyfmt.Truth(v) && aggregating[module] {
		errs = append(errs, fmt.Sprintf("The option aggregate of state '%s' is not supported here: leave it out, each state then runs by itself", full))
	}
	return errs
}

// verifyRequire converts watch to require if the module has no mod_watch, and rejects a
// state that requires itself.
func (r *Run) verifyRequire(c *value.Map) (errs []string) {
	kind := ""
	if c.Has("require") {
		kind = "require"
	}
	if c.Has("watch") {
		kind = "watch"
		if r.watchAsRequire(c, "watch", "require") {
			kind = "require"
		}
	}
	if kind == "" {
		return nil
	}
	for _, req := range c.List(kind) {
		module, to, ok := first(mapOf(req))
		name, isText := to.(string)
		if ok && isText && c.String("state") == module && (glob(name, c.String("name")) || glob(name, text(c, "__id__"))) {
			errs = append(errs, fmt.Sprintf("Recursive require detected in SLS %s for require %s in ID %s",
				text(c, "__sls__"), str(req), text(c, "__id__")))
		}
	}
	return errs
}

// watchAsRequire moves the requisites of watch to require if the module of the chunk has no
// mod_watch.
func (r *Run) watchAsRequire(c *value.Map, watch, require string) bool {
	if _, ok := r.o.Functions.Spec(c.String("state") + ".mod_watch"); ok {
		return false
	}
	list := c.List(watch)
	c.Delete(watch)
	c.Set(require, append(append([]any{}, c.List(require)...), list...))
	return true
}
