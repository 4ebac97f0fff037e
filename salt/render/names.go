package render

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// slsNames returns the variables with the name and place of an SLS.
func slsNames(t Template) map[string]any {
	slspath := strings.TrimRight(strings.ReplaceAll(t.SLS, ".", "/"), "/")
	vars := map[string]any{}
	if t.Path != "" {
		file := t.Path
		switch {
		case t.SLS == "":
			file = path.Base(file)
		case strings.HasSuffix(file, slspath+".sls"):
			file = slspath + ".sls"
		case strings.HasSuffix(file, slspath+"/init.sls"):
			file = slspath + "/init.sls"
		}
		slspath = path.Dir(file)
		if slspath == "." {
			slspath = ""
		}
		vars["tplpath"], vars["tplfile"] = t.Path, file
		if given, ok := t.Vars.Get("tplpath"); ok {
			vars["tplpath"] = given
		}
		vars["tpldir"] = slspath
		if slspath == "" {
			vars["tpldir"] = "."
		}
		vars["tpldot"] = strings.ReplaceAll(slspath, "/", ".")
	}
	vars["slspath"] = slspath
	vars["slsdotpath"] = strings.ReplaceAll(slspath, "/", ".")
	vars["slscolonpath"] = strings.ReplaceAll(slspath, "/", ":")
	vars["sls_path"] = strings.ReplaceAll(slspath, "/", "_")
	return vars
}

// invalidUTF8 returns the position of the first byte that is not UTF-8, or -1.
func invalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, c := range s {
		if c == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n <= 1 {
				return i
			}
		}
	}
	return -1
}
