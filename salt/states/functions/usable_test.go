package functions

import (
	"strings"
	"testing"

	"github.com/momtree/mom/value"
)

// TestDepends: states of a module fail while the host lacks what they need, in Salt's
// words.
func TestDepends(t *testing.T) {
	why, before := "cron module could not be loaded", usable["cron"]
	usable["cron"] = func() string { return why }
	t.Cleanup(func() { usable["cron"] = before })
	set := Set{}
	if _, ok := set.Spec("cron.present"); ok {
		t.Error("a state of a module that cannot be used is there")
	}
	if got, want := set.Missing("cron.present"), "'cron' __virtual__ returned False: cron module could not be loaded"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := set.Missing("cron.nosuch"); !strings.Contains(got, "is not available") {
		t.Error(got)
	}
	why = "" // crontab has been installed meanwhile
	if _, ok := set.Spec("cron.present"); !ok {
		t.Error("the state is still not there")
	}
}

// TestGrainListPresent_Test expects Salt's messages for a missing grain.
func TestGrainListPresent_Test(t *testing.T) {
	h := newHost(t, value.NewMap(), nil)
	r := h.apply("grains.list_present", "roles", true, "value", []any{"web"})
	h.wants(r, nil, changed{"new": ""}, "Grain roles is set to be added")
}
