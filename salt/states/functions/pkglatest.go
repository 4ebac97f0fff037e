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

func pkgLatest(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	if c.Kwargs.Has("sources") {
		return says(r, false, "The \"sources\" parameter is not supported.")
	}
	if pyfmt.Truth(c.Value("watch_flags")) {
		return says(r, false, "pkg.latest does not support watch_flags (leave it out: it is for Gentoo)")
	}
	handed, refusal := c.pkgKeywords("install")
	if refusal != "" {
		return says(r, false, "%s", refusal)
	}
	if list, ok := c.Value("pkgs").([]any); ok && len(list) == 0 {
		return says(r, true, "No packages to install provided")
	}
	wanted, ok := c.normalWishes()
	if !ok {
		return says(r, false, "Invalidly formatted \"pkgs\" parameter. See minion log.")
	}
	names := wanted.Keys()
	kwargs := some(handed, "enablerepo", "disablerepo", "cache_valid_time")
	kwargs.Set("refresh", c.refresh())
	if repo := c.Value("fromrepo"); repo != nil {
		kwargs.Set("fromrepo", repo)
	}
	avail, err := c.versionsOf(ctx, "pkg.latest_version", names, kwargs)
	if text, failed := work(err); failed {
		return says(r, false, "An error was encountered while checking the newest available version of package(s): %s", text)
	}
	if err != nil {
		return nil, err
	}
	have, err := c.versionsOf(ctx, "pkg.version", names, nil)
	if err != nil {
		return nil, err
	}
	var targets, current, unknown []string
	for _, k := range names {
		name := modules.PyStr(k)
		switch {
		case avail[name] != "":
			targets = append(targets, name)
		case have[name] != "":
			current = append(current, name)
		default:
			unknown = append(unknown, "No information found for '"+name+"'.")
		}
	}
	slices.Sort(targets)
	slices.Sort(current)
	switch {
	case len(unknown) > 0:
		return says(r, false, "%s", strings.Join(unknown, " "))
	case len(targets) == 0 && len(current) > 10:
		return says(r, true, "All %d packages are up-to-date.", len(current))
	case len(targets) == 0 && len(current) > 1:
		return says(r, true, "All packages are up-to-date (%s).", strings.Join(current, ", "))
	case len(targets) == 0:
		return says(r, true, "Package %s is already up-to-date", current[0])
	case c.Test:
		lines := []string{"The following packages would be installed/upgraded: " + strings.Join(targets, ", ")}
		if n := len(current); n > 10 {
			lines = append(lines, modules.PyStr(int64(n))+" packages are already up-to-date")
		} else if n > 0 {
			with := make([]string, n)
			for i, name := range current {
				with[i] = name + " (" + have[name] + ")"
			}
			lines = append(lines, "The following packages are already up-to-date: "+strings.Join(with, ", "))
		}
		return says(r, nil, "%s", strings.Join(lines, "\n"))
	}
	kwargs = handed
	kwargs.Set("pkgs", texted(targets))
	kwargs.Set("refresh", false)
	kwargs.Set("skip_verify", c.Value("skip_verify"))
	if repo := c.Value("fromrepo"); repo != nil {
		kwargs.Set("fromrepo", repo)
	}
	v, err := c.Module(ctx, "pkg.install", nil, kwargs)
	if text, failed := work(err); failed {
		return says(r, false, "An error was encountered while installing package(s): %s", text)
	}
	if err != nil {
		return nil, err
	}
	if diff, ok := v.(*value.Map); ok && diff != nil {
		r.Changes = diff
	}
	return latestVerdict(r, targets, current, avail)
}

// versionsOf calls a function that returns versions of packages.
func (c *Call) versionsOf(ctx context.Context, fun string, names []any, kwargs *value.Map) (map[string]string, error) {
	v, err := c.Module(ctx, fun, names, kwargs)
	out := map[string]string{}
	if text, ok := v.(string); ok && len(names) > 0 {
		out[modules.PyStr(names[0])] = text
	}
	if m, ok := v.(*value.Map); ok {
		for _, k := range m.Keys() {
			out[modules.PyStr(k)] = m.String(modules.PyStr(k))
		}
	}
	return out, err
}

// latestVerdict sets the result: which packages are the newest now.
func latestVerdict(r *states.Result, targets, current []string, avail map[string]string) (*states.Result, error) {
	var good, bad, lines []string
	for _, name := range targets {
		if diff := r.Changes.Map(name); diff != nil && diff.String("new") == avail[name] {
			good = append(good, name)
		} else {
			bad = append(bad, name)
		}
	}
	switch {
	case r.Changes.Len() > 0:
		if len(bad) > 0 {
			lines = append(lines, "The following packages failed to update: "+strings.Join(bad, ", "))
		}
		if len(good) > 0 {
			lines = append(lines, "The following packages were successfully installed/upgraded: "+strings.Join(good, ", "))
		}
	case len(targets) > 10:
		lines = append(lines, modules.PyStr(int64(len(targets)))+" targeted packages failed to update. See debug log for details.")
	case len(targets) > 1:
		lines = append(lines, "The following targeted packages failed to update. See debug log for details: ("+strings.Join(targets, ", ")+").")
	default:
		lines = append(lines, "Package "+targets[0]+" failed to update.")
	}
	if n := len(current); n > 10 {
		lines = append(lines, modules.PyStr(int64(n))+" packages were already up-to-date ")
	} else if n > 0 {
		lines = append(lines, "The following packages were already up-to-date: "+strings.Join(current, ", "))
	}
	return says(r, len(bad) == 0, "%s", strings.Join(lines, " "))
}

// pkgGone returns a function that removes or purges packages.
func pkgGone(action string) func(context.Context, *Call) (*states.Result, error) {
	return func(ctx context.Context, c *Call) (*states.Result, error) {
		r := outcome(c)
		if _, refusal := c.pkgKeywords(action); refusal != "" {
			return says(r, false, "%s", refusal)
		}
		wanted, ok := c.normalWishes()
		if !ok {
			return says(r, false, "Invalidly formatted pkgs parameter. See minion log.")
		}
		targets, specific, err := c.pkgThere(ctx, wanted)
		if err != nil {
			return nil, err
		}
		if action == "purge" {
			left, err := c.installedPkgs(ctx, value.NewMap("removed", true))
			if err != nil {
				return nil, err
			}
			for _, k := range wanted.Keys() {
				if left.Has(modules.PyStr(k)) {
					targets = append(targets, modules.PyStr(k))
				}
			}
		}
		targets = sorted(targets)
		switch {
		case len(targets) == 0 && action == "purge":
			return says(r, true, "None of the targeted packages are installed or partially installed")
		case len(targets) == 0:
			return says(r, true, "All specified packages%s are already absent", map[bool]string{true: " (matching specified versions)"}[specific])
		case c.Test:
			for _, name := range targets {
				r.Changes.Set(name, value.NewMap("new", action+"d", "old", ""))
			}
			return says(r, nil, "The following packages will be %sd: %s.", action, strings.Join(targets, ", "))
		}
		v, err := c.Module(ctx, "pkg."+action, nil, value.NewMap("pkgs", texted(targets)))
		if err != nil {
			return failedPkg(r, err, map[string]string{"remove": "removing", "purge": "purging"}[action]+" package(s)")
		}
		if diff, ok := v.(*value.Map); ok && diff != nil {
			r.Changes = diff
		}
		return c.pkgGoneVerdict(ctx, r, wanted, targets, action)
	}
}

// pkgThere returns the wanted packages that are installed, in the wanted version if given;
// specific reports whether a version was given.
func (c *Call) pkgThere(ctx context.Context, wanted *value.Map) (targets []string, specific bool, err error) {
	have, err := c.installedPkgs(ctx, nil)
	if err != nil {
		return nil, false, err
	}
	for _, k := range wanted.Keys() {
		name := modules.PyStr(k)
		versions := texts(have.List(name))
		want, _ := wanted.Get(name)
		text, hasVersion := want.(string)
		is := len(versions) > 0
		if is && hasVersion {
			specific = true
			if is, err = c.fulfills(ctx, versions, text); err != nil {
				return nil, specific, err
			}
		}
		if is {
			targets = append(targets, name)
		}
	}
	return targets, specific, nil
}

func (c *Call) pkgGoneVerdict(ctx context.Context, r *states.Result, wanted *value.Map, targets []string, action string) (*states.Result, error) {
	have, err := c.installedPkgs(ctx, nil)
	if err != nil {
		return nil, err
	}
	left := value.NewMap()
	if action == "purge" {
		if left, err = c.installedPkgs(ctx, value.NewMap("removed", true)); err != nil {
			return nil, err
		}
	}
	var failed, missing []string
	for _, k := range wanted.Keys() {
		name := modules.PyStr(k)
		if slices.Contains(targets, name) && (have.Has(name) || left.Has(name)) {
			failed = append(failed, name)
		}
		if !slices.Contains(targets, name) {
			missing = append(missing, name)
		}
	}
	slices.Sort(failed)
	slices.Sort(missing)
	switch {
	case len(failed) > 0:
		return says(r, false, "The following packages failed to %s: %s.", action, strings.Join(failed, ", "))
	case len(missing) > 0:
		return says(r, true, "The following packages were not installed: %s The following packages were %sd: %s.",
			strings.Join(missing, ", "), action, strings.Join(targets, ", "))
	}
	return says(r, true, "All targeted packages were %sd.", action)
}
