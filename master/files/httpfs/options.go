package httpfs

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/master/files"
)

var sha256 = regexp.MustCompile(`^[0-9a-f]{64}$`)

// read reads httpfs_files. The error names each invalid entry.
func read(option map[string]any) (map[string]map[string]source, error) {
	out := map[string]map[string]source{}
	var faults []error
	fault := func(env, path, format string, args ...any) {
		faults = append(faults, fmt.Errorf("httpfs_files: %s: %s: "+format, append([]any{env, path}, args...)...))
	}
	if len(option) == 0 {
		return nil, errors.New("httpfs_files is empty; add files, or remove httpfs from fileserver_backend")
	}
	for _, env := range slices.Sorted(maps.Keys(option)) {
		of, ok := option[env].(map[string]any)
		if err := files.CheckEnv(env); err != nil || !ok {
			fault(env, "*", "should be an environment with a mapping of paths")
			continue
		}
		out[env] = map[string]source{}
		for _, name := range slices.Sorted(maps.Keys(of)) {
			entry, _ := of[name].(map[string]any)
			p, _, err := files.ParsePath("|"+name, env)
			if err != nil || p.Rel != name {
				fault(env, name, "the path should be relative and plain, such as pkg/tool.tgz")
				continue
			}
			for _, k := range slices.Sorted(maps.Keys(entry)) {
				if k != "url" && k != "sha256" {
					fault(env, name, "%q is not known; url and sha256 are", k)
				}
			}
			text, _ := entry["url"].(string)
			sum, _ := entry["sha256"].(string)
			u, err := url.Parse(text)
			if err == nil {
				err = secure(u)
			}
			if err != nil {
				fault(env, name, "url should be an address of https")
				continue
			}
			if sum = strings.ToLower(sum); !sha256.MatchString(sum) {
				fault(env, name, "sha256 should be 64 hex digits, as sha256sum prints them")
				continue
			}
			out[env][name] = source{u, files.Sum{Type: "sha256", Hex: sum}}
		}
	}
	return out, errors.Join(faults...)
}
