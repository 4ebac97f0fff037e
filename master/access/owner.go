package access

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// loginField is the field of a stored job that names the login service of its user.
const loginField = "mom_eauth"

// Owner is who asked for a job: a name, and what proved it. Names that different login
// services prove are different users, and so is a user of the machine, who has a key.
type Owner struct {
	// Eauth is the login service; "" for a user of the machine.
	Eauth, Name string
}

// String is the owner as the REST API compares it: a name, or SERVICE/name.
func (o Owner) String() string {
	if o.Eauth == "" {
		return o.Name
	}
	return o.Eauth + "/" + o.Name
}

// LoginOwner is who has logged in.
func LoginOwner(l *server.Login) Owner { return Owner{l.Eauth, l.Name} }

// OwnerOf is who asked for a stored job. A job of a master above has an owner there alone:
// here its user is a name that no login proves.
func OwnerOf(l returners.Load) Owner {
	o := Owner{Name: l.User}
	if raw, err := wire.Field(l.Raw, loginField); err == nil && len(raw) > 0 {
		o.Eauth, _ = wire.Str(raw)
	}
	return o
}

// Owns tells whether a user asked for a job.
//
//mutant:owner-by-proof
func (o Owner) Owns(l returners.Load) bool { return o.Name != "" && o == OwnerOf(l) }

// Record sets in a stored job by which login service its user is known.
func (o Owner) Record(load *wire.Map) {
	if o.Eauth != "" {
		load.Set(loginField, o.Eauth)
	}
}
