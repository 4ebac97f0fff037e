package main

import (
	"runtime/debug"
	"strings"
)

// stamped is set by the linker for a release: -X main.stamped=v1.2.3.
var stamped string

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
		return v
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
