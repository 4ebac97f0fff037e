package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// ReadRoots reads an option that maps environments to directories: {ENV: [FOLDER, ...]}. For
// nil it returns def. It expands patterns. A pattern without matches stays, because the
// directory may be created later. The error names each faulty environment.
func ReadRoots(option string, val map[string]any, def map[string][]string) (map[string][]string, error) {
	if val == nil {
		return maps.Clone(def), nil
	}
	out := map[string][]string{}
	var faults []error
	for _, env := range slices.Sorted(maps.Keys(val)) {
		var list []any
		switch v := val[env].(type) {
		case nil:
		case []any:
			list = v
		default:
			faults = append(faults, fmt.Errorf("%s: %s wants a list of folders, has %s", option, env, describe(v)))
		}
		folders := []string{}
		for i, e := range list {
			text, ok := e.(string)
			if !ok || text == "" || !filepath.IsAbs(text) || strings.ContainsRune(text, 0) {
				faults = append(faults, fmt.Errorf("%s: %s: entry %d should be the full path of a folder, not %s", option, env, i+1, pyText(e)))
				continue
			}
			found, err := filepath.Glob(text)
			if err != nil || len(found) == 0 {
				found = []string{text}
			}
			folders = append(folders, found...)
		}
		out[env] = folders
	}
	return out, errors.Join(faults...)
}
