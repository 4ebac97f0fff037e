package api

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/momtree/mom/client"
)

// Attack: requests with keys of their own that are refused, without end. Nothing is remembered
// of them, while an older one is.
func TestRepeats_Refused(t *testing.T) {
	r := newRepeatStore(time.Now)
	id := func(i int) [32]byte { return sha256.Sum256([]byte(fmt.Sprint(i))) }
	do := func(i, status int) {
		t.Helper()
		one, mine := r.begin(id(i), id(0))
		if !mine {
			t.Fatalf("%d was there", i)
		}
		r.end(id(i), one, reply{status: status})
	}
	do(0, http.StatusOK)
	for i := range 1000 {
		do(i+1, http.StatusUnauthorized)
	}
	if len(r.table) != 1 || len(r.order) != 1 {
		t.Errorf("%d are remembered, in an order of %d", len(r.table), len(r.order))
	}
	if _, mine := r.begin(id(0), id(0)); mine {
		t.Error("what was answered is forgotten")
	}
}

// A key belongs to a user on a route: another login, in whichever part it differs, does not share it.
func TestRepeats_Scope(t *testing.T) {
	r := newRepeatStore(time.Now)
	login := client.Login{Eauth: "file", Username: "alice", Password: "wonder"}
	seen := map[[32]byte]string{}
	for name, id := range map[string][32]byte{
		"same":     r.scope("k", "/run", Token{}, []client.Login{login}),
		"key":      r.scope("l", "/run", Token{}, []client.Login{login}),
		"route":    r.scope("k", "/", Token{}, []client.Login{login}),
		"password": r.scope("k", "/run", Token{}, []client.Login{{Eauth: "file", Username: "alice", Password: "bad"}}),
		"name":     r.scope("k", "/run", Token{}, []client.Login{{Eauth: "file", Username: "bob", Password: "wonder"}}),
		"service":  r.scope("k", "/run", Token{}, []client.Login{{Eauth: "pam", Username: "alice", Password: "wonder"}}),
		"token":    r.scope("k", "/run", Token{}, []client.Login{{Token: "wonder"}}),
		"two":      r.scope("k", "/run", Token{}, []client.Login{login, login}),
		"user":     r.scope("k", "/run", Token{Name: "alice", Eauth: "file"}, []client.Login{login}),
		"other":    r.scope("k", "/run", Token{Name: "bob", Eauth: "file"}, []client.Login{login}),
	} {
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s share a key", name, other)
		}
		seen[id] = name
	}
	one, two := Token{Token: "1", Name: "alice", Eauth: "file"}, Token{Token: "2", Name: "alice", Eauth: "file"}
	if r.scope("k", "/", one, []client.Login{{Token: "1"}}) != r.scope("k", "/", two, []client.Login{{Token: "2"}}) {
		t.Error("two tokens of a user do not share a key")
	}
}
