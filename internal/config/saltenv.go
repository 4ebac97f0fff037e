package config

import (
	"strings"
	"unicode"
)

// MaxSaltenv is how long a name may be, in bytes: it may be that of a folder.
const MaxSaltenv = 255

// ValidSaltenv tells whether a text is the name of an environment. Names with slashes are branches
// of git; none leads anywhere as a path.
func ValidSaltenv(env string) bool {
	if env == "" || len(env) > MaxSaltenv || env[0] == '/' || strings.HasSuffix(env, "/") || strings.ContainsFunc(env, unicode.IsControl) {
		return false
	}
	for element := range strings.SplitSeq(env, "/") {
		//mutant:cve2021-25282-files-env
		if element == "" || element[0] == '.' {
			return false
		}
	}
	return true
}
