package fileclient

import "fmt"

// Roots reads the option file_roots: environments with one folder or a list. None
// means base: /srv/salt, as in Salt.
func Roots(option map[string]any) map[string][]string {
	if len(option) == 0 {
		return map[string][]string{"base": {"/srv/salt"}}
	}
	out := map[string][]string{}
	for env, v := range option {
		switch v := v.(type) {
		case string:
			out[env] = []string{v}
		case []any:
			for _, dir := range v {
				out[env] = append(out[env], fmt.Sprint(dir))
			}
		case []string:
			out[env] = v
		}
	}
	return out
}
