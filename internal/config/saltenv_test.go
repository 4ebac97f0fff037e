package config

import (
	"strings"
	"testing"
)

func TestProper(t *testing.T) {
	for _, env := range []string{"base", "prod", "feature/x", "v1.2", "a b", strings.Repeat("e", MaxSaltenv)} {
		if !ValidSaltenv(env) {
			t.Errorf("%q is refused", env)
		}
	}
	for _, env := range []string{"", ".", "..", "../x", "a/../b", "a/./b", "a//b", "/a", "a/", ".git", "a\x00b", "a\nb", strings.Repeat("e", MaxSaltenv+1)} {
		if ValidSaltenv(env) {
			t.Errorf("%q is taken", env)
		}
	}
}
