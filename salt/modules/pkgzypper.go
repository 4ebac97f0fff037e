package modules

import (
	"context"
	"slices"
	"strings"
)

// zypper manages the packages of SUSE.
type zypper struct{}

func (zypper) run(ctx context.Context, c *Call, scoped bool, words ...string) (ran, error) {
	words = append([]string{"zypper", "--non-interactive"}, words...)
	if scoped {
		words = append(scope(c), words...)
	}
	return c.exec(ctx, words...)
}

// failed reports whether zypper failed: exit codes from 100 on are informational.
func (zypper) failed(r ran) bool { return r.retcode != 0 && r.retcode < 100 }

func (zypper) Installed(ctx context.Context, c *Call, what string) (packages, error) {
	return rpmInstalled(ctx, c, what)
}

func (z zypper) Refresh(ctx context.Context, c *Call) (any, error) {
	r, err := z.run(ctx, c, false, "refresh", "--force")
	if err == nil && z.failed(r) {
		err = CommandErrorf("%s", r.failed())
	}
	return true, err
}

func (z zypper) Latest(ctx context.Context, c *Call, names []string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range names {
		words := []string{"--no-refresh", "info", "-t", "package"}
		if repo := c.pkgOption("fromrepo"); given(repo) {
			words = append(words, "-r", PyStr(repo))
		}
		r, err := z.run(ctx, c, false, append(words, name)...)
		if err != nil {
			return nil, err
		}
		out[name] = ""
		for line := range strings.Lines(r.stdout) {
			if key, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "Version" {
				out[name] = strings.TrimSpace(v)
			}
		}
	}
	return out, nil
}

func (z zypper) Install(ctx context.Context, c *Call, targets []pkgTarget, _ packages) ([]string, error) {
	words := []string{"--no-refresh"}
	if c.IsTrue("skip_verify") {
		words = append(words, "--no-gpg-checks")
	}
	words = append(words, "install", "--auto-agree-with-licenses", "--oldpackage")
	if c.IsTrue("downloadonly") {
		words = append(words, "--download-only")
	}
	if given(c.Value("fromrepo")) {
		words = append(words, "--from", c.Str("fromrepo"))
	}
	if slices.ContainsFunc(targets, func(t pkgTarget) bool { return t.reinstall }) {
		words = append(words, "--force")
	}
	for _, t := range targets {
		switch {
		case t.file != "":
			words = append(words, t.file)
		case t.version != "":
			words = append(words, t.name+"="+t.version)
		default:
			words = append(words, t.name)
		}
	}
	r, err := z.run(ctx, c, true, words...)
	if err == nil && z.failed(r) {
		return []string{r.failed()}, nil
	}
	return nil, err
}

func (z zypper) Remove(ctx context.Context, c *Call, names []string, purge bool) ([]string, error) {
	words := []string{"remove"}
	if purge {
		words = append(words, "-u")
	}
	r, err := z.run(ctx, c, true, append(words, names...)...)
	if err == nil && z.failed(r) {
		return []string{r.failed()}, nil
	}
	return nil, err
}

func (z zypper) Upgrade(ctx context.Context, c *Call) (ran, error) {
	action := "update"
	if c.IsTrue("dist_upgrade") {
		action = "dist-upgrade"
	}
	words := []string{"--no-refresh"}
	if isTrue(c.keyword("skip_verify")) {
		words = append(words, "--no-gpg-checks")
	}
	words = append(words, action, "--auto-agree-with-licenses")
	if isTrue(c.keyword("downloadonly")) || isTrue(c.keyword("download_only")) {
		words = append(words, "--download-only")
	}
	r, err := z.run(ctx, c, true, words...)
	if !z.failed(r) {
		r.retcode = 0
	}
	return r, err
}

func (z zypper) Upgrades(ctx context.Context, c *Call) (map[string]string, error) {
	r, err := z.run(ctx, c, false, "--no-refresh", "list-updates", "--all")
	if err == nil && z.failed(r) {
		err = CommandErrorf("Failed to get upgrades: %s", r.failed())
	}
	out := map[string]string{}
	for line := range strings.Lines(r.stdout) {
		// S | Repository | Name | Current Version | Available Version | Arch
		if f := strings.Split(line, "|"); len(f) == 6 && strings.TrimSpace(f[2]) != "Name" {
			out[strings.TrimSpace(f[2])] = strings.TrimSpace(f[4])
		}
	}
	return out, err
}

func (zypper) Compare(_ context.Context, _ *Call, a, b string) (int, error) {
	return rpmCompare(a, b), nil
}

func (z zypper) Held(ctx context.Context, c *Call) ([]string, error) {
	r, err := z.run(ctx, c, false, "locks")
	var out []string
	for line := range strings.Lines(r.stdout) {
		// # | Name | Type | Repository
		if f := strings.Split(line, "|"); len(f) > 2 && strings.TrimSpace(f[0]) != "#" {
			out = append(out, strings.TrimSpace(f[1]))
		}
	}
	return out, err
}

func (z zypper) Hold(ctx context.Context, c *Call, name string, hold bool) error {
	r, err := z.run(ctx, c, true, map[bool]string{true: "addlock", false: "removelock"}[hold], name)
	if err == nil && z.failed(r) {
		err = CommandErrorf("%s", r.failed())
	}
	return err
}

func (zypper) Files(ctx context.Context, c *Call, name string) ([]string, error) {
	return rpmFiles(ctx, c, name)
}

func (zypper) Owner(ctx context.Context, c *Call, path string) (string, error) {
	return rpmOwner(ctx, c, path)
}
