package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/posix"
)

// maxIncludes bounds the depth of includes.
const maxIncludes = 20

// reader collects the settings of a file and its includes.
type reader struct {
	warnings []Warning
	faults   []error
	left     []string // entries without effect
}

func (r *reader) warn(p Place, k Kind, option, text string) {
	r.warnings = append(r.warnings, Warning{Place: p, Kind: k, Option: option, Text: text})
}

func (r *reader) fault(p Place, option, format string, args ...any) {
	r.faults = append(r.faults, &Fault{Place: p, Option: option, Text: fmt.Sprintf(format, args...)})
}

// main reads the main file, then the default includes, then its own includes. A later file
// replaces whole options of the main file.
func (r *reader) main(path, defaultInclude string) map[string]setting {
	dir := filepath.Dir(path)
	if st, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) || (err == nil && !st.IsDir()) {
		r.warn(Place{}, Missing, "", fmt.Sprintf("CONFIG '%s' directory does not exist.", dir))
		return map[string]setting{}
	}
	all := map[string]setting{}
	switch list, err := r.file(path); {
	case errors.Is(err, fs.ErrNotExist):
		r.warn(Place{}, Missing, "", fmt.Sprintf("the file %s does not exist: defaults are used", path))
	case err != nil:
		r.faults = append(r.faults, err)
	default:
		for _, s := range list {
			all[s.name] = s
		}
	}
	include, own := defaultInclude, all["include"]
	globs := []string{include}
	if s, ok := all["default_include"]; ok {
		globs = r.globs(s)
	}
	over := r.includes(globs, path, false, nil)
	for name, s := range over {
		all[name] = s
	}
	if own.name != "" {
		for name, s := range r.includes(r.globs(own), path, true, nil) {
			all[name] = s
		}
	}
	delete(all, "include")
	return all
}

// globs reads an include option: a string or a list of strings.
func (r *reader) globs(s setting) []string {
	switch v := s.value.(type) {
	case nil:
	case string:
		if v != "" {
			return []string{v}
		}
	case []any:
		var out []string
		for _, e := range v {
			g, ok := e.(string)
			if !ok {
				r.fault(s.place, s.name, "wants file names, has %s", describe(e))
				continue
			}
			out = append(out, g)
		}
		return out
	default:
		r.fault(s.place, s.name, "wants a file name or a list of them, has %s", describe(v))
	}
	return nil
}

// includes reads all files that match. Lists and maps of the same option in several of them are
// merged, as in Salt.
func (r *reader) includes(globs []string, from string, verbose bool, stack []string) map[string]setting {
	all := map[string]setting{}
	for _, g := range globs {
		if rest, ok := strings.CutPrefix(g, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				g = filepath.Join(home, rest)
			}
		}
		if !filepath.IsAbs(g) {
			g = filepath.Join(filepath.Dir(from), g)
		}
		files, err := filepath.Glob(g)
		if err != nil {
			r.fault(Place{File: from}, "include", "the pattern %q is wrong: %v", g, err)
		}
		if len(files) == 0 && verbose {
			r.warn(Place{File: from}, Missing, "include", fmt.Sprintf("include %s matches no file", g))
		}
		for _, f := range files {
			for name, s := range r.included(f, stack) {
				if old, ok := all[name]; ok {
					s.value, s.order = join(old.value, s.value), joinOrdered(old.order, s.order)
				}
				all[name] = s
			}
		}
	}
	return all
}

func (r *reader) included(path string, stack []string) map[string]setting {
	for _, s := range stack {
		if s == path {
			r.fault(Place{File: path}, "include", "files include each other: %s", strings.Join(append(stack, path), " -> "))
			return nil
		}
	}
	if len(stack) >= maxIncludes {
		r.fault(Place{File: path}, "include", "files include files more than %d deep", maxIncludes)
		return nil
	}
	list, err := r.file(path)
	if err != nil {
		r.faults = append(r.faults, err)
		return nil
	}
	out := map[string]setting{}
	var inner setting
	for _, s := range list {
		if s.name == "include" {
			inner = s
			continue
		}
		out[s.name] = s
	}
	if inner.name != "" {
		for name, s := range r.includes(r.globs(inner), path, true, append(stack, path)) {
			out[name] = s
		}
	}
	return out
}

// file reads one file. It returns fs.ErrNotExist for a missing file and records faults in the
// file.
func (r *reader) file(path string) ([]setting, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case errors.Is(err, fs.ErrPermission):
		return nil, &Fault{Place: Place{File: path}, Text: "permission denied; run as the user who owns it"}
	case err != nil:
		return nil, &Fault{Place: Place{File: path}, Text: err.Error()}
	case !st.Mode().IsRegular():
		return nil, &Fault{Place: Place{File: path}, Text: "is not a regular file"}
	case st.Size() > maxFileBytes:
		return nil, &Fault{Place: Place{File: path}, Text: fmt.Sprintf("has %d bytes; more than %d are not read", st.Size(), maxFileBytes)}
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil, &Fault{Place: Place{File: path}, Text: "permission denied; run as the user who owns it (mode " + st.Mode().Perm().String() + ")"}
	}
	if err != nil {
		return nil, &Fault{Place: Place{File: path}, Text: err.Error()}
	}
	list, faults := parse(path, data)
	r.faults = append(r.faults, faults...)
	r.modes(path, st.Mode().Perm(), list)
	return list, nil
}

// modes warns about a file that other users can change, or whose secrets they can read.
func (r *reader) modes(path string, mode fs.FileMode, list []setting) {
	if !posix.HasModes {
		return
	}
	if mode&0o002 != 0 {
		r.warn(Place{File: path}, Permission, "", fmt.Sprintf("everyone may write this file (mode %04o): chmod o-w %s", mode, path))
	}
	if mode&0o004 == 0 {
		return
	}
	for _, s := range list {
		if holdsSecret(s) {
			r.warn(s.place, Permission, s.name, fmt.Sprintf("%s is a secret in a file that everyone may read (mode %04o): chmod o-r %s", s.name, mode, path))
		}
	}
}

// joinLists appends the new elements of more.
func joinLists(old, more []any) []any {
	out := slices.Clone(old)
	for _, e := range more {
		if !slices.ContainsFunc(out, func(have any) bool { return reflect.DeepEqual(have, e) }) {
			out = append(out, e)
		}
	}
	return out
}

// join is Salt's recursive update, which appends lists.
func join(old, val any) any {
	switch v := val.(type) {
	case []any:
		o, ok := old.([]any)
		if !ok {
			return val
		}
		return joinLists(o, v)
	case map[string]any:
		o, ok := old.(map[string]any)
		if !ok {
			return val
		}
		out := make(map[string]any, len(o)+len(v))
		for k, e := range o {
			out[k] = e
		}
		for k, e := range v {
			if have, ok := out[k]; ok {
				e = join(have, e)
			}
			out[k] = e
		}
		return out
	}
	return val
}

func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case bool:
		return "the word " + strings.ToLower(pyText(v))
	case string:
		return fmt.Sprintf("the text %q", v)
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	}
	return "the number " + pyText(v)
}
