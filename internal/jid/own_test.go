package jid

import (
	"testing"
	"time"
)

func TestIsOwn(t *testing.T) {
	at := New(time.Now())
	for id, want := range map[string]bool{
		at + OwnSuffix("web1"): true, at + OwnSuffix("web2"): false, at: false, "": false, at[:19] + OwnSuffix("web1"): false,
		at + "1" + OwnSuffix("web1"): false, at + "_1" + OwnSuffix("web1"): false, "x" + at[1:] + OwnSuffix("web1"): false,
	} {
		if got := IsOwn(id, "web1"); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
	if !Valid(at + OwnSuffix("web1")) {
		t.Error("it is no job id")
	}
}
