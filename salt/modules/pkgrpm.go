package modules

import (
	"context"
	"strings"
)

// rpmFormat is the output format of rpm for one package.
const rpmFormat = "%{NAME}_|-%{EPOCH}_|-%{VERSION}_|-%{RELEASE}_|-%{ARCH}\n"

// rpmInstalled returns the packages in the database of rpm.
func rpmInstalled(ctx context.Context, c *Call, what string) (packages, error) {
	out := packages{}
	if what != "installed" {
		return out, nil // rpm keeps nothing of a removed package
	}
	r, err := c.exec(ctx, "rpm", "-qa", "--queryformat", rpmFormat)
	if err != nil {
		return nil, err
	}
	if r.retcode != 0 {
		return nil, CommandErrorf("list packages with rpm: %s", r.failed())
	}
	for line := range strings.Lines(r.stdout) {
		f := strings.Split(strings.TrimSpace(line), "_|-")
		if len(f) == 5 && f[0] != "gpg-pubkey" {
			out.add(rpmName(c, f[0], f[4]), rpmVersion(f[1], f[2], f[3]))
		}
	}
	return out, nil
}

// rpmName returns a name in Salt's form: with the architecture if it differs from the
// host's.
func rpmName(c *Call, name, arch string) string {
	own := c.Env.Grains().String("osarch")
	if own == "" {
		own = c.Env.Grains().String("cpuarch")
	}
	if arch == "noarch" || arch == "(none)" || arch == own {
		return name
	}
	return name + "." + arch
}

func rpmVersion(epoch, version, release string) string {
	if release != "" {
		version += "-" + release
	}
	if epoch != "" && epoch != "(none)" && epoch != "0" {
		version = epoch + ":" + version
	}
	return version
}

// rpmCompare compares [EPOCH:]VERSION[-RELEASE] as rpm does. A version without a release
// equals the same version with any release.
func rpmCompare(a, b string) int {
	ea, va, ra := rpmParts(a)
	eb, vb, rb := rpmParts(b)
	if cmp := rpmVercmp(ea, eb); cmp != 0 {
		return cmp
	}
	if cmp := rpmVercmp(va, vb); cmp != 0 || ra == "" || rb == "" {
		return cmp
	}
	return rpmVercmp(ra, rb)
}

func rpmParts(v string) (epoch, version, release string) {
	epoch, version, ok := strings.Cut(v, ":")
	if !ok {
		epoch, version = "0", v
	}
	if i := strings.LastIndexByte(version, '-'); i >= 0 {
		version, release = version[:i], version[i+1:]
	}
	return epoch, version, release
}

// rpmVercmp compares two versions segment by segment: digits as numbers, letters as text. A
// tilde sorts before anything, a caret after the end.
func rpmVercmp(a, b string) int {
	separator := func(r rune) bool { return !isDigit(byte(r)) && !isLetter(byte(r)) && r != '~' && r != '^' }
	for {
		a, b = strings.TrimLeftFunc(a, separator), strings.TrimLeftFunc(b, separator)
		for _, mark := range []struct {
			c   string
			old int
		}{{"~", -1}, {"^", 1}} {
			ha, hb := strings.HasPrefix(a, mark.c), strings.HasPrefix(b, mark.c)
			switch {
			case ha && hb:
				a, b = a[1:], b[1:]
			case ha && mark.c == "^" && b != "", hb && mark.c == "^" && a == "":
				return -1
			case hb && mark.c == "^", ha && mark.c == "^":
				return 1
			case ha:
				return mark.old
			case hb:
				return -mark.old
			default:
				continue
			}
			break
		}
		if a == "" || b == "" {
			return compareLen(a, b)
		}
		kind := isLetter
		if isDigit(a[0]) {
			kind = isDigit
		}
		sa, sb := segment(a, kind), segment(b, kind)
		a, b = a[len(sa):], b[len(sb):]
		switch {
		case sa == "" && sb == "":
			continue // text between two marks
		case sb == "" && isDigit(sa[0]):
			return 1 // a number is newer than a word
		case sb == "":
			return -1
		}
		if isDigit(sa[0]) {
			sa, sb = strings.TrimLeft(sa, "0"), strings.TrimLeft(sb, "0")
			if cmp := compareLen(sa, sb); cmp != 0 {
				return cmp
			}
		}
		if cmp := strings.Compare(sa, sb); cmp != 0 {
			return cmp
		}
	}
}

func compareLen(a, b string) int {
	switch {
	case len(a) > len(b):
		return 1
	case len(a) < len(b):
		return -1
	}
	return 0
}

func isDigit(b byte) bool  { return b >= '0' && b <= '9' }
func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// segment returns the longest prefix of one kind of characters.
func segment(s string, kind func(byte) bool) string {
	n := 0
	for n < len(s) && kind(s[n]) {
		n++
	}
	return s[:n]
}

// rpmFiles lists the files of a package, rpmOwner the package of a file.
func rpmFiles(ctx context.Context, c *Call, name string) ([]string, error) {
	r, err := c.exec(ctx, "rpm", "-ql", "--", name)
	if err != nil || r.retcode != 0 {
		return nil, err
	}
	return strings.Split(r.stdout, "\n"), nil
}

func rpmOwner(ctx context.Context, c *Call, path string) (string, error) {
	r, err := c.exec(ctx, "rpm", "-qf", "--queryformat", "%{name}", "--", path)
	if err != nil || r.retcode != 0 {
		return "", err
	}
	return r.stdout, nil
}
