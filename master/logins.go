package master

import (
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/wire"
)

// login is a way of proving who one is that this master does not serve yet: a
// token, or a name with a password for an external system (eauth).
type login string

const (
	noLogin    login = ""
	loginToken login = "token"
	loginEauth login = "eauth"
)

// loginOf finds a login in a clear load. Salt's clients put it into the kwargs of a
// publish and into the load of a runner or wheel call, and beside it the key of the
// user they run as, which counts for nothing then. As with Salt the field alone
// decides, whatever it holds, and a token goes before eauth (Salt wire reference §8.1,
// §12.3). Fields are looked for in both places, for every command: a login that was
// put into the wrong one must not end as a call with that key.
func loginOf(load wire.Raw) (login, error) {
	found := noLogin
	note := func(field string, _ wire.Raw) error {
		switch {
		case field == string(loginToken):
			found = loginToken
		case field == string(loginEauth) && found == noLogin:
			found = loginEauth
		}
		return nil
	}
	err := wire.Fields(load, func(field string, val wire.Raw) error {
		if field == "kwargs" && wire.IsMap(val) {
			return wire.Fields(val, note)
		}
		return note(field, val)
	})
	return found, err
}

// refuseLogin answers a command that came with a login, in Salt's words for one that
// is not valid: a publish as its LocalClient awaits it (AuthenticationError), a runner
// or wheel call under the name of the way that failed.
func (m *Master) refuseLogin(cmd string, by login, load wire.Raw) any {
	var user, fun string
	// What cannot be read is not named in the log; the refusal stands.
	_ = wire.Fields(load, func(field string, val wire.Raw) error {
		switch field {
		case "user":
			user, _ = wire.Str(val)
		case "fun":
			fun = wire.FunName(val)
		}
		return nil
	})
	m.refusedUser(cmd+" with "+string(by)+" (external_auth is not served by this master)", user, fun)
	switch cmd {
	case "runner", "wheel":
		return authenticationFailed(string(by)).reply()
	}
	return errNoAccess.reply()
}

// authenticationFailed is Salt's refusal of a runner or wheel call.
func authenticationFailed(by string) refusal {
	return refusal{
		strings.ToUpper(by[:1]) + by[1:] + "AuthenticationError",
		fmt.Sprintf("Authentication failure of type %q occurred", by),
	}
}
