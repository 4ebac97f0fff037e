package access

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// A name alone proves nothing: the same name with a key and with two login services is three users.
func TestOwner(t *testing.T) {
	users := map[string]Owner{
		"root by key": {Name: "root"}, "root by file": LoginOwner(&server.Login{Eauth: "file", Name: "root"}),
		"root by pam": LoginOwner(&server.Login{Eauth: "pam", Name: "root"}), "eve by pam": LoginOwner(&server.Login{Eauth: "pam", Name: "eve"}),
	}
	texts := map[string]bool{}
	for whose, owner := range users {
		load := wire.NewMap("user", owner.Name)
		owner.Record(load)
		raw, err := wire.Encode(load)
		if err != nil {
			t.Fatal(err)
		}
		job := returners.Load{User: owner.Name, Raw: raw}
		for who, user := range users {
			if user.Owns(job) != (who == whose) {
				t.Errorf("%s owns a job of %s: %v", who, whose, user.Owns(job))
			}
		}
		texts[OwnerOf(job).String()] = true
	}
	if len(texts) != len(users) {
		t.Errorf("as text they are %v", texts)
	}
	if (Owner{}).Owns(returners.Load{}) || (Owner{Eauth: "pam"}).Owns(returners.Load{}) {
		t.Error("a job has no owner")
	}
}
