package grains

import (
	"runtime/debug"
	"strconv"
	"strings"
)

// SaltVersion is the release of Salt whose behaviour and protocol this minion
// has. It is the grain saltversion, so that targets such as
// `G@saltversion:3007*` choose it as they choose a Python minion.
const SaltVersion = "3007.9"

// momVersion is set at link time with -X; empty in a plain build.
var momVersion string

// MomVersion returns the version of this program: the one given at link time,
// else that of the module, else "devel".
func MomVersion() string {
	if momVersion != "" {
		return momVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return strings.TrimPrefix(info.Main.Version, "v")
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
