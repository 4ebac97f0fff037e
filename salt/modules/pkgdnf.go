package modules

import (
	"context"
	"slices"
	"strings"
)

// dnf manages the packages of Fedora, RHEL and their derivatives with dnf or yum.
type dnf struct{ program string }

// repos returns the arguments that select repositories.
func (dnf) repos(c *Call) []string {
	var words []string
	for _, v := range []any{c.Value("fromrepo"), c.keyword("fromrepo")} {
		if given(v) {
			words = append(words, "--disablerepo=*", "--enablerepo="+PyStr(v))
		}
	}
	for _, name := range []string{"disablerepo", "enablerepo"} {
		for _, repo := range textList(c.keyword(name)) {
			words = append(words, "--"+name+"="+repo)
		}
	}
	return words
}

func (d dnf) run(ctx context.Context, c *Call, scoped bool, words ...string) (ran, error) {
	words = append([]string{d.program}, words...)
	if scoped {
		words = append(scope(c), words...)
	}
	return c.exec(ctx, words...)
}

func (dnf) Installed(ctx context.Context, c *Call, what string) (packages, error) {
	return rpmInstalled(ctx, c, what)
}

func (d dnf) Refresh(ctx context.Context, c *Call) (any, error) {
	if _, err := d.run(ctx, c, false, append([]string{"--quiet", "--assumeyes", "clean", "expire-cache"}, d.repos(c)...)...); err != nil {
		return nil, err
	}
	r, err := d.run(ctx, c, false, append([]string{"--quiet", "--assumeyes", "check-update"}, d.repos(c)...)...)
	if err != nil {
		return nil, err
	}
	// Exit code 100 means that updates are available.
	if r.retcode != 0 && r.retcode != 100 {
		return nil, CommandErrorf("%s", r.failed())
	}
	return true, nil
}

// table parses lines NAME.ARCH VERSION REPOSITORY; a long entry continues on the next line.
func (dnf) table(c *Call, text string) map[string]string {
	out := map[string]string{}
	var row []string
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "Obsoleting Packages"):
			return out
		case len(f) == 0, len(row) == 0 && !strings.Contains(f[0], "."), len(f) > 3:
			row = nil
			continue
		}
		if row = append(row, f...); len(row) < 3 {
			continue
		}
		if dot := strings.LastIndexByte(row[0], '.'); len(row) == 3 && dot > 0 {
			name, version := rpmName(c, row[0][:dot], row[0][dot+1:]), strings.TrimPrefix(row[1], "0:")
			if old, ok := out[name]; !ok || rpmCompare(version, old) > 0 {
				out[name] = version
			}
		}
		row = nil
	}
	return out
}

func (d dnf) Latest(ctx context.Context, c *Call, names []string) (map[string]string, error) {
	out := map[string]string{}
	// A package installed in its newest version is not among the available ones.
	for _, which := range []string{"available", "installed"} {
		words := slices.Concat([]string{"--quiet"}, d.repos(c), []string{"list", which}, names)
		r, err := d.run(ctx, c, false, words...)
		if err != nil {
			return nil, err
		}
		found := d.table(c, r.stdout)
		for _, name := range names {
			if out[name] == "" {
				out[name] = found[name]
			}
		}
	}
	return out, nil
}

func (d dnf) Install(ctx context.Context, c *Call, targets []pkgTarget, old packages) ([]string, error) {
	groups := map[string][]string{}
	for _, t := range targets {
		word, action := t.name, "install"
		switch {
		case t.file != "":
			word = t.file
		case t.reinstall:
			action = "reinstall"
		case t.version != "":
			name, arch := word, ""
			if dot := strings.LastIndexByte(word, '.'); dot > 0 && slices.Contains(rpmArches, word[dot+1:]) {
				name, arch = word[:dot], word[dot:]
			}
			version := t.version
			if d.program == "yum" {
				version = version[strings.IndexByte(version, ':')+1:]
			}
			word = name + "-" + version + arch
			if slices.ContainsFunc(old[t.name], func(v string) bool { return rpmCompare(t.version, v) < 0 }) {
				action = "downgrade"
			}
		}
		groups[action] = append(groups[action], word)
	}
	words := append([]string{"-y"}, d.repos(c)...)
	if c.IsTrue("skip_verify") {
		words = append(words, "--nogpgcheck")
	}
	if c.IsTrue("downloadonly") {
		words = append(words, "--downloadonly")
	}
	var faults []string
	for _, action := range []string{"install", "downgrade", "reinstall"} {
		if len(groups[action]) == 0 {
			continue
		}
		r, err := d.run(ctx, c, true, slices.Concat(words, []string{action}, groups[action])...)
		if err != nil {
			return nil, err
		}
		if r.retcode != 0 {
			faults = append(faults, r.failed())
		}
	}
	return faults, nil
}

// rpmArches are the architectures that may follow a package name.
var rpmArches = []string{"x86_64", "i386", "i486", "i586", "i686", "aarch64", "armv7hl", "ppc64le", "s390x", "noarch"}

func (d dnf) Remove(ctx context.Context, c *Call, names []string, _ bool) ([]string, error) {
	r, err := d.run(ctx, c, true, append([]string{"-y", "remove"}, names...)...)
	if err == nil && r.retcode != 0 {
		return []string{r.failed()}, nil
	}
	return nil, err
}

func (d dnf) Upgrade(ctx context.Context, c *Call) (ran, error) {
	words := append([]string{"--quiet", "-y"}, d.repos(c)...)
	if isTrue(c.keyword("skip_verify")) {
		words = append(words, "--nogpgcheck")
	}
	if isTrue(c.keyword("downloadonly")) || isTrue(c.keyword("download_only")) {
		words = append(words, "--downloadonly")
	}
	return d.run(ctx, c, true, append(words, "upgrade")...)
}

func (d dnf) Upgrades(ctx context.Context, c *Call) (map[string]string, error) {
	r, err := d.run(ctx, c, false, append([]string{"--quiet", "check-update"}, d.repos(c)...)...)
	if err != nil {
		return nil, err
	}
	if r.retcode != 0 && r.retcode != 100 {
		return nil, CommandErrorf("Failed to get upgrades: %s", r.failed())
	}
	return d.table(c, r.stdout), nil
}

func (dnf) Compare(_ context.Context, _ *Call, a, b string) (int, error) {
	return rpmCompare(a, b), nil
}

func (d dnf) Held(ctx context.Context, c *Call) ([]string, error) {
	r, err := d.run(ctx, c, false, "--quiet", "versionlock", "list")
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(r.stdout) {
		// NAME-EPOCH:VERSION-RELEASE.* of dnf, EPOCH:NAME-VERSION-RELEASE.* of yum
		f := strings.Split(strings.TrimSpace(line), "-")
		if len(f) < 3 || strings.Contains(line, " ") {
			continue
		}
		name := strings.Join(f[:len(f)-2], "-")
		if epoch, rest, ok := strings.Cut(name, ":"); ok && strings.Trim(epoch, "0123456789") == "" {
			name = rest
		}
		out = append(out, name)
	}
	return out, nil
}

func (d dnf) Hold(ctx context.Context, c *Call, name string, hold bool) error {
	r, err := d.run(ctx, c, true, "-y", "versionlock", map[bool]string{true: "add", false: "delete"}[hold], name)
	if err == nil && r.retcode != 0 {
		err = CommandErrorf("Package %s was not changed; this needs the versionlock plugin: %s", name, r.failed())
	}
	return err
}

func (dnf) Files(ctx context.Context, c *Call, name string) ([]string, error) {
	return rpmFiles(ctx, c, name)
}

func (dnf) Owner(ctx context.Context, c *Call, path string) (string, error) {
	return rpmOwner(ctx, c, path)
}
