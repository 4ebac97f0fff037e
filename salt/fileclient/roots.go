package fileclient

import (
	"fmt"
	"path/filepath"

	"github.com/momtree/mom/internal/config"
)

// Roots parses the option file_roots: environments with one folder or a list. nil means
// base: /srv/salt, as in Salt. A pattern such as /srv/formulas/* stands for the matching
// folders, sorted.
func Roots(option map[string]any) map[string][]string {
	if len(option) == 0 {
		return map[string][]string{"base": {config.SystemDefault("/srv/salt")}}
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

// matching returns the paths that match a pattern, or the pattern itself if nothing matches.
func matching(pattern string) []string {
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		return []string{pattern}
	}
	return found
}
