package saltenv

import (
	"strings"
	"testing"
)

func TestProper(t *testing.T) {
	for _, env := range []string{"base", "prod", "feature/x", "v1.2", "a b", strings.Repeat("e", Max)} {
		if !Proper(env) {
			t.Errorf("%q is refused", env)
		}
	}
	for _, env := range []string{"", ".", "..", "../x", "a/../b", "a/./b", "a//b", "/a", "a/", ".git", "a\x00b", "a\nb", strings.Repeat("e", Max+1)} {
		if Proper(env) {
			t.Errorf("%q is taken", env)
		}
	}
}
