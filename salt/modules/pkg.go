package modules

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// packager manages the packages of a host.
type packager interface {
	// Installed returns the packages with their versions: the installed ones, those removed
	// except for their configuration ("removed"), or those marked for purging
	// ("purge_desired").
	Installed(ctx context.Context, c *Call, what string) (packages, error)
	// Refresh updates the package lists; the result is Salt's.
	Refresh(ctx context.Context, c *Call) (any, error)
	// Latest returns the version of each package that would be installed, "" if none is
	// available.
	Latest(ctx context.Context, c *Call, names []string) (map[string]string, error)
	// Install installs packages and returns error messages.
	Install(ctx context.Context, c *Call, targets []pkgTarget, old packages) ([]string, error)
	// Remove removes installed packages, with their configuration if purge. It returns
	// error messages.
	Remove(ctx context.Context, c *Call, names []string, purge bool) ([]string, error)
	// Upgrade upgrades all packages.
	Upgrade(ctx context.Context, c *Call) (ran, error)
	// Upgrades returns the packages that would be upgraded, with their new versions.
	Upgrades(ctx context.Context, c *Call) (map[string]string, error)
	// Compare returns -1, 0 or 1 if version a is older than b, equal, or newer.
	Compare(ctx context.Context, c *Call, a, b string) (int, error)
	// Held returns the packages on hold.
	Held(ctx context.Context, c *Call) ([]string, error)
	// Hold holds a package, or releases it.
	Hold(ctx context.Context, c *Call, name string, hold bool) error
	// Files lists the files of a package, Owner the package of a file (or "").
	Files(ctx context.Context, c *Call, name string) ([]string, error)
	Owner(ctx context.Context, c *Call, path string) (string, error)
}

// packages maps names to versions.
type packages map[string][]string

func (p packages) add(name, version string) {
	if name != "" && !slices.Contains(p[name], version) {
		p[name] = append(p[name], version)
		slices.Sort(p[name])
	}
}

// value returns the versions as lists, or joined with commas.
func (p packages) value(lists bool) *value.Map {
	out := value.NewMap()
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if lists {
			out.Set(name, wire.AnyList(p[name]))
		} else {
			out.Set(name, strings.Join(p[name], ","))
		}
	}
	return out
}

// changes returns the differences between two lists, in Salt's form.
func changes(old, now packages) *value.Map {
	out := value.NewMap()
	all := maps.Clone(old)
	if all == nil {
		all = packages{}
	}
	maps.Copy(all, now)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, is := strings.Join(old[name], ","), strings.Join(now[name], ",")
		if was != is {
			out.Set(name, value.NewMap("old", was, "new", is))
		}
	}
	return out
}

// packagerOf returns the package manager of this host.
func packagerOf(c *Call) (packager, error) {
	for _, family := range []struct {
		program string
		p       packager
	}{
		{"apt-get", apt{}}, {"dnf", dnf{"dnf"}}, {"yum", dnf{"yum"}}, {"zypper", zypper{}}, {"apk", apk{}},
	} {
		if which(family.program) != "" {
			return family.p, nil
		}
	}
	return nil, &NotFoundError{"apt-get, dnf, yum, zypper or apk"}
}

func init() {
	Register("pkg",
		Function{
			Name: "list_pkgs", VarKw: true, Run: pkgList,
			Args: []Arg{{Name: "versions_as_list", Default: false}, {Name: "removed", Default: false}, {Name: "purge_desired", Default: false}},
			Doc: `
List the installed packages with their versions, versions_as_list=True as lists.
On Debian, removed=True lists those of which only the configuration is left, and
purge_desired=True those marked for purging.

CLI Example:

    salt '*' pkg.list_pkgs
`,
		},
		Function{Name: "version", VarArgs: true, VarKw: true, Run: pkgVersion, Doc: `
Return the installed version of packages, "" if not installed: for one name as
text, for several as a map. A name may be a glob.

CLI Example:

    salt '*' pkg.version vim
    salt '*' pkg.version 'linux-image-*' bash
`},
		Function{Name: "latest_version", VarArgs: true, VarKw: true, Run: pkgLatest, Doc: `
Return the newest version of packages that can be installed, "" if up to date or
not available: for one name as text, for several as a map. refresh=False does
not refresh the package lists; show_installed=True returns the version even if
it is installed; fromrepo=NAME selects a repository.

CLI Example:

    salt '*' pkg.latest_version vim
`},
		Function{Name: "upgrade_available", Args: []Arg{{Name: "name", Required: true}}, VarKw: true, Run: pkgUpgradeAvailable, Doc: `
Return whether a newer version of the package name is available.

CLI Example:

    salt '*' pkg.upgrade_available vim
`},
		Function{Name: "refresh_db", Args: []Arg{{Name: "cache_valid_time", Default: int64(0)}, {Name: "failhard", Default: false}}, VarKw: true, Run: pkgRefresh, Doc: `
Refresh the package lists. On Debian, lists younger than cache_valid_time
seconds are kept, and with failhard=True a failing source is an error.

CLI Example:

    salt '*' pkg.refresh_db
`},
		Function{Name: "list_upgrades", Args: []Arg{{Name: "refresh", Default: true}, {Name: "dist_upgrade", Default: true}}, VarKw: true, Run: pkgUpgrades, Doc: `
List the packages that would be upgraded with their new versions. refresh=False
does not refresh the package lists; dist_upgrade=False excludes upgrades that
need to remove packages.

CLI Example:

    salt '*' pkg.list_upgrades
`},
		Function{
			Name: "version_cmp", Run: pkgCompare, VarKw: true,
			Args: []Arg{{Name: "pkg1", Required: true}, {Name: "pkg2", Required: true}, {Name: "ignore_epoch", Default: false}},
			Doc: `
Compare two versions: -1 if pkg1 is older than pkg2, 0 if they are equal, 1 if
it is newer. ignore_epoch=True ignores the part before a colon.

CLI Example:

    salt '*' pkg.version_cmp '0.2.4-0ubuntu1' '0.2.4.1-0ubuntu1'
`,
		},
		Function{Name: "file_list", VarArgs: true, VarKw: true, Run: pkgFiles, Doc: `
List the files of packages.

CLI Example:

    salt '*' pkg.file_list bash
`},
		Function{Name: "owner", VarArgs: true, VarKw: true, Run: pkgOwner, Doc: `
Return the package that a file belongs to, or "": for one path as text, for
several as a map.

CLI Example:

    salt '*' pkg.owner /bin/bash
`},
	)
	alias("pkg", "latest_version", "available_version")
}

func pkgList(ctx context.Context, c *Call) (any, error) {
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkPkg("list_pkgs", p); err != nil {
		return nil, err
	}
	what := "installed"
	if c.IsTrue("removed") {
		what = "removed"
	} else if c.IsTrue("purge_desired") {
		what = "purge_desired"
	}
	list, err := p.Installed(ctx, c, what)
	return list.value(c.IsTrue("versions_as_list")), err
}

// oneOrMap returns the value of a single name, or a map for several.
func oneOrMap(names []string, of func(name string) any) any {
	if len(names) == 1 {
		return of(names[0])
	}
	out := value.NewMap()
	for _, name := range names {
		out.Set(name, of(name))
	}
	return out
}

func pkgVersion(ctx context.Context, c *Call) (any, error) {
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkPkg("version", p); err != nil {
		return nil, err
	}
	list, err := p.Installed(ctx, c, "installed")
	if err != nil {
		return nil, err
	}
	out, globbed := value.NewMap(), false
	for _, name := range textList(c.Rest()) {
		if !strings.Contains(name, "*") {
			out.Set(name, strings.Join(list[name], ","))
			continue
		}
		globbed = true
		for _, have := range slices.Sorted(maps.Keys(list)) {
			if target.Glob(name, have) {
				out.Set(have, strings.Join(list[have], ","))
			}
		}
	}
	if out.Len() == 1 && !globbed {
		return out.String(PyStr(out.Keys()[0])), nil
	}
	if out.Len() == 0 && !globbed {
		return "", nil
	}
	return out, nil
}

// optional returns the truth of a keyword, or a default.
func (c *Call) optional(name string, otherwise bool) bool {
	for _, v := range []any{c.keyword(name), c.Value(name)} {
		if v != nil {
			return isTrue(v)
		}
	}
	return otherwise
}

func pkgLatest(ctx context.Context, c *Call) (any, error) {
	names := textList(c.Rest())
	if len(names) == 0 {
		return "", nil
	}
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkPkg("latest_version", p); err != nil {
		return nil, err
	}
	latest, err := latestVersions(ctx, c, p, names, c.optional("refresh", true), c.optional("show_installed", false))
	if err != nil {
		return nil, err
	}
	return oneOrMap(names, func(name string) any { return latest[name] }), nil
}

// latestVersions returns the versions newer than the installed ones, or with all the newest
// ones.
func latestVersions(ctx context.Context, c *Call, p packager, names []string, refresh, all bool) (map[string]string, error) {
	if err := plainArgs("the name of a package", names); err != nil {
		return nil, err
	}
	if refresh {
		if _, err := p.Refresh(ctx, c); err != nil {
			return nil, err
		}
	}
	have, err := p.Installed(ctx, c, "installed")
	if err != nil {
		return nil, err
	}
	latest, err := p.Latest(ctx, c, names)
	if err != nil || all {
		return latest, err
	}
	for name, v := range latest {
		for _, installed := range have[name] {
			if v == "" {
				break
			}
			if cmp, err := p.Compare(ctx, c, installed, v); err != nil {
				return nil, err
			} else if cmp >= 0 {
				latest[name], v = "", ""
			}
		}
	}
	return latest, nil
}

func pkgUpgradeAvailable(ctx context.Context, c *Call) (any, error) {
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkPkg("upgrade_available", p); err != nil {
		return nil, err
	}
	name := c.Str("name")
	latest, err := latestVersions(ctx, c, p, []string{name}, c.optional("refresh", true), false)
	return latest[name] != "", err
}

func pkgRefresh(ctx context.Context, c *Call) (any, error) {
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkPkg("refresh_db", p); err != nil {
		return nil, err
	}
	return p.Refresh(ctx, c)
}

func pkgUpgrades(ctx context.Context, c *Call) (any, error) {
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkPkg("list_upgrades", p); err != nil {
		return nil, err
	}
	if c.IsTrue("refresh") {
		if _, err := p.Refresh(ctx, c); err != nil {
			return nil, err
		}
	}
	ups, err := p.Upgrades(ctx, c)
	out := value.NewMap()
	for _, name := range slices.Sorted(maps.Keys(ups)) {
		out.Set(name, ups[name])
	}
	return out, err
}

func pkgCompare(ctx context.Context, c *Call) (any, error) {
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkPkg("version_cmp", p); err != nil {
		return nil, err
	}
	a, b := c.Str("pkg1"), c.Str("pkg2")
	if c.IsTrue("ignore_epoch") {
		a, b = a[strings.IndexByte(a, ':')+1:], b[strings.IndexByte(b, ':')+1:]
	}
	if err := plainArgs("a version", []string{a, b}); err != nil {
		return nil, err
	}
	return p.Compare(ctx, c, a, b)
}

func pkgFiles(ctx context.Context, c *Call) (any, error) {
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkPkg("file_list", p); err != nil {
		return nil, err
	}
	names := textList(c.Rest())
	if err := plainArgs("the name of a package", names); err != nil {
		return nil, err
	}
	files, faults := []any{}, []any{}
	for _, name := range names {
		list, err := p.Files(ctx, c, name)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			faults = append(faults, "package "+name+" is not installed")
		}
		files = append(files, wire.AnyList(list)...)
	}
	return value.NewMap("errors", faults, "files", files), nil
}

func pkgOwner(ctx context.Context, c *Call) (any, error) {
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkPkg("owner", p); err != nil {
		return nil, err
	}
	paths := textList(c.Rest())
	if err := plainArgs("a path", paths); err != nil || len(paths) == 0 {
		return "", err
	}
	owners := map[string]string{}
	for _, path := range paths {
		if owners[path], err = p.Owner(ctx, c, path); err != nil {
			return nil, err
		}
	}
	return oneOrMap(paths, func(path string) any { return owners[path] }), nil
}
