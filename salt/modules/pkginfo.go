package modules

import (
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/value"
)

func init() {
	Register("pkg", Function{Name: "info_installed", VarArgs: true, VarKw: true, Run: pkgInfo, Doc: `
Return the attributes of installed packages, by name; of all if no name is
given. With failhard=False packages that are not installed are ignored. Only
with apt.

CLI Example:

    salt '*' pkg.info_installed bash
`})
}

// infoFields are the queried fields, with their names in Salt.
var infoFields = []struct{ name, field string }{
	{"name", "${Package}"},
	{"revision", "${binary:Revision}"},
	{"architecture", "${Architecture}"},
	{"packager", "${Maintainer}"},
	{"summary", "${Summary}"},
	{"source", "${source:Package}"},
	{"version", "${Version}"},
	{"group", "${Section}"},
	{"size", "${Size}"},
	{"MD5", "${MD5sum}"},
	{"SHA1", "${SHA1}"},
	{"SHA256", "${SHA256}"},
	{"vendor", "${Origin}"},
	{"url", "${Homepage}"},
	{"status", "${db:Status-Abbrev}"},
	{"install_date", "${db-fsys:Last-Modified}"},
}

// infoEnd ends each package in the output.
const infoEnd = "\n*/~^\\*\n"

func pkgInfo(ctx context.Context, c *Call) (any, error) {
	hard := true
	for _, k := range c.Kwargs.Keys() {
		name, _ := k.(string)
		v, _ := c.Kwargs.Get(name)
		switch {
		case name == "failhard":
			hard = isTrue(v)
		case !strings.HasPrefix(name, "__"):
			return nil, InvocationErrorf("The following keyword arguments are not valid: %s=%s", name, PyStr(v))
		}
	}
	p, err := packagerOf(c)
	if err != nil {
		return nil, err
	}
	a, ok := p.(apt)
	if !ok {
		return nil, CommandErrorf("pkg.info_installed is not supported by this minion with this package manager, only with apt")
	}
	var format strings.Builder
	for _, f := range infoFields {
		format.WriteString(f.name + ":" + f.field + "\\n")
	}
	format.WriteString("description:${Description}\\n\\n*/~^\\\\*\\n")
	names := textList(c.Rest())
	if err := plainArgs("package", names); err != nil {
		return nil, err
	}
	r, err := a.run(ctx, c, false, append([]string{"dpkg-query", "-W", "-f=" + format.String()}, names...)...)
	if err != nil {
		return nil, err
	}
	out := value.NewMap()
	if r.retcode != 0 {
		if hard {
			return nil, CommandErrorf("Error getting packages information: %s", r.stderr)
		}
		return out, nil
	}
	for text := range strings.SplitSeq(r.stdout+"\n", infoEnd) {
		head, description, ok := strings.Cut(text, "\ndescription:")
		if !ok {
			continue
		}
		info := pkgFields(head)
		if status := info.String("status"); len(status) > 1 && status[1] != 'i' {
			continue
		}
		info.Delete("status")
		info.Set("description", description)
		if license := pkgLicense(info.String("name")); license != "" {
			info.Set("license", license)
		}
		out.Set(info.String("name"), info)
	}
	return out, nil
}

// pkgFields parses the fields of a package. It omits empty ones.
func pkgFields(head string) *value.Map {
	info := value.NewMap()
	for line := range strings.SplitSeq(head, "\n") {
		k, v, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || v == "" {
			continue
		}
		if k == "install_date" {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				continue
			}
			v = time.Unix(n, 0).UTC().Format("2006-01-02T15:04:05Z")
		}
		info.Set(k, v)
	}
	return info
}

// pkgLicense returns the licenses in the copyright file of a package.
func pkgLicense(name string) string {
	b, err := os.ReadFile("/usr/share/doc/" + name + "/copyright")
	if err != nil || strings.Contains(name, "/") {
		return ""
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "License:"); ok {
			found[strings.TrimSpace(v)] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), ", ")
}
