package modules

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// localeVars are set to C for a command, so that its messages are predictable.
var localeVars = []string{
	"LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES", "LC_PAPER",
	"LC_NAME", "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION", "LANGUAGE",
}

// workingDir returns the working directory of a command: the given folder, or the home of
// its user if that is readable.
func workingDir(v any, who account) (string, error) {
	if v == nil || v == "" {
		home := who.home
		if home == "" {
			home, _ = os.UserHomeDir()
		}
		if st, err := os.Stat(home); err == nil && st.IsDir() && posix.Access(home, posix.Readable) {
			return home, nil
		}
		return "/", nil
	}
	dir := PyStr(v)
	if st, err := os.Stat(dir); !filepath.IsAbs(dir) || err != nil || !st.IsDir() {
		return "", CommandErrorf("Specified cwd '%s' either not absolute or does not exist", dir)
	}
	return dir, nil
}

// environment returns the variables of a command: the minion's own unless clean_env, those
// of the user it runs as, the C locale, and the given ones.
func environment(c *Call, who account) []string {
	vars := map[string]string{}
	if !c.IsTrue("clean_env") {
		for _, kv := range os.Environ() {
			if k, v, _ := strings.Cut(kv, "="); k != "NOTIFY_SOCKET" {
				vars[variable(k)] = v
			}
		}
	}
	if who.name != "" {
		vars["USER"], vars["LOGNAME"], vars["HOME"] = who.name, who.name, who.home
	}
	given := envMap(c.Value("env"))
	if reset := c.Value("reset_system_locale"); reset == nil || isTrue(reset) {
		for _, k := range localeVars {
			vars[k] = "C"
		}
	}
	for k, v := range given {
		vars[variable(k)] = v
	}
	if p := c.Str("prepend_path"); p != "" {
		vars["PATH"] = p + string(os.PathListSeparator) + vars["PATH"]
	}
	env := make([]string, 0, len(vars))
	for _, k := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, k+"="+vars[k])
	}
	return env
}

// envMap parses env, a map or a list of maps.
func envMap(v any) map[string]string {
	out := map[string]string{}
	switch v := wire.Normal(v).(type) {
	case *value.Map:
		v.Range(func(k, e any) bool {
			text := ""
			if e != nil {
				text = PyStr(e)
			}
			out[PyStr(k)] = text
			return true
		})
	case []any:
		for _, e := range v {
			for k, text := range envMap(e) {
				out[k] = text
			}
		}
	}
	return out
}

func envValue(env []string, name string) string {
	for _, kv := range env {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			return v
		}
	}
	return ""
}
