package master

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
)

func TestRunnersAndWheelsRefused(t *testing.T) {
	r := newRig(t)
	r.start()
	for _, c := range []struct {
		load *wire.Map
		name string
	}{
		{wire.NewMap("cmd", "runner", "fun", "jobs.active"), "UserAuthenticationError"},
		{wire.NewMap("cmd", "runner", "fun", "jobs.active", "token", "x"), "TokenAuthenticationError"},
		{wire.NewMap("cmd", "wheel", "fun", "key.list_all", "eauth", "pam"), "EauthAuthenticationError"},
		{wire.NewMap("cmd", "runner", "key", rootKey), "SaltInvocationError"},
	} {
		if got := r.say(c.load).Map("error"); got.String("name") != c.name {
			t.Errorf("%v: %v", plain(t, c.load), plain(t, got))
		}
	}
}

func TestWheelKeys(t *testing.T) {
	r := newRig(t)
	_, public := goldenPair(t, "minion")
	r.file("pki/minions_pre/new1", public, 0o644)
	r.file("pki/minions_pre/new2", public, 0o644)
	r.start()
	events := r.events()
	wheel := func(fun, match string) any {
		t.Helper()
		data := r.say(wire.NewMap("cmd", "wheel", "fun", fun, "match", match, "key", rootKey)).Map("data")
		return plain(t, data.Map("return"))
	}
	if diff := cmp.Diff(any(map[string]any{"minions": []any{"new1"}}), wheel("key.accept", "new1")); diff != "" {
		t.Error(diff)
	}
	if d := events.take("salt/key"); d.String("act") != "accept" || d.String("id") != "new1" {
		t.Errorf("event %v", plain(t, d))
	}
	wheel("key.reject", "new*")
	want := map[string]any{
		"minions": []any{"new1"}, "minions_pre": []any{}, "minions_rejected": []any{"new2"}, "minions_denied": []any{},
		"local": []any{"master.pem", "master.pub"},
	}
	if diff := cmp.Diff(any(want), wheel("key.list_all", "")); diff != "" {
		t.Error(diff)
	}
	if got := r.say(wire.NewMap("cmd", "wheel", "fun", "key.delete", "key", rootKey)).Map("data"); got.Bool("success") {
		t.Errorf("delete without match: %v", plain(t, got))
	}
}
