package grains

import (
	"runtime/debug"
	"strconv"
	"strings"
)

// MomVersion returns the version of this program as its build tells it, else
// "devel". Who runs a minion gives [Options.Version], which a release is stamped with.
func MomVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// versionInfo parts a version into numbers, as the grain saltversioninfo does.
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
