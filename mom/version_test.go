package main

import "testing"

func TestShort(t *testing.T) {
	for v, want := range map[string]string{
		"v1.2.3": "v1.2.3", "v1.2.3-rc1": "v1.2.3-rc1",
		"v0.0.0-20261122100901-10424c1abcde":       "devel-10424c1abcde",
		"v0.0.0-20261122100901-10424c1abcde+dirty": "devel-10424c1abcde-dirty",
		"v1.2.4-0.20261122100901-10424c1abcde":     "devel-10424c1abcde",
		"v1.2.3-rc1.0.20261122100901-10424c1abcde": "devel-10424c1abcde",
		"(devel)": "(devel)",
	} {
		if got := short(v); got != want {
			t.Errorf("%s: %s, want %s", v, got, want)
		}
	}
}

func TestVersionOfARelease(t *testing.T) {
	stamped = "1.2.3"
	t.Cleanup(func() { stamped = "" })
	if got := version(); got != "1.2.3" {
		t.Errorf("version %s, want the one that was stamped", got)
	}
}
