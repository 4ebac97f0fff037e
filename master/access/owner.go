package access

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// loginField is the field of a stored job with the login service of its user.
const loginField = "mom_eauth"

// Owner is who published a job: a name, and what authenticated it. Equal names of different login
// services are different users, and so is a local user with a key.
type Owner struct {
	// Eauth is the login service, or "" for a local user.
	Eauth, Name string
}

// String returns the owner as the REST API compares it: a name, or SERVICE/name.
func (o Owner) String() string {
	if o.Eauth == "" {
		return o.Name
	}
	return o.Eauth + "/" + o.Name
}

// LoginOwner returns the owner for a login.
func LoginOwner(l *server.Login) Owner { return Owner{l.Eauth, l.Name} }

// OwnerOf returns the owner of a stored job. A job from a master above has its owner there: here its
// user is a name that no login authenticates.
func OwnerOf(l returners.Load) Owner {
	o := Owner{Name: l.User}
	if raw, err := wire.Field(l.Raw, loginField); err == nil && len(raw) > 0 {
		o.Eauth, _ = wire.Str(raw)
	}
	return o
}

// Owns reports whether a user owns a job.
//
//mutant:owner-by-proof
func (o Owner) Owns(l returners.Load) bool { return o.Name != "" && o == OwnerOf(l) }

// Record stores the login service of the owner in a job.
func (o Owner) Record(load *wire.Map) {
	if o.Eauth != "" {
		load.Set(loginField, o.Eauth)
	}
}
