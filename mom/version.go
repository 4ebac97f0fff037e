package main

import (
	"regexp"
	"runtime/debug"
	"strings"
)

// stamped is set by the linker for a release: -X main.stamped=1.2.3.
var stamped string

// pseudo is the version that Go makes of a commit which is no release.
var pseudo = regexp.MustCompile(`^v\d+\.\d+\.\d+-(?:[^-]*\.)?\d{14}-([0-9a-f]{12})(\+dirty)?$`)

// short is a version as it is shown on each line of a tree: of a commit that is no
// release its number.
func short(v string) string {
	m := pseudo.FindStringSubmatch(v)
	if m == nil {
		return v
	}
	return "devel-" + m[1] + strings.Replace(m[2], "+", "-", 1)
}

// version is the release, or the commit the binary was built from.
func version() string {
	if stamped != "" {
		return stamped
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return short(v)
	}
	var rev, dirty string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			rev = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "-dirty"
			}
		}
	}
	if rev == "" {
		return "devel"
	}
	return "devel-" + strings.TrimSpace(rev[:min(12, len(rev))]) + dirty
}
