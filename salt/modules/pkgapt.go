package modules

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/value"
)

// apt manages the packages of Debian and what descends from it.
type apt struct{}

// aptEnv keeps apt from asking anybody anything.
var aptEnv = map[string]string{
	"APT_LISTBUGS_FRONTEND": "none", "APT_LISTCHANGES_FRONTEND": "none", "DEBIAN_FRONTEND": "noninteractive", "UCF_FORCE_CONFFOLD": "1",
}

// aptTries is how often apt is called while another one holds its lock.
const aptTries = 8

// run runs a program of apt. While another one works, it waits its turn.
func (apt) run(ctx context.Context, c *Call, scoped bool, words ...string) (ran, error) {
	if scoped {
		words = append(scope(c), words...)
	}
	for try := 1; ; try++ {
		r, err := c.program(ctx, program{env: aptEnv}, words...)
		if err != nil || try == aptTries || !strings.Contains(r.stderr, "Could not get lock") {
			return r, err
		}
		logger(c.Env).Warn("another program works on the packages; it is waited for", "try", try)
		if err := timing.Sleep(ctx, time.Second<<min(try, 5)); err != nil {
			return r, err
		}
	}
}

func (a apt) Installed(ctx context.Context, c *Call, what string) (packages, error) {
	r, err := a.run(ctx, c, false, "dpkg-query", "--showformat", "${Status} ${Package} ${Version} ${Architecture}\n", "-W")
	if err != nil {
		return nil, err
	}
	out := packages{}
	foreign := c.Env.Grains().String("cpuarch") == "x86_64" && c.Env.Grains().String("osarch") == "amd64"
	for line := range strings.Lines(r.stdout) {
		f := strings.Fields(line)
		if len(f) != 6 {
			continue // one that is only known by name has no version
		}
		wants, status, name, version, arch := f[0], f[2], f[3], f[4], f[5]
		if foreign && arch != "all" && arch != "amd64" {
			name += ":" + arch
		}
		is := ""
		switch {
		case (wants == "install" || wants == "hold") && strings.Contains(status, "installed"):
			is = "installed"
		case wants == "deinstall":
			is = "removed"
		case wants == "purge" && status == "installed":
			is = "purge_desired"
		}
		if is == what || what == "installed" && is == "purge_desired" {
			out.add(name, version)
		}
	}
	return out, nil
}

// listSize is what apt adds to a source that it has fetched.
var listSize = regexp.MustCompile(` \[.+B\]$`)

func (a apt) Refresh(ctx context.Context, c *Call) (any, error) {
	out := value.NewMap()
	if n, ok := number(c.pkgOption("cache_valid_time")); ok && n > 0 {
		if st, err := os.Stat("/var/lib/apt/lists"); err == nil && time.Since(st.ModTime()) < seconds(n) {
			return out, nil
		}
	}
	r, err := a.run(ctx, c, false, "apt-get", "-q", "update")
	if err != nil {
		return nil, err
	}
	if r.retcode != 0 {
		return nil, CommandErrorf("%s", r.stderr)
	}
	var bad []string
	for line := range strings.Lines(r.stdout) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		source := strings.Join(f[1:], " ")
		switch {
		case strings.Contains(f[0], "Get"):
			out.Set(listSize.ReplaceAllString(source, ""), true)
		case strings.Contains(f[0], "Ign"):
			out.Set(source, false)
		case strings.Contains(f[0], "Hit"):
			out.Set(source, nil)
		case strings.Contains(f[0], "Err"):
			out.Set(source, false)
			bad = append(bad, source)
		}
	}
	if c.IsTrue("failhard") && len(bad) > 0 {
		return nil, CommandErrorf("Error getting repos: %s", strings.Join(bad, ", "))
	}
	return out, nil
}

// release is the option by which a repository or release is chosen.
func (apt) release(c *Call) []string {
	for _, v := range []any{c.Value("fromrepo"), c.keyword("fromrepo")} {
		if given(v) {
			return []string{"-o", "APT::Default-Release=" + PyStr(v)}
		}
	}
	return nil
}

func (a apt) Latest(ctx context.Context, c *Call, names []string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range names {
		r, err := a.run(ctx, c, false, append([]string{"apt-cache", "-q", "policy", name}, a.release(c)...)...)
		if err != nil {
			return nil, err
		}
		out[name] = ""
		for line := range strings.Lines(r.stdout) {
			if f := strings.Fields(line); strings.Contains(line, "Candidate") && len(f) > 1 {
				if out[name] = f[len(f)-1]; out[name] == "(none)" {
					out[name] = ""
				}
				break
			}
		}
	}
	return out, nil
}

// conf are the options that say which configuration files stay.
func (apt) conf(c *Call) []string {
	if isTrue(c.keyword("force_conf_new")) {
		return []string{"-o", "DPkg::Options::=--force-confnew"}
	}
	return []string{"-o", "DPkg::Options::=--force-confold", "-o", "DPkg::Options::=--force-confdef"}
}

func (a apt) Install(ctx context.Context, c *Call, targets []pkgTarget, old packages) ([]string, error) {
	words := append([]string{"apt-get", "-q", "-y"}, a.conf(c)...)
	if isTrue(c.keyword("force_yes")) {
		words = append(words, "--force-yes")
	}
	if v := c.keyword("install_recommends"); v != nil {
		words = append(words, map[bool]string{true: "--install-recommends", false: "--no-install-recommends"}[isTrue(v)])
	}
	if isTrue(c.keyword("only_upgrade")) {
		words = append(words, "--only-upgrade")
	}
	if c.IsTrue("skip_verify") {
		words = append(words, "--allow-unauthenticated")
	}
	if c.IsTrue("downloadonly") {
		words = append(words, "--download-only")
	}
	if given(c.Value("fromrepo")) {
		words = append(words, "-t", c.Str("fromrepo"))
	}
	groups := map[string][]string{}
	var names []string
	for _, t := range targets {
		word, group := t.name, "install"
		switch {
		case t.file != "":
			word = t.file
		case t.version != "":
			word += "=" + t.version
			for _, v := range old[t.name] {
				if cmp, err := a.Compare(ctx, c, t.version, v); err != nil {
					return nil, err
				} else if cmp < 0 {
					group = "downgrade"
				}
			}
		}
		if t.reinstall {
			group = "reinstall"
		}
		groups[group], names = append(groups[group], word), append(names, t.name)
	}
	again, err := a.letGo(ctx, c, names)
	if err != nil {
		return nil, err
	}
	var faults []string
	for _, g := range [][]string{{"install"}, {"downgrade", "--allow-downgrades"}, {"reinstall", "--reinstall"}} {
		if len(groups[g[0]]) == 0 {
			continue
		}
		line := slices.Concat(words, g[1:], []string{"install"}, groups[g[0]])
		r, err := a.run(ctx, c, true, line...)
		if err != nil {
			return nil, err
		}
		if r.retcode != 0 {
			faults = append(faults, r.failed())
		}
	}
	for _, name := range again {
		if err := a.Hold(ctx, c, name, true); err != nil {
			faults = append(faults, err.Error())
		}
	}
	return faults, nil
}

// letGo lets packages that are held be changed; they are to be held again then.
func (a apt) letGo(ctx context.Context, c *Call, names []string) ([]string, error) {
	held, err := a.Held(ctx, c)
	if err != nil {
		return nil, err
	}
	held = slices.DeleteFunc(held, func(name string) bool { return !slices.Contains(names, name) })
	for _, name := range held {
		if err := a.Hold(ctx, c, name, false); err != nil {
			return nil, err
		}
	}
	return held, nil
}

func (a apt) Remove(ctx context.Context, c *Call, names []string, purge bool) ([]string, error) {
	action := "remove"
	if purge {
		action = "purge"
	}
	r, err := a.run(ctx, c, true, append([]string{"apt-get", "-q", "-y", action}, names...)...)
	if err == nil && r.retcode != 0 {
		return []string{r.failed()}, nil
	}
	return nil, err
}

func (a apt) Upgrade(ctx context.Context, c *Call) (ran, error) {
	words := append([]string{"apt-get", "-q", "-y"}, a.conf(c)...)
	for _, o := range [][2]string{
		{"force_yes", "--force-yes"},
		{"skip_verify", "--allow-unauthenticated"},
		{"download_only", "--download-only"},
		{"downloadonly", "--download-only"},
		{"allow_downgrades", "--allow-downgrades"},
	} {
		if isTrue(c.keyword(o[0])) {
			words = append(words, o[1])
		}
	}
	return a.run(ctx, c, true, append(words, a.upgrade(c))...)
}

func (apt) upgrade(c *Call) string {
	if c.IsTrue("dist_upgrade") {
		return "dist-upgrade"
	}
	return "upgrade"
}

// upgradeLine is one package of a simulated upgrade: Conf NAME (VERSION …
var upgradeLine = regexp.MustCompile(`(?m)^Conf ([^ ]+) \(([^ ]+)`)

func (a apt) Upgrades(ctx context.Context, c *Call) (map[string]string, error) {
	r, err := a.run(ctx, c, false, append([]string{"apt-get", "--just-print", a.upgrade(c)}, a.release(c)...)...)
	if err != nil {
		return nil, err
	}
	if r.retcode != 0 {
		return nil, CommandErrorf("Failed to get upgrades: %s", r.failed())
	}
	out := map[string]string{}
	for _, m := range upgradeLine.FindAllStringSubmatch(r.stdout, -1) {
		out[m[1]] = m[2]
	}
	return out, nil
}

func (a apt) Compare(ctx context.Context, c *Call, x, y string) (int, error) {
	for i, op := range []string{"lt", "eq", "gt"} {
		r, err := a.run(ctx, c, false, "dpkg", "--compare-versions", x, op, y)
		if err != nil || r.retcode == 0 {
			return i - 1, err
		}
	}
	return 0, CommandErrorf("dpkg cannot compare the versions %s and %s", x, y)
}

func (a apt) Held(ctx context.Context, c *Call) ([]string, error) {
	r, err := a.run(ctx, c, false, "dpkg", "--get-selections", "*")
	var out []string
	for line := range strings.Lines(r.stdout) {
		if f := strings.Fields(line); len(f) == 2 && f[1] == "hold" {
			out = append(out, f[0])
		}
	}
	return out, err
}

func (a apt) Hold(ctx context.Context, c *Call, name string, hold bool) error {
	text := name + map[bool]string{true: " hold\n", false: " install\n"}[hold]
	r, err := c.program(ctx, program{stdin: &text}, "dpkg", "--set-selections")
	if err == nil && r.retcode != 0 {
		err = CommandErrorf("%s", r.failed())
	}
	return err
}

func (a apt) Files(ctx context.Context, c *Call, name string) ([]string, error) {
	r, err := a.run(ctx, c, false, "dpkg", "-L", name)
	if err != nil || r.retcode != 0 {
		return nil, err
	}
	return slices.DeleteFunc(strings.Split(r.stdout, "\n"), func(l string) bool { return !strings.HasPrefix(l, "/") }), nil
}

func (a apt) Owner(ctx context.Context, c *Call, path string) (string, error) {
	r, err := a.run(ctx, c, false, "dpkg", "-S", path)
	if err != nil || r.retcode != 0 {
		return "", err
	}
	name, _, _ := strings.Cut(r.stdout, ":")
	return name, nil
}
