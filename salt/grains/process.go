package grains

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// process tells as whom and where the minion runs.
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

// idName finds the name of a number in the text of /etc/passwd or /etc/group;
// the number itself when it has none.
func idName(text string, id int) string {
	number := strconv.Itoa(id)
	for _, line := range strings.Split(text, "\n") {
		if f := strings.Split(line, ":"); len(f) >= 3 && f[2] == number {
			return f[0]
		}
	}
	return number
}

// locale tells language, character set and time zone.
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

// splitLocale parts a name such as de_DE.UTF-8@euro; C and POSIX name none.
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
