package functions

import (
	"context"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// pkgPlan is the work of pkg.installed.
type pkgPlan struct {
	wanted  *value.Map // all packages with their versions
	handed  *value.Map // keywords of pkg.install
	targets []string   // packages to install
	again   []string   // packages to reinstall
}

func pkgInstalled(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	if pyfmt.Truth(c.Value("pkg_verify")) {
		return says(r, false, "This minion does not support pkg_verify of pkg.installed")
	}
	if v := c.Value("skip_suggestions"); v != nil && !pyfmt.Truth(v) {
		return says(r, false, "pkg.installed does not support skip_suggestions: False (leave it out: names are used as given, and nothing is suggested)")
	}
	handed, refusal := c.pkgKeywords("install", "update_holds")
	if refusal != "" {
		return says(r, false, "%s", refusal)
	}
	if list, ok := c.Value("pkgs").([]any); ok && len(list) == 0 {
		return says(r, true, "No packages to install provided")
	}
	if pyfmt.Truth(c.Value("pkgs")) && pyfmt.Truth(c.Value("sources")) {
		return says(r, false, "Only one of \"pkgs\" and \"sources\" is permitted.")
	}
	plan, err := c.pkgPlan(ctx, r)
	if err != nil || plan == nil {
		return r, err
	}
	plan.handed = handed
	if len(plan.targets)+len(plan.again) == 0 {
		return c.pkgHold(ctx, r, plan)
	}
	if c.Test {
		return c.pkgWould(r, plan)
	}
	return c.pkgDo(ctx, r, plan)
}

// pkgPlan determines what to install; nil if the result is already final.
func (c *Call) pkgPlan(ctx context.Context, r *states.Result) (*pkgPlan, error) {
	wanted, ok := c.normalWishes()
	sources, hasSources := c.Value("sources").([]any)
	if hasSources {
		wanted = value.NewMap()
		for _, s := range sources {
			m, isMap := s.(*value.Map)
			if ok = isMap && m.Len() == 1; !ok {
				break
			}
			wanted.Set(modules.PyStr(m.Keys()[0]), nil)
		}
	}
	if !ok {
		which := map[bool]string{true: "sources", false: "pkgs"}[hasSources]
		_, err := says(r, false, "Invalidly formatted '%s' parameter. See minion log.", which)
		return nil, err
	}
	have, err := c.installedPkgs(ctx, nil)
	if text, failed := work(err); failed {
		_, err = says(r, false, "%s", text)
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	plan := &pkgPlan{wanted: wanted}
	for _, k := range wanted.Keys() {
		name := modules.PyStr(k)
		versions := texts(have.List(name))
		want, _ := wanted.Get(name)
		if want == "latest" {
			if want, err = c.pkgNewest(ctx, name, versions); err != nil {
				return nil, err
			}
			wanted.Set(name, want)
		}
		text, hasVersion := want.(string)
		switch {
		case len(versions) == 0:
			plan.targets = append(plan.targets, name)
		case c.Truth("reinstall"):
			plan.again = append(plan.again, name)
		case hasVersion:
			done, err := c.fulfills(ctx, versions, text)
			if err != nil {
				return nil, err
			}
			if !done {
				plan.targets = append(plan.targets, name)
			}
		}
	}
	if len(plan.targets)+len(plan.again) > 0 {
		return plan, nil
	}
	r.Comment = pkgAlready(wanted)
	return plan, nil
}

// pkgAlready returns the comment if nothing has to be done.
func pkgAlready(wanted *value.Map) string {
	text := "All specified packages are already installed"
	wanted.Range(func(_, v any) bool {
		if v != nil {
			text = "All specified packages are already installed and are at the desired version"
		}
		return v == nil
	})
	return text
}

// pkgNewest returns the newest version of a package: the available one, else the installed
// one.
func (c *Call) pkgNewest(ctx context.Context, name string, have []string) (any, error) {
	v, err := c.Module(ctx, "pkg.latest_version", []any{name}, value.NewMap("refresh", c.refresh()))
	if err != nil {
		return nil, err
	}
	if v == "" && len(have) > 0 {
		return have[len(have)-1], nil
	}
	return versionText(v), nil
}

func (c *Call) pkgWould(r *states.Result, plan *pkgPlan) (*states.Result, error) {
	var lines []string
	for _, l := range []struct {
		names []string
		text  string
	}{{plan.targets, "The following packages would be installed/updated: "}, {plan.again, "The following packages would be reinstalled: "}} {
		if len(l.names) == 0 {
			continue
		}
		lines = append(lines, l.text+strings.Join(l.names, ", "))
		for _, name := range l.names {
			r.Changes.Set(name, value.NewMap("new", "installed", "old", ""))
		}
	}
	return says(r, nil, "%s", strings.Join(lines, "\n"))
}

// pkgDo installs the packages and checks the result.
func (c *Call) pkgDo(ctx context.Context, r *states.Result, plan *pkgPlan) (*states.Result, error) {
	kwargs := value.NewMap("refresh", c.refresh(), "skip_verify", c.Value("skip_verify"), "reinstall", len(plan.again) > 0,
		"ignore_epoch", pyfmt.Truth(c.Value("ignore_epoch")), "saltenv", c.Saltenv)
	if repo := c.Value("fromrepo"); repo != nil {
		kwargs.Set("fromrepo", repo)
	}
	plan.handed.Range(func(k, v any) bool {
		kwargs.Set(k, v)
		return true
	})
	names := slices.Concat(plan.targets, plan.again)
	if sources, ok := c.Value("sources").([]any); ok {
		kwargs.Set("sources", slices.DeleteFunc(slices.Clone(sources), func(s any) bool {
			m, _ := s.(*value.Map)
			return m.Len() != 1 || !slices.Contains(names, modules.PyStr(m.Keys()[0]))
		}))
	} else {
		var pkgs []any
		for _, name := range names {
			v, _ := plan.wanted.Get(name)
			pkgs = append(pkgs, value.NewMap(name, v))
		}
		kwargs.Set("pkgs", pkgs)
	}
	v, err := c.Module(ctx, "pkg.install", nil, kwargs)
	if err != nil {
		return failedPkg(r, err, "installing package(s)")
	}
	if diff, ok := v.(*value.Map); ok && diff != nil {
		r.Changes = diff
	}
	held, err := c.holding(ctx, plan.wanted.Keys())
	if text, failed := work(err); failed {
		return says(r, false, "%s", text)
	}
	if err != nil {
		return nil, err
	}
	return r, c.pkgVerdict(ctx, r, plan, held)
}

// pkgVerdict sets the result: which packages are as wanted now, and whether holding them
// succeeded.
func (c *Call) pkgVerdict(ctx context.Context, r *states.Result, plan *pkgPlan, held holdings) error {
	have, err := c.installedPkgs(ctx, nil)
	if err != nil {
		return err
	}
	var done, before, failed []string
	for _, k := range plan.wanted.Keys() {
		name := modules.PyStr(k)
		want, _ := plan.wanted.Get(name)
		versions := texts(have.List(name))
		ok := len(versions) > 0
		if text, hasVersion := want.(string); ok && hasVersion {
			if ok, err = c.fulfills(ctx, versions, text); err != nil {
				return err
			}
		}
		if pyfmt.Truth(c.Value("sources")) {
			want = nil
		}
		switch {
		case slices.Contains(plan.again, name):
		case ok && slices.Contains(plan.targets, name):
			done = append(done, versioned(name, want))
		case ok:
			before = append(before, versioned(name, want))
		default:
			failed = append(failed, versioned(name, want))
		}
	}
	var lines []string
	if len(failed) > 0 {
		r.Result = false
		lines = append(lines, "The following packages failed to install/update: "+strings.Join(failed, ", "))
	}
	if summary := strings.Join(done, ", "); len(done) > 0 && len(summary) < 20 {
		lines = append(lines, "The following packages were installed/updated: "+summary)
	} else if len(done) > 0 {
		lines = append(lines, counted(len(done), "installed/updated."))
	}
	held.merge(r.Changes)
	lines = append(lines, comments(held.changed)...)
	if len(before) > 20 {
		lines = append(lines, counted(len(before), "already installed"))
	} else if len(before) > 0 {
		lines = append(lines, "The following packages were already installed: "+strings.Join(before, ", "))
	}
	lines = slices.Concat(lines, comments(held.same), comments(held.failed))
	if len(held.failed) > 0 {
		r.Result = false
	}
	for _, name := range plan.again {
		want, _ := plan.wanted.Get(name)
		if r.Changes.Has(name) {
			lines = append(lines, "Package "+versioned(name, want)+" was reinstalled.")
			continue
		}
		r.Result = false
		lines = append(lines, "Reinstall was not successful for package "+versioned(name, want)+".")
	}
	r.Comment = strings.Join(lines, "\n")
	return nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 targeted package was " + what
	}
	return modules.PyStr(int64(n)) + " targeted packages were " + what
}
