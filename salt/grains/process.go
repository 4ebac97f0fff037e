package grains

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// process returns the user, the process id and the paths of the minion.
func (c *collector) process() *value.Map {
	uid, gid := os.Geteuid(), os.Getegid()
	path := strings.TrimSpace(c.getenv("PATH"))
	shell := c.getenv("SHELL")
	if shell == "" {
		shell = "/bin/sh"
	}
	g := value.NewMap(
		"uid", uid, "gid", gid, "pid", os.Getpid(),
		"username", idName(c.tree.text("/etc/passwd"), uid),
		"groupname", idName(c.tree.text("/etc/group"), gid),
		"path", path, "systempath", wire.AnyList(filepath.SplitList(path)),
		"shell", shell,
	)
	if cwd, err := os.Getwd(); err == nil {
		g.Set("cwd", cwd)
	}
	return g
}

// idName returns the name of an id in the text of /etc/passwd or /etc/group, or the number
// if it has no name.
func idName(text string, id int) string {
	number := strconv.Itoa(id)
	for _, line := range strings.Split(text, "\n") {
		if f := strings.Split(line, ":"); len(f) >= 3 && f[2] == number {
			return f[0]
		}
	}
	return number
}

// locale returns the language, encoding and time zone.
func (c *collector) locale() *value.Map {
	lang, encoding := splitLocale(c.localeName())
	zone, _ := c.now().Zone()
	g := value.NewMap("locale_info", value.NewMap(
		"defaultlanguage", textOrNone(lang), "defaultencoding", textOrNone(encoding),
		"detectedencoding", "utf-8", "timezone", zone,
	))
	return g
}

func (c *collector) localeName() string {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG", "LANGUAGE"} {
		if v := c.getenv(name); v != "" {
			return v
		}
	}
	return ""
}

// splitLocale splits a name such as de_DE.UTF-8@euro. It returns "" for C and POSIX.
func splitLocale(name string) (lang, encoding string) {
	name, _, _ = strings.Cut(name, "@")
	lang, encoding, _ = strings.Cut(name, ".")
	if lang == "C" || lang == "POSIX" {
		lang = ""
	}
	return lang, encoding
}

func textOrNone(s string) any {
	if s == "" {
		return nil
	}
	return s
}
