package functions

import (
	"context"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	name := states.Arg{Name: "name", Required: true}
	both := []states.Arg{name, {Name: "version"}, {Name: "pkgs"}}
	Register("pkg",
		Function{
			Name: "held", Run: pkgHeld,
			Spec: states.Spec{Args: append(slices.Clone(both), states.Arg{Name: "replace", Default: false}), VarKw: true},
			Doc: `
Ensure that packages are held, so that upgrades do not change them: name, or
pkgs. With replace=True no others are held.

version, and versions in pkgs
    are for zypper in Salt; the installed version is held

    kernel:
      pkg.held: []
`,
		},
		Function{
			Name: "unheld", Run: pkgUnheld,
			Spec: states.Spec{Args: append(slices.Clone(both), states.Arg{Name: "all", Default: false}), VarKw: true},
			Doc: `
Ensure that packages are not held: name, or pkgs, or with all=True every held
one.

    kernel:
      pkg.unheld: []
`,
		},
	)
}

// holdings are the results of holding or releasing packages.
type holdings struct{ changed, same, failed []*value.Map }

// all returns the changed ones first and the failed ones last.
func (h holdings) all() []*value.Map { return slices.Concat(h.changed, h.same, h.failed) }

// holding holds or releases packages if the state says so. A test run only checks what it
// would do.
func (c *Call) holding(ctx context.Context, names []any) (h holdings, err error) {
	hold, given := c.condition("hold")
	if !given {
		return h, nil
	}
	results, err := c.holdEach(ctx, hold, names)
	for _, k := range results.Keys() {
		switch one := results.Map(modules.PyStr(k)); {
		case one.Map("changes").Len() > 0:
			h.changed = append(h.changed, one)
		case one.Bool("result"):
			h.same = append(h.same, one)
		default:
			h.failed = append(h.failed, one)
		}
	}
	return h, err
}

// holdEach returns the results of pkg.hold or pkg.unhold for each package; in a test run,
// the expected ones.
func (c *Call) holdEach(ctx context.Context, hold bool, names []any) (*value.Map, error) {
	if !c.Test {
		fun := map[bool]string{true: "pkg.hold", false: "pkg.unhold"}[hold]
		return c.mapOfKw(ctx, fun, value.NewMap("pkgs", names))
	}
	held, err := c.heldPkgs(ctx)
	if err != nil {
		return nil, err
	}
	to := map[bool]string{true: "to be held", false: "not to be held"}[hold]
	out := value.NewMap()
	for _, k := range names {
		name := modules.PyStr(k)
		one := value.NewMap("name", name, "changes", value.NewMap(), "result", nil, "comment", "Package "+name+" is set "+to+".")
		if slices.Contains(held, name) == hold {
			one.Set("result", true)
			one.Set("comment", "Package "+name+" is already set "+to+".")
		}
		out.Set(name, one)
	}
	return out, nil
}

func (c *Call) heldPkgs(ctx context.Context) ([]string, error) {
	v, err := c.Module(ctx, "pkg.list_holds", nil, nil)
	return texts(v), err
}

// pkgHold ends a state that had nothing to install.
func (c *Call) pkgHold(ctx context.Context, r *states.Result, plan *pkgPlan) (*states.Result, error) {
	h, err := c.holding(ctx, plan.wanted.Keys())
	if text, failed := work(err); failed {
		return says(r, false, "%s", text)
	}
	for _, one := range h.all() {
		r.Result, r.Comment = get(one, "result"), r.Comment+".\n"+one.String("comment")
		if diff := one.Map("changes"); diff.Len() > 0 {
			r.Changes.Set(one.String("name"), diff)
		}
	}
	return r, err
}

// merge adds the changes of holding to those of an installation.
func (h holdings) merge(changes *value.Map) {
	joined := func(diff, more *value.Map, key string) {
		text := diff.String(key)
		if text != "" {
			text += "\n"
		}
		diff.Set(key, text+pystr(get(more, key)))
	}
	for _, one := range h.changed {
		name, more := one.String("name"), one.Map("changes")
		if diff := changes.Map(name); diff != nil {
			joined(diff, more, "new")
			joined(diff, more, "old")
			continue
		}
		changes.Set(name, value.NewMap("new", pystr(get(more, "new"))))
	}
}

func comments(list []*value.Map) []string {
	var out []string
	for _, one := range list {
		out = append(out, one.String("comment"))
	}
	return out
}

func pkgHeld(ctx context.Context, c *Call) (*states.Result, error) {
	return c.pkgLocks(ctx, true, "held", c.Truth("replace"))
}

func pkgUnheld(ctx context.Context, c *Call) (*states.Result, error) {
	return c.pkgLocks(ctx, false, "unheld", c.Truth("all"))
}

// pkgLocks holds or releases packages. With others, it also releases held packages that are
// not named.
func (c *Call) pkgLocks(ctx context.Context, hold bool, word string, others bool) (*states.Result, error) {
	r := outcome(c)
	if list, ok := c.Value("pkgs").([]any); ok && len(list) == 0 && !others {
		return says(r, true, "No packages to be %s provided", word)
	}
	wanted, ok := c.wishes()
	if !ok && !others {
		return says(r, false, "Invalidly formatted pkgs parameter. See minion log.")
	}
	held, err := c.heldPkgs(ctx)
	if text, failed := work(err); failed {
		return says(r, false, "%s", text)
	}
	if err != nil {
		return nil, err
	}
	var lines []string
	change := func(hold bool, name string) error {
		if c.Test {
			line := "The following package would be " + map[bool]string{true: "held", false: "unheld"}[hold] + ": " + name
			if version := get(wanted, name); version != nil && hold {
				line += " (version = " + pystr(version) + ")"
			}
			lines = append(lines, line)
			return nil
		}
		results, err := c.holdEach(ctx, hold, []any{name})
		if err != nil {
			return err
		}
		one := results.Map(name)
		good := one != nil && one.Bool("result")
		switch {
		case !hold && one != nil:
			lines = append(lines, one.String("comment"))
		case hold && good:
			lines = append(lines, "Package "+name+" is now being held")
		case hold:
			lines = append(lines, "Package "+name+" was not held")
		}
		if !good {
			r.Result = false
		}
		results.Range(func(k, v any) bool {
			r.Changes.Set(k, v)
			return true
		})
		return nil
	}
	if hold {
		for _, k := range wanted.Keys() {
			if name := modules.PyStr(k); !slices.Contains(held, name) {
				if err := change(true, name); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, name := range held {
		release := others || wanted.Has(name)
		if hold {
			release = others && !wanted.Has(name)
		}
		if !release {
			continue
		}
		if err := change(false, name); err != nil {
			return nil, err
		}
	}
	r.Comment = strings.Join(lines, "\n")
	if r.Comment == "" && r.Changes.Len() == 0 {
		r.Comment = "No changes made"
	}
	return r, nil
}
