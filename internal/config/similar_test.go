package config

import "testing"

func TestSimilar(t *testing.T) {
	names := []string{"timeout", "interface", "ret_port", "publish_port", "id"}
	for in, want := range map[string]string{
		"timout": "timeout", "tiemout": "timeout", "time_out": "timeout", "interfaces": "interface",
		"publish_prot": "publish_port", "ids": "id", "something_else": "", "": "id",
	} {
		if in == "" {
			continue
		}
		if got := Similar(in, names); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "axc", 1}, {"ab", "ba", 1}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b, 5); got != c.want {
			t.Errorf("distance %s %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
