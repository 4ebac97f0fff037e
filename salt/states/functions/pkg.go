package functions

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	name := states.Arg{Name: "name", Required: true}
	repo := []states.Arg{{Name: "refresh"}, {Name: "fromrepo"}, {Name: "skip_verify", Default: false}}
	gone := states.Spec{Args: []states.Arg{name, {Name: "version"}, {Name: "pkgs"}, {Name: "normalize"}, {Name: "ignore_epoch"}}, VarKw: true}
	Register("pkg",
		Function{
			Name: "installed", Run: pkgInstalled,
			Spec: states.Spec{Args: slices.Concat([]states.Arg{name, {Name: "version"}}, repo, []states.Arg{
				{Name: "skip_suggestions"},
				{Name: "pkgs"},
				{Name: "sources"},
				{Name: "allow_updates", Default: false},
				{Name: "pkg_verify", Default: false},
				{Name: "normalize"},
				{Name: "ignore_epoch"},
				{Name: "reinstall", Default: false},
				{Name: "update_holds"},
				{Name: "hold"},
			}), VarKw: true},
			Doc: `
Ensure that packages are installed, in the given version if any.

name, version
    a package; the version may be a condition such as '>=1.2' or end with *
pkgs
    several, as names or {name: version}
sources
    packages in files: {name: file}
refresh
    True refreshes the package lists first, False does not; by default the first
    package state of a run does, if something has to be installed
fromrepo, skip_verify, ignore_epoch, reinstall
    as in pkg.install
allow_updates : False
    accept a newer version
hold
    True holds them afterwards, False releases them
pkg_verify
    not supported; a state that sets it fails
normalize : True
    removes the architecture of this host from names that end with it
skip_suggestions, update_holds
    only values without an effect are supported, others fail: nothing is
    suggested (True), and held packages are released while they change with apt
    (True), not elsewhere (False)

Other keywords are passed to pkg.install; an unsupported one fails the state
before it changes anything.

    httpd:
      pkg.installed:
        - version: 2.4.*
`,
		},
		Function{
			Name: "latest", Run: pkgLatest,
			Spec: states.Spec{Args: slices.Concat([]states.Arg{name}, repo, []states.Arg{{Name: "pkgs"}, {Name: "watch_flags"}}), VarKw: true},
			Doc: `
Ensure that packages are installed in the newest available version; pkgs is a
list of several. refresh, fromrepo and skip_verify are as in pkg.installed;
watch_flags, for Gentoo, is not supported, nor is any keyword that pkg.install
does not support.

    httpd:
      pkg.latest: []
`,
		},
		Function{Name: "removed", Spec: gone, Run: pkgGone("remove"), Doc: `
Ensure that packages are not installed: name, or pkgs, those that have the
version if given (ignore_epoch: without the part before a colon).

    telnetd:
      pkg.removed: []
`},
		Function{Name: "purged", Spec: gone, Run: pkgGone("purge"), Doc: `
Ensure that packages and their configuration are not installed: name, or pkgs,
those that have the version if given.

    telnetd:
      pkg.purged: []
`},
		Function{
			Name: "uptodate", Run: pkgUptodate,
			Spec: states.Spec{Args: []states.Arg{name, {Name: "refresh", Default: false}, {Name: "pkgs"}}, VarKw: true},
			Doc: `
Ensure that all packages are up to date; pkgs lists those whose upgrade counts.
refresh refreshes the package lists first.

    everything:
      pkg.uptodate:
        - refresh: True
`,
		},
	)
}

// pkgKeywords returns the keywords that a state passes to pkg.FUN, including those of its
// own arguments that are given. refusal is a message about an unsupported one.
func (c *Call) pkgKeywords(fun string, own ...string) (kwargs *value.Map, refusal string) {
	kwargs = value.NewMap()
	c.Kwargs.Range(func(k, v any) bool {
		kwargs.Set(k, v)
		return true
	})
	for _, name := range own {
		if v := c.Value(name); v != nil {
			kwargs.Set(name, v)
		}
	}
	if err := modules.CheckPkgKeywords(fun, kwargs); err != nil {
		return nil, err.Error()
	}
	return kwargs, ""
}

// some returns the keywords accepted by a function that only reads.
func some(kwargs *value.Map, names ...string) *value.Map {
	out := value.NewMap()
	for _, name := range names {
		if v, ok := kwargs.Get(name); ok {
			out.Set(name, v)
		}
	}
	return out
}

type refreshedKey struct{}

// refresh reports whether to refresh the package lists: as the state says, or by default in
// the first state of a run.
func (c *Call) refresh() bool {
	if v := c.Value("refresh"); v != nil {
		return pyfmt.Truth(v)
	}
	if c.Run == nil {
		return true
	}
	first := false
	c.Run.Update(refreshedKey{}, func(old any) any {
		first = old == nil
		return true
	})
	return first
}

// failedPkg sets the result after a failed package change.
func failedPkg(r *states.Result, err error, doing string) (*states.Result, error) {
	var info *modules.InfoError
	var failed *modules.CommandError
	switch {
	case errors.As(err, &info):
		if m := info.Info.Map("changes"); m != nil {
			r.Changes = m
		}
		return says(r, false, "%s", info.WithoutChanges())
	case errors.As(err, &failed):
		return says(r, false, "An error was encountered while %s: %s", doing, failed.Msg)
	}
	return nil, err
}

// wishes parses name, version and pkgs: names with the wanted versions.
func (c *Call) wishes() (*value.Map, bool) {
	out := value.NewMap()
	list, isList := c.Value("pkgs").([]any)
	if c.Value("pkgs") == nil {
		out.Set(c.Name(), versionText(c.Value("version")))
		return out, true
	}
	if !isList {
		return nil, false
	}
	for _, e := range list {
		m, isMap := e.(*value.Map)
		if !isMap {
			out.Set(modules.PyStr(e), nil)
			continue
		}
		m.Range(func(k, v any) bool {
			out.Set(modules.PyStr(k), versionText(v))
			return true
		})
	}
	return out, out.Len() > 0
}

// normalWishes returns the wishes with names in the form of pkg.list_pkgs: without the
// architecture of this host, unless normalize is False.
func (c *Call) normalWishes() (*value.Map, bool) {
	wanted, ok := c.wishes()
	if v := c.Value("normalize"); v != nil && !pyfmt.Truth(v) {
		return wanted, ok
	}
	out := value.NewMap()
	wanted.Range(func(k, v any) bool {
		out.Set(c.listedName(modules.PyStr(k)), v)
		return true
	})
	return out, ok
}

// listedName returns the name of a package without the architecture of this host.
func (c *Call) listedName(name string) string {
	var sep string
	all := []string{c.Env.Grains().String("osarch")}
	switch c.Env.Grains().String("os_family") {
	case "Debian":
		sep, all = ":", append(all, "all", "any")
	case "RedHat", "Suse":
		sep, all = ".", append(all, "noarch")
	default:
		return name
	}
	if i := strings.LastIndex(name, sep); i > 0 && slices.Contains(all, name[i+1:]) {
		return name[:i]
	}
	return name
}

// versionText returns a version as text, or nil.
func versionText(v any) any {
	if v == nil || v == "" {
		return nil
	}
	return modules.PyStr(v)
}

func pyText(v any) string { return modules.PyStr(v) }

// installedPkgs returns the installed versions.
func (c *Call) installedPkgs(ctx context.Context, kwargs *value.Map) (*value.Map, error) {
	all := value.NewMap("versions_as_list", true)
	kwargs.Range(func(k, v any) bool {
		all.Set(k, v)
		return true
	})
	v, err := c.Module(ctx, "pkg.list_pkgs", nil, all)
	m, _ := v.(*value.Map)
	return m, err
}

// fulfills reports whether one of the installed versions is the wanted one.
func (c *Call) fulfills(ctx context.Context, have []string, want string) (bool, error) {
	for condition := range strings.SplitSeq(want, ",") {
		condition = strings.TrimSpace(condition)
		ok, err := c.fulfillsOne(ctx, have, condition)
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func (c *Call) fulfillsOne(ctx context.Context, have []string, want string) (bool, error) {
	version := strings.TrimLeft(want, "<>=!")
	op := want[:len(want)-len(version)]
	if op == "" && c.Truth("allow_updates") {
		op = ">="
	}
	for _, v := range have {
		if op == "" || op == "=" || op == "==" {
			if prefix, ok := strings.CutSuffix(version, "*"); ok && strings.HasPrefix(v, prefix) {
				return true, nil
			}
		}
		kwargs := value.NewMap("ignore_epoch", pyfmt.Truth(c.Value("ignore_epoch")))
		cmp, err := c.Module(ctx, "pkg.version_cmp", []any{v, strings.TrimSpace(version)}, kwargs)
		if err != nil {
			return false, err
		}
		n := value.NewMap("n", cmp).Int("n")
		switch {
		case op == "<" && n < 0, op == "<=" && n <= 0, op == ">" && n > 0, op == ">=" && n >= 0, op == "!=" && n != 0,
			(op == "" || op == "=" || op == "==") && n == 0:
			return true, nil
		}
	}
	return false, nil
}

// versioned returns a package as name and version.
func versioned(name string, version any) string {
	text, ok := version.(string)
	if !ok {
		return name
	}
	if strings.HasPrefix(text, ">") || strings.HasPrefix(text, "<") || strings.HasPrefix(text, "=") {
		return name + text
	}
	return name + "=" + text
}

func pkgUptodate(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	refresh, ok := c.Value("refresh").(bool)
	if !ok {
		return says(r, false, "refresh must be either True or False")
	}
	handed, refusal := c.pkgKeywords("upgrade")
	if refusal != "" {
		return says(r, false, "%s", refusal)
	}
	asks := some(handed, "fromrepo", "enablerepo", "disablerepo", "cache_valid_time", "dist_upgrade")
	asks.Set("refresh", refresh)
	v, err := c.Module(ctx, "pkg.list_upgrades", nil, asks)
	if text, failed := work(err); failed {
		return says(r, false, "%s", text)
	}
	if err != nil {
		return nil, err
	}
	ups, _ := v.(*value.Map)
	expected, only := value.NewMap(), texts(c.Value("pkgs"))
	for _, k := range ups.Keys() {
		name := modules.PyStr(k)
		if c.Value("pkgs") != nil && !slices.Contains(only, name) {
			continue
		}
		old, err := c.Module(ctx, "pkg.version", []any{name}, nil)
		if err != nil {
			return nil, err
		}
		expected.Set(name, value.NewMap("new", ups.String(name), "old", old))
	}
	switch {
	case expected.Len() == 0:
		return says(r, true, "System is already up-to-date")
	case c.Test:
		r.Changes = expected
		return says(r, nil, "System update will be performed")
	}
	handed.Set("refresh", false)
	v, err = c.Module(ctx, "pkg.upgrade", nil, handed)
	if err != nil {
		return failedPkg(r, err, "updating packages")
	}
	r.Changes, _ = v.(*value.Map)
	var missing []string
	for _, k := range expected.Keys() {
		if c.Value("pkgs") != nil && !r.Changes.Has(modules.PyStr(k)) {
			missing = append(missing, modules.PyStr(k))
		}
	}
	if len(missing) > 0 {
		return says(r, false, "The following package(s) failed to update: %s", strings.Join(missing, ", "))
	}
	return says(r, true, "Upgrade ran successfully")
}
