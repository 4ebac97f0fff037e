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
	fields := []string{string(loginToken), string(loginEauth), "kwargs"}
	top, err := wire.Pick(load, atDoor, fields...)
	if err != nil {
		return noLogin, err
	}
	in := []wire.Raw{nil, nil}
	if wire.IsMap(top[2]) {
		if in, err = wire.Pick(top[2], atDoor, fields[:2]...); err != nil {
			return noLogin, err
		}
	}
	switch {
	case top[0] != nil || in[0] != nil:
		return loginToken, nil
	case top[1] != nil || in[1] != nil:
		return loginEauth, nil
	}
	return noLogin, nil
}

// refuseLogin answers a command that came with a login, in Salt's words for one that
// is not valid: a publish as its LocalClient awaits it (AuthenticationError), a runner
// or wheel call under the name of the way that failed.
func (m *Master) refuseLogin(cmd string, by login, load wire.Raw) any {
	user, fun := namesOf(load)
	m.refusedUser(cmd+" with "+string(by)+" (external_auth is not served by this master)", user, fun)
	switch cmd {
	case "runner", "wheel":
		return authenticationFailed(string(by)).reply()
	}
	return errNoAccess.reply()
}

// namesOf are the user and the function that a load names, for the log. What cannot be
// read, or is too long for a name, is not named.
func namesOf(load wire.Raw) (user, fun string) {
	f, err := wire.Pick(load, atDoor, "user", "fun")
	if err != nil {
		return "", ""
	}
	if len(f[0]) <= maxName {
		user, _ = wire.Str(f[0])
	}
	if len(f[1]) <= maxName {
		fun = wire.FunName(f[1])
	}
	return user, fun
}

// authenticationFailed is Salt's refusal of a runner or wheel call.
func authenticationFailed(by string) refusal {
	return refusal{
		strings.ToUpper(by[:1]) + by[1:] + "AuthenticationError",
		fmt.Sprintf("Authentication failure of type %q occurred", by),
	}
}
