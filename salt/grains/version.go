package grains

import (
	"runtime/debug"
	"strconv"
	"strings"
)

// MomVersion returns the version recorded in the build, else "devel". Releases set
// [Options.Version] instead.
func MomVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// versionInfo returns the numbers of a version, as in the grain saltversioninfo.
func versionInfo(version string) []any {
	var out []any
	for _, part := range strings.Split(version, ".") {
		if n, err := strconv.ParseInt(part, 10, 64); err == nil {
			out = append(out, n)
		} else {
			out = append(out, part)
		}
	}
	return out
}
