package modules

import (
	"context"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

func init() {
	pkgs := []Arg{{Name: "name"}, {Name: "pkgs"}}
	const about = `
name is one package or several with commas, pkgs a list.
`
	Register("pkg",
		Function{
			Name: "install", VarKw: true, Run: pkgInstall,
			Args: []Arg{
				{Name: "name"},
				{Name: "refresh", Default: false},
				{Name: "fromrepo"},
				{Name: "skip_verify", Default: false},
				{Name: "debconf"},
				{Name: "pkgs"},
				{Name: "sources"},
				{Name: "reinstall", Default: false},
				{Name: "downloadonly", Default: false},
				{Name: "ignore_epoch", Default: false},
				{Name: "saltenv"},
			},
			Doc: `
Install packages, or other versions of them. Returns the changes: {name: {old:
VERSION, new: VERSION}}.

name
    one package, or several with commas; version=VERSION is the version of each,
    also as a condition such as >=VERSION
pkgs
    a list of packages, each a name or {name: version}
sources
    a list of {name: file}: packages in files, of the minion or behind salt://
    (in saltenv) or http://
refresh : False
    fetch the lists of packages first
fromrepo
    install from this repository or release
skip_verify : False
    install unsigned packages
reinstall : False
    reinstall installed packages
downloadonly : False
    only fetch them
ignore_epoch : False
    compare versions without the part before a colon
install_recommends, only_upgrade, force_conf_new, force_yes, cache_valid_time
    on Debian, as for apt-get
enablerepo, disablerepo
    on hosts with dnf or yum

Any other keyword, such as debconf, is an error that names it, and so is one
that the package manager of the host lacks: fromrepo, reinstall and downloadonly
with apk. version applies to name; with pkgs or sources it is ignored with a
warning in the log.

CLI Example:

    salt '*' pkg.install vim
    salt '*' pkg.install pkgs='["foo", {"bar": "1.2.3-0ubuntu0"}]'
`,
		},
		Function{Name: "remove", Args: pkgs, VarKw: true, Run: pkgRemove(false), Doc: `
Remove packages. Returns the changes.
` + about + `
CLI Example:

    salt '*' pkg.remove vim
`},
		Function{Name: "purge", Args: pkgs, VarKw: true, Run: pkgRemove(true), Doc: `
Remove packages with their configuration. Returns the changes.
` + about + `
CLI Example:

    salt '*' pkg.purge vim
`},
		Function{Name: "upgrade", Args: []Arg{{Name: "refresh", Default: true}, {Name: "dist_upgrade", Default: false}}, VarKw: true, Run: pkgUpgrade, Doc: `
Upgrade all packages. refresh=True refreshes the package lists first;
dist_upgrade=True may remove other packages. Returns the changes.
downloadonly=True only downloads the packages.

CLI Example:

    salt '*' pkg.upgrade
`},
		Function{Name: "hold", Args: append(pkgs, Arg{Name: "sources"}), VarKw: true, Run: pkgHold(true), Doc: `
Hold packages: upgrades do not change them. sources is a list of {name: file},
of which only the names are used.
` + about + `
CLI Example:

    salt '*' pkg.hold vim
`},
		Function{Name: "unhold", Args: append(pkgs, Arg{Name: "sources"}), VarKw: true, Run: pkgHold(false), Doc: `
Release held packages. sources is a list of {name: file}, of which only the
names are used.
` + about + `
CLI Example:

    salt '*' pkg.unhold vim
`},
		Function{Name: "list_holds", VarKw: true, Run: pkgHolds, Doc: `
List the held packages.

CLI Example:

    salt '*' pkg.list_holds
`},
	)
}

// pkgFault returns the error of a package change that failed in part.
func pkgFault(msg string, faults []string, diff *value.Map) error {
	return &InfoError{Msg: msg, Info: value.NewMap("errors", wire.AnyList(faults), "changes", diff)}
}

func pkgInstall(ctx context.Context, c *Call) (any, error) {
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkPkg("install", p); err != nil {
		return nil, err
	}
	targets, err := c.pkgTargets(ctx)
	if err != nil || len(targets) == 0 {
		return value.NewMap(), err
	}
	if c.IsTrue("refresh") {
		if _, err := p.Refresh(ctx, c); err != nil {
			return nil, err
		}
	}
	old, err := p.Installed(ctx, c, "installed")
	if err != nil {
		return nil, err
	}
	var faults []string
	targets, faults, err = resolve(ctx, c, p, targets, old)
	if err != nil {
		return nil, err
	}
	if len(targets) > 0 {
		more, err := p.Install(ctx, c, targets, old)
		if err != nil {
			return nil, err
		}
		faults = append(faults, more...)
	}
	now, err := p.Installed(ctx, c, "installed")
	if err != nil {
		return nil, err
	}
	diff := changes(old, now)
	for _, t := range targets {
		if t.reinstall && !diff.Has(t.name) {
			diff.Set(t.name, value.NewMap("old", strings.Join(old[t.name], ","), "new", strings.Join(now[t.name], ",")))
		}
	}
	if len(faults) > 0 {
		return nil, pkgFault("Problem encountered installing package(s)", faults, diff)
	}
	return diff, nil
}

// resolve replaces conditions such as ">=2" by a version, and marks installed packages to
// reinstall. It returns faults for packages that are not available.
func resolve(ctx context.Context, c *Call, p packager, targets []pkgTarget, old packages) (out []pkgTarget, faults []string, err error) {
	for _, t := range targets {
		switch {
		case t.file != "":
		case strings.ContainsAny(t.version[:min(1, len(t.version))], "<>"):
			latest, err := p.Latest(ctx, c, []string{t.name})
			if err != nil {
				return nil, nil, err
			}
			ok, err := satisfies(ctx, c, p, latest[t.name], t.version, c.IsTrue("ignore_epoch"))
			if err != nil {
				return nil, nil, err
			}
			if latest[t.name] == "" || !ok {
				faults = append(faults, "No version matching '"+t.name+t.version+"' could be found (available: "+latest[t.name]+")")
				continue
			}
			t.version = latest[t.name]
		default:
			t.version = strings.TrimLeft(t.version, "=")
		}
		if c.IsTrue("reinstall") && len(old[t.name]) > 0 && t.file == "" {
			t.reinstall = t.version == "" || slices.Contains(old[t.name], t.version)
		}
		out = append(out, t)
	}
	return out, faults, nil
}

// satisfies reports whether a version meets a condition such as ">=2"; without an operator
// the versions have to be equal.
func satisfies(ctx context.Context, c *Call, p packager, version, condition string, ignoreEpoch bool) (bool, error) {
	if version == "" {
		return false, nil
	}
	want := strings.TrimLeft(condition, "<>=!")
	op := condition[:len(condition)-len(want)]
	if ignoreEpoch {
		version, want = version[strings.IndexByte(version, ':')+1:], want[strings.IndexByte(want, ':')+1:]
	}
	want = strings.TrimSpace(want)
	if err := plainArg("a version", want); err != nil {
		return false, err
	}
	cmp, err := p.Compare(ctx, c, version, want)
	switch op {
	case "<":
		return cmp < 0, err
	case "<=":
		return cmp <= 0, err
	case ">":
		return cmp > 0, err
	case ">=":
		return cmp >= 0, err
	case "!=":
		return cmp != 0, err
	}
	return cmp == 0, err
}

func pkgRemove(purge bool) func(context.Context, *Call) (any, error) {
	fun := map[bool]string{true: "purge", false: "remove"}[purge]
	return func(ctx context.Context, c *Call) (any, error) {
		p, err := packagerOf(c)
		if err != nil {
			return nil, err
		}
		if err := c.checkPkg(fun, p); err != nil {
			return nil, err
		}
		targets, err := c.pkgTargets(ctx)
		if err != nil {
			return nil, err
		}
		old, err := p.Installed(ctx, c, "installed")
		if err != nil {
			return nil, err
		}
		if err := checkVersions(fun, targets, old); err != nil {
			return nil, err
		}
		gone, err := p.Installed(ctx, c, "removed")
		if err != nil {
			return nil, err
		}
		var names []string
		for _, t := range targets {
			if len(old[t.name]) > 0 || purge && len(gone[t.name]) > 0 {
				names = append(names, t.name)
			}
		}
		if len(names) == 0 {
			return value.NewMap(), nil
		}
		faults, err := p.Remove(ctx, c, names, purge)
		if err != nil {
			return nil, err
		}
		now, err := p.Installed(ctx, c, "installed")
		if err != nil {
			return nil, err
		}
		diff := changes(old, now)
		if _, debian := p.(apt); debian && purge {
			left, err := p.Installed(ctx, c, "removed")
			if err != nil {
				return nil, err
			}
			diff = value.NewMap("removed", changes(gone, left), "installed", diff)
		}
		if len(faults) > 0 {
			return nil, pkgFault("Problem encountered removing package(s)", faults, diff)
		}
		return diff, nil
	}
}

func pkgUpgrade(ctx context.Context, c *Call) (any, error) {
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkPkg("upgrade", p); err != nil {
		return nil, err
	}
	if c.IsTrue("refresh") {
		if _, err := p.Refresh(ctx, c); err != nil {
			return nil, err
		}
	}
	old, err := p.Installed(ctx, c, "installed")
	if err != nil {
		return nil, err
	}
	r, err := p.Upgrade(ctx, c)
	if err != nil {
		return nil, err
	}
	now, err := p.Installed(ctx, c, "installed")
	if err != nil {
		return nil, err
	}
	diff := changes(old, now)
	if r.retcode != 0 {
		return nil, &InfoError{Msg: "Problem encountered upgrading packages", Info: value.NewMap("changes", diff, "result", r.all())}
	}
	return diff, nil
}

func pkgHold(hold bool) func(context.Context, *Call) (any, error) {
	held, done, already := "is now being held", "hold", "is already set to be held"
	if !hold {
		held, done, already = "is no longer being held", "install", "is already set not to be held"
	}
	fun := map[bool]string{true: "hold", false: "unhold"}[hold]
	return func(ctx context.Context, c *Call) (any, error) {
		if !given(c.Value("name")) && !given(c.Value("pkgs")) && !given(c.Value("sources")) {
			return nil, InvocationErrorf("One of name, pkgs, or sources must be specified.")
		}
		p, err := packagerOf(c)
		if err != nil {
			return nil, err
		}
		if err := c.checkPkg(fun, p); err != nil {
			return nil, err
		}
		targets, err := c.pkgTargets(ctx)
		if err != nil {
			return nil, err
		}
		for _, t := range targets {
			if t.version != "" {
				return nil, InvocationErrorf("pkg.%s does not support version %s of %s; leave it out to select the installed version", fun, t.version, t.name)
			}
		}
		now, err := p.Held(ctx, c)
		if err != nil {
			return nil, err
		}
		out := value.NewMap()
		for _, t := range targets {
			r := value.NewMap("name", t.name, "changes", value.NewMap(), "result", true, "comment", "Package "+t.name+" "+already+".")
			out.Set(t.name, r)
			if slices.Contains(now, t.name) == hold {
				continue
			}
			if err := p.Hold(ctx, c, t.name, hold); err != nil {
				r.Set("result", false)
				r.Set("comment", err.Error())
				continue
			}
			was := map[bool]string{true: "install", false: "hold"}[hold]
			r.Set("changes", value.NewMap("old", was, "new", done))
			r.Set("comment", "Package "+t.name+" "+held+".")
		}
		return out, nil
	}
}

func pkgHolds(ctx context.Context, c *Call) (any, error) {
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkPkg("list_holds", p); err != nil {
		return nil, err
	}
	held, err := p.Held(ctx, c)
	return wire.AnyList(held), err
}
