package fileclient

import (
	"fmt"
	"path/filepath"
)

// Roots reads the option file_roots: environments with one folder or a list. None
// means base: /srv/salt, as in Salt. A pattern such as /srv/formulas/* stands for the folders
// that it matches, sorted.
func Roots(option map[string]any) map[string][]string {
	if len(option) == 0 {
		return map[string][]string{"base": {"/srv/salt"}}
	}
	out := map[string][]string{}
	for env, v := range option {
		switch v := v.(type) {
		case string:
			out[env] = matching(v)
		case []any:
			for _, dir := range v {
				out[env] = append(out[env], matching(fmt.Sprint(dir))...)
			}
		case []string:
			for _, dir := range v {
				out[env] = append(out[env], matching(dir)...)
			}
		}
	}
	return out
}

// matching are the paths that a pattern matches, or the pattern itself when none does.
func matching(pattern string) []string {
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		return []string{pattern}
	}
	return found
}
