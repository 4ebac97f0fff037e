package modules

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/text"
)

// localeRoot is the root of the locale files; tests replace it.
var localeRoot = "/"

func init() {
	name := Arg{Name: "locale", Required: true}
	Register("locale",
		Function{Name: "list_avail", Run: localeList, Doc: `
List the locales that the host has.

CLI Example:

    salt '*' locale.list_avail
`},
		Function{Name: "get_locale", Run: localeGet, Doc: `
Return the locale of the host.

CLI Example:

    salt '*' locale.get_locale
`},
		Function{Name: "set_locale", Args: []Arg{name}, Run: localeSet, Doc: `
Set the locale of the host.

CLI Example:

    salt '*' locale.set_locale 'en_US.UTF-8'
`},
		Function{Name: "avail", Args: []Arg{name}, Run: localeAvail, Doc: `
Return whether the host has a locale.

CLI Example:

    salt '*' locale.avail 'en_US.UTF-8'
`},
		Function{Name: "gen_locale", Args: []Arg{name, {Name: "verbose", Default: false}}, Run: localeGen, Doc: `
Generate a locale, on Debian and Gentoo followed by its character map.
verbose=True returns the output of the program.

CLI Example:

    salt '*' locale.gen_locale en_US.UTF-8
    salt '*' locale.gen_locale 'en_IE.UTF-8 UTF-8'
`},
	)
}

// localeParts are language[_territory][.codeset][@modifier] [charmap].
type localeParts struct{ language, territory, codeset, modifier, charmap string }

func splitLocale(s string) localeParts {
	var p localeParts
	s, p.charmap, _ = strings.Cut(s, " ")
	s, p.modifier, _ = strings.Cut(s, "@")
	s, p.codeset, _ = strings.Cut(s, ".")
	p.language, p.territory, _ = strings.Cut(s, "_")
	return p
}

func (p localeParts) String() string {
	out := p.language
	for _, e := range [][2]string{{"_", p.territory}, {".", p.codeset}, {"@", p.modifier}, {" ", p.charmap}} {
		if e[1] != "" {
			out += e[0] + e[1]
		}
	}
	return out
}

// normalLocale returns a locale as locale -a writes it.
func normalLocale(s string) string {
	p := splitLocale(s)
	p.territory = strings.ToUpper(p.territory)
	p.codeset = strings.ReplaceAll(strings.ToLower(p.codeset), "-", "")
	p.charmap = ""
	return p.String()
}

var localeForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.@+-]*( [A-Za-z0-9._-]+)?$`)

// localeArg returns the locale of a call. It rejects several words and options.
func (c *Call) localeArg() (string, error) {
	name := c.Str("locale")
	if !localeForm.MatchString(name) {
		return "", InvocationErrorf("%s is not a locale", PyRepr(name))
	}
	return name, nil
}

func (c *Call) locales(ctx context.Context) ([]string, error) {
	r, err := runSystem(ctx, c, "locale", "-a")
	return strings.Split(r.stdout, "\n"), err
}

func localeList(ctx context.Context, c *Call) (any, error) {
	all, err := c.locales(ctx)
	out := make([]any, len(all))
	for i, l := range all {
		out[i] = l
	}
	return out, err
}

func localeAvail(ctx context.Context, c *Call) (any, error) {
	all, err := c.locales(ctx)
	want := normalLocale(c.Str("locale"))
	return slices.ContainsFunc(all, func(l string) bool { return normalLocale(strings.TrimSpace(l)) == want }), err
}

// localectl reports whether systemd manages the locale of the host.
func localectl(c *Call) bool {
	return folder(filepath.Join(localeRoot, "run/systemd/system")) && !(c.family("Suse") && PyStr(c.grainValue("osmajorrelease")) == "12")
}

func (c *Call) grainValue(name string) any {
	v, _ := c.Env.Grains().Get(name)
	return v
}

// systemLocale returns the variables of the locale that localectl prints, in order.
func (c *Call) systemLocale(ctx context.Context) (names []string, vars map[string]string, err error) {
	if which("localectl") == "" {
		return nil, nil, CommandErrorf(`Unable to find "localectl"`)
	}
	r, err := runSystem(ctx, c, "localectl", "status")
	if err != nil {
		return nil, nil, err
	}
	vars = map[string]string{}
	key := ""
	for line := range strings.Lines(r.stdout) {
		data := strings.TrimSpace(line)
		if k, v, ok := strings.Cut(line, ": "); ok {
			key, data = strings.TrimSpace(k), strings.TrimSpace(v)
		}
		if name, v, ok := strings.Cut(data, "="); ok && key == "System Locale" && !strings.Contains(v, "=") {
			if vars[name] == "" {
				names = append(names, name)
			}
			vars[name] = v
		}
	}
	if len(vars) == 0 && key == "" {
		return nil, nil, CommandErrorf(`Unable to parse result of "localectl"`)
	}
	return names, vars, nil
}

// localeFile returns the file with the locale of a host without localectl, and the variable
// in it.
func (c *Call) localeFile() (path, name string) {
	switch {
	case c.family("Suse"):
		return "etc/sysconfig/language", "RC_LANG"
	case c.family("RedHat"):
		return "etc/sysconfig/i18n", "LANG"
	case c.family("Debian"):
		return "etc/default/locale", "LANG"
	}
	return "", ""
}

func localeGet(ctx context.Context, c *Call) (any, error) {
	if localectl(c) {
		_, vars, err := c.systemLocale(ctx)
		return vars["LANG"], err
	}
	if c.family("Gentoo") {
		r, err := runSystem(ctx, c, "eselect", "--brief", "locale", "show")
		return strings.TrimSpace(r.stdout), err
	}
	path, name := c.localeFile()
	if path == "" {
		return nil, CommandErrorf(`Error: "%s" is unsupported!`, c.grain("oscodename"))
	}
	data, err := os.ReadFile(filepath.Join(localeRoot, path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, osFault(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, name+"=") {
			return strings.ReplaceAll(strings.Split(strings.TrimRight(line, "\r\n"), "=")[1], `"`, ""), nil
		}
	}
	return "", nil
}

func localeSet(ctx context.Context, c *Call) (any, error) {
	want, err := c.localeArg()
	if err != nil {
		return nil, err
	}
	if localectl(c) {
		names, vars, err := c.systemLocale(ctx)
		if err != nil {
			return nil, err
		}
		if vars["LANG"] == "" {
			names = append(names, "LANG")
		}
		vars["LANG"] = want
		words := []string{"localectl", "set-locale"}
		for _, n := range names {
			words = append(words, n+"="+vars[n])
		}
		r, err := runSystem(ctx, c, words...)
		return err == nil && r.retcode == 0, err
	}
	if c.family("Gentoo") {
		r, err := runSystem(ctx, c, "eselect", "--brief", "locale", "set", want)
		return err == nil && r.retcode == 0, err
	}
	path, name := c.localeFile()
	if path == "" {
		return nil, CommandErrorf("Error: Unsupported platform!")
	}
	if c.family("Debian") {
		if which("update-locale") == "" {
			return nil, CommandErrorf(`Cannot set locale: "update-locale" was not found.`)
		}
		if _, err := runSystem(ctx, c, "update-locale"); err != nil {
			return nil, err
		}
	}
	return true, setOrAppend(filepath.Join(localeRoot, path), "^"+name+"=.*", name+`="`+want+`"`)
}

// setOrAppend replaces a line of a file or appends it. It creates a missing file.
func setOrAppend(path, pattern, line string) error {
	body, err := readWhole(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return osFault(err)
	}
	edit, err := text.Replace(body, text.ReplaceOptions{Pattern: pattern, Repl: line, Literal: true, Append: true})
	if err != nil {
		return textFault(err)
	}
	if !edit.Changed() {
		return nil
	}
	return putText(path, edit.Text())
}

func localeGen(ctx context.Context, c *Call) (any, error) {
	name, err := c.localeArg()
	if err != nil {
		return nil, err
	}
	ubuntu := c.grain("os") == "Ubuntu"
	p := splitLocale(name)
	source := p.language + "_" + p.territory
	if p.charmap == "" && !ubuntu {
		p.charmap = p.codeset
		name = p.String()
	}
	known, err := c.localeKnown(name, source)
	if err != nil || !known {
		return false, err
	}
	if list := filepath.Join(localeRoot, "etc/locale.gen"); !absentPath(list) {
		if err := setOrAppend(list, `^\s*#\s*`+text.Quote(name)+`\s*$`, name+"\n"); err != nil {
			return nil, err
		}
	} else if ubuntu {
		if err := setOrAppend(filepath.Join(localeRoot, "var/lib/locales/supported.d", p.language), text.Quote(name), name); err != nil {
			return nil, err
		}
	}
	words, err := c.localeProgram(name, source, p, ubuntu)
	if err != nil {
		return nil, err
	}
	r, err := runSystem(ctx, c, words...)
	if err != nil {
		return nil, err
	}
	if c.IsTrue("verbose") {
		return c.result(r, nil)
	}
	return r.retcode == 0, nil
}

// localeKnown reports whether the host has the sources of a locale.
func (c *Call) localeKnown(name, source string) (bool, error) {
	if c.grain("os") == "Debian" || c.family("Gentoo") {
		body, err := readWhole(filepath.Join(localeRoot, "usr/share/i18n/SUPPORTED"))
		if err != nil {
			return false, CommandErrorf("Locale %s: read the list of locales: %s", PyRepr(name), pythonOSError(err))
		}
		return slices.Contains(strings.Split(body, "\n"), name), nil
	}
	dir := "usr/share/i18n/locales"
	if c.family("Suse") {
		dir = "usr/share/locale"
	}
	entries, err := os.ReadDir(filepath.Join(localeRoot, dir))
	if err != nil {
		return false, CommandErrorf(`Locale "%s" is not available.`, name)
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == source }), nil
}

// localeProgram returns the command that generates a locale. As in Salt, an argument with a
// space stays one argument.
func (c *Call) localeProgram(name, source string, p localeParts, ubuntu bool) ([]string, error) {
	switch {
	case which("locale-gen") != "" && c.family("Gentoo"):
		return []string{"locale-gen", "--generate", name}, nil
	case which("locale-gen") != "" && ubuntu:
		return []string{"locale-gen", normalLocale(name)}, nil
	case which("locale-gen") != "":
		return []string{"locale-gen", name}, nil
	case which("localedef") != "":
		loud := "--quiet"
		if c.IsTrue("verbose") {
			loud = "--verbose"
		}
		return []string{"localedef", "--force", "-i", source, "-f", p.codeset, source + "." + p.codeset, loud}, nil
	}
	return nil, CommandErrorf(`Command "locale-gen" or "localedef" was not found on this system.`)
}
