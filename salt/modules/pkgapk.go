package modules

import (
	"context"
	"slices"
	"strings"
)

// apk manages the packages of Alpine.
type apk struct{}

// apkName splits NAME-VERSION-rREVISION.
func apkName(word string) (name, version string) {
	f := strings.Split(strings.TrimSpace(word), "-")
	if len(f) < 3 {
		return "", ""
	}
	return strings.Join(f[:len(f)-2], "-"), strings.Join(f[len(f)-2:], "-")
}

func (apk) Installed(ctx context.Context, c *Call, what string) (packages, error) {
	out := packages{}
	if what != "installed" {
		return out, nil
	}
	r, err := c.exec(ctx, "apk", "info", "-v")
	for line := range strings.Lines(r.stdout) {
		name, version := apkName(line)
		out.add(name, version)
	}
	return out, err
}

func (apk) Refresh(ctx context.Context, c *Call) (any, error) {
	r, err := c.exec(ctx, "apk", "update")
	if err == nil && r.retcode != 0 {
		err = CommandErrorf("%s", r.failed())
	}
	return true, err
}

func (apk) Latest(ctx context.Context, c *Call, names []string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range names {
		r, err := c.exec(ctx, "apk", "search", "-x", name)
		if err != nil {
			return nil, err
		}
		out[name] = ""
		for line := range strings.Lines(r.stdout) {
			if found, version := apkName(line); found == name {
				out[name] = version
			}
		}
	}
	return out, nil
}

func (apk) Install(ctx context.Context, c *Call, targets []pkgTarget, old packages) ([]string, error) {
	words := []string{"apk", "add"}
	if slices.ContainsFunc(targets, func(t pkgTarget) bool { return len(old[t.name]) > 0 && t.version == "" }) {
		words = append(words, "-u")
	}
	if c.IsTrue("skip_verify") {
		words = append(words, "--allow-untrusted")
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
	r, err := c.exec(ctx, words...)
	if err != nil || r.retcode == 0 {
		return nil, err
	}
	return []string{r.failed()}, nil
}

func (apk) Remove(ctx context.Context, c *Call, names []string, purge bool) ([]string, error) {
	words := []string{"apk", "del"}
	if purge {
		words = append(words, "--purge")
	}
	r, err := c.exec(ctx, append(words, names...)...)
	if err != nil || r.retcode == 0 {
		return nil, err
	}
	return []string{r.failed()}, nil
}

func (apk) Upgrade(ctx context.Context, c *Call) (ran, error) { return c.exec(ctx, "apk", "upgrade") }

func (apk) Upgrades(ctx context.Context, c *Call) (map[string]string, error) {
	r, err := c.exec(ctx, "apk", "upgrade", "-s")
	if err == nil && r.retcode != 0 {
		err = CommandErrorf("%s", r.failed())
	}
	out := map[string]string{}
	for line := range strings.Lines(r.stdout) {
		// (1/2) Upgrading NAME (OLD -> NEW)
		if f := strings.Fields(line); len(f) >= 6 && f[1] == "Upgrading" {
			out[f[2]] = strings.TrimSuffix(f[5], ")")
		}
	}
	return out, err
}

func (apk) Compare(ctx context.Context, c *Call, a, b string) (int, error) {
	r, err := c.exec(ctx, "apk", "version", "-t", a, b)
	if err != nil {
		return 0, err
	}
	switch r.stdout {
	case "<":
		return -1, nil
	case "=":
		return 0, nil
	case ">":
		return 1, nil
	}
	return 0, CommandErrorf("apk cannot compare the versions %s and %s", a, b)
}

// Held returns nothing: apk has no holds.
func (apk) Held(context.Context, *Call) ([]string, error) { return nil, nil }

func (apk) Hold(_ context.Context, _ *Call, name string, _ bool) error {
	return CommandErrorf("Package %s: apk has no way to hold packages; give the version to pkg.installed instead", name)
}

func (apk) Files(ctx context.Context, c *Call, name string) ([]string, error) {
	r, err := c.exec(ctx, "apk", "info", "-L", name)
	if err != nil || r.retcode != 0 {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(r.stdout) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, ":") {
			out = append(out, "/"+line)
		}
	}
	return out, nil
}

func (apk) Owner(ctx context.Context, c *Call, path string) (string, error) {
	r, err := c.exec(ctx, "apk", "info", "--who-owns", path)
	if err != nil || r.retcode != 0 {
		return "", err
	}
	name, _ := apkName(r.stdout[strings.LastIndexByte(r.stdout, ' ')+1:])
	return name, nil
}
