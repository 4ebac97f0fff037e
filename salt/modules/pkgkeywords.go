package modules

import (
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// pkgWord describes a keyword of the functions of pkg: the packagers that support it, and
// the values that have no effect on others.
type pkgWord struct {
	// on are the packagers that support it, by packagerName.
	on []string
	// anyway reports whether a value has no effect on a packager that does not support the
	// keyword. If nil, only None has no effect.
	anyway func(packager string, v any) bool
	// instead is what the user can do.
	instead string
}

func no(_ string, v any) bool { return !pyfmt.Truth(v) }

var (
	everywhere = []string{"apt", "dnf", "zypper", "apk"}
	onApt      = []string{"apt"}
	onDnf      = []string{"dnf"}
	fetches    = []string{"apt", "dnf", "zypper"}
)

// otherwise are keywords of Salt that are arguments of other functions here, with
// alternatives.
var otherwise = map[string]pkgWord{
	"allow_updates":        {anyway: no, instead: "use it in the state pkg.installed, or give the version as '>=VERSION'"},
	"attr":                 {instead: "leave it out: versions are all that is listed"},
	"hold":                 {instead: "call pkg.hold or pkg.unhold afterwards, or use the state pkg.installed"},
	"normalize":            {anyway: no, instead: "leave it out and write names as pkg.list_pkgs has them"},
	"resolve_capabilities": {anyway: no, instead: "name the package that provides it"},
	"test":                 {anyway: no, instead: "use state.single pkg.installed test=True"},
	"update_holds": {
		// apt releases held packages while they change and holds them again; other
		// packagers keep them.
		anyway:  func(packager string, v any) bool { return isTrue(v) == (packager == "apt") },
		instead: "call pkg.unhold before and pkg.hold afterwards; with apt a held package that is named is always changed and held again",
	},
	"use_context": {anyway: func(string, any) bool { return true }}, // nothing is cached between calls
	"version":     {instead: "leave it out"},
	"name":        {instead: "leave it out: all packages are meant"},
	"pkgs":        {instead: "leave it out: all packages are meant"},
}

// lists are keywords that select sources of package lists.
var lists = map[string]pkgWord{
	"cache_valid_time": {on: onApt, anyway: no, instead: "use refresh=False to leave the lists as they are"},
	"enablerepo":       {on: onDnf, anyway: no, instead: "use fromrepo, or switch the repository on in the host's configuration"},
	"disablerepo":      {on: onDnf, anyway: no, instead: "use fromrepo, or switch the repository off in the host's configuration"},
}

func with(more map[string]pkgWord) map[string]pkgWord {
	out := map[string]pkgWord{}
	for _, m := range []map[string]pkgWord{lists, more} {
		maps.Copy(out, m)
	}
	return out
}

const notHere = "leave it out: the packages of this host have no such thing"

// pkgWords are the keywords by function. They include arguments that not every packager
// supports.
var pkgWords = map[string]map[string]pkgWord{
	"install": with(map[string]pkgWord{
		"version":            {on: everywhere},
		"install_recommends": {on: onApt, instead: notHere},
		"only_upgrade":       {on: onApt, anyway: no, instead: "use the state pkg.latest for packages that are installed"},
		"force_conf_new":     {on: onApt, anyway: no, instead: notHere},
		"force_yes":          {on: onApt, anyway: no, instead: "use skip_verify=True for packages that nobody has signed"},
		"fromrepo":           {on: fetches, anyway: no, instead: "set the repositories in /etc/apk/repositories"},
		"downloadonly":       {on: fetches, anyway: no, instead: "leave it out: this host installs what it fetches"},
		"reinstall":          {on: fetches, anyway: no, instead: "remove the package first"},
		"debconf":            {anyway: no, instead: "set the answers with debconf-set-selections before"},
	}),
	"upgrade": with(map[string]pkgWord{
		"fromrepo":         {on: onDnf, anyway: no, instead: "use pkg.install with fromrepo"},
		"downloadonly":     {on: fetches, anyway: no, instead: "leave it out: this host installs what it fetches"},
		"download_only":    {on: fetches, anyway: no, instead: "leave it out: this host installs what it fetches"},
		"force_conf_new":   {on: onApt, anyway: no, instead: notHere},
		"force_yes":        {on: onApt, anyway: no, instead: "use skip_verify=True for packages that nobody has signed"},
		"skip_verify":      {on: fetches, anyway: no, instead: "use pkg.install with skip_verify"},
		"allow_downgrades": {on: onApt, anyway: no, instead: "use pkg.install with the version"},
		"dist_upgrade":     {on: []string{"apt", "zypper"}, anyway: no, instead: "leave it out: one kind of upgrade is all that this host has"},
	}),
	"latest_version":    with(map[string]pkgWord{"refresh": {on: everywhere}, "show_installed": {on: everywhere}, "fromrepo": {on: fetches, anyway: no, instead: "set the repositories in /etc/apk/repositories"}}),
	"upgrade_available": with(map[string]pkgWord{"refresh": {on: everywhere}, "fromrepo": {on: fetches, anyway: no, instead: "set the repositories in /etc/apk/repositories"}}),
	"list_upgrades": with(map[string]pkgWord{
		"fromrepo":     {on: []string{"apt", "dnf"}, anyway: no, instead: "use pkg.latest_version with fromrepo"},
		"dist_upgrade": {on: onApt, anyway: func(_ string, v any) bool { return v == nil || isTrue(v) }, instead: "leave it out: all that could be upgraded is listed"},
	}),
	"refresh_db": with(map[string]pkgWord{"fromrepo": {on: onDnf, anyway: no, instead: "leave it out: all lists are fetched"}}),
}

// packagerName returns the name of a packager in these tables.
func packagerName(p packager) string {
	switch p.(type) {
	case apt:
		return "apt"
	case dnf:
		return "dnf"
	case zypper:
		return "zypper"
	}
	return "apk"
}

// checkPkg returns an error for keywords that this host's packager does not support, with
// alternatives, unless their value has no effect. It ignores keywords that Salt adds, which
// begin with two underscores.
func (c *Call) checkPkg(fun string, p packager) error {
	host := packagerName(p)
	var bad []string
	check := func(name string, v any, declared bool) {
		w, known := pkgWords[fun][name]
		if declared && !known || strings.HasPrefix(name, "__") || slices.Contains(w.on, host) {
			return
		}
		if !known {
			w, known = otherwise[name]
		}
		if known && (v == nil || w.anyway != nil && w.anyway(host, v)) {
			return
		}
		instead := w.instead
		if instead == "" {
			instead = "leave it out"
		}
		bad = append(bad, name+" ("+instead+")")
	}
	for _, a := range c.fn.Args {
		check(a.Name, c.Value(a.Name), true)
	}
	c.Kwargs.Range(func(k, v any) bool {
		check(PyStr(k), v, false)
		return true
	})
	if len(bad) == 0 {
		return nil
	}
	return InvocationErrorf("pkg.%s does not support on this host: %s", fun, strings.Join(bad, ", "))
}

// CheckPkgKeywords returns the error of pkg.FUN for unsupported keywords, so that a state
// can check them before it changes anything. On a host without a packager it returns nil;
// the call itself fails.
func CheckPkgKeywords(fun string, kwargs *value.Map) error {
	fn, ok := Lookup("pkg." + fun)
	c := &Call{fn: fn, Kwargs: kwargs}
	p, err := packagerOf(c)
	if !ok || err != nil {
		return nil
	}
	return c.checkPkg(fun, p)
}

// checkVersions returns an error for versions other than the installed ones: fun ignores
// versions.
func checkVersions(fun string, targets []pkgTarget, have packages) error {
	for _, t := range targets {
		is := have[t.name]
		if t.version == "" || len(is) == 0 || slices.Equal(is, []string{strings.TrimLeft(t.version, "=")}) {
			continue
		}
		return InvocationErrorf("pkg.%s does not support version %s of %s, since %s is installed; leave the version out",
			fun, t.version, t.name, strings.Join(is, ", "))
	}
	return nil
}

// pkgOption returns an option that is an argument of some functions and a keyword of
// others.
func (c *Call) pkgOption(name string) any {
	if v := c.Value(name); given(v) && v != int64(0) {
		return v
	}
	return c.keyword(name)
}
