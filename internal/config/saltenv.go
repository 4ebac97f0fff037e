package config

import (
	"strings"
	"unicode"
)

// MaxSaltenv is the maximum length of a name in bytes; it may be the name of a directory.
const MaxSaltenv = 255

// ValidSaltenv reports whether a string is a valid name of an environment. Names with slashes
// are branches of git; no valid name leads out of a directory as a path.
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
