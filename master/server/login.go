package server

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Login is an authenticated user of a login service (external_auth), with the user's rules.
type Login struct {
	// Name is the user, Eauth the name of the service in external_auth.
	Name, Eauth string
	Groups      []string
	// By is the method of authentication: "token" or "eauth".
	By string
	// Rules are those of external_auth, in Salt's form. Without rules nothing is allowed.
	Rules []any
}

// Proof holds the credentials in a load: a token, or a name and a password. With a Token the rest
// is empty.
type Proof struct {
	Token                     string
	Eauth, Username, Password string
	// From is the source address.
	From string
}

// Logins identifies users of login services. The client does not learn the reason of a refusal; the
// error is for the log.
type Logins interface {
	Identify(ctx context.Context, p Proof) (Login, error)
}

// errTwoLogins refuses a load with two logins.
var errTwoLogins = errors.New("token or eauth is in both the load and its kwargs; use one")

// maxSecret limits a password, in bytes. It may be a signed token of another service.
const maxSecret = 16 << 10

// proofOf returns the token, or the name and password, of a clear load; by is "token" or "eauth",
// or "" if there is neither. Salt's clients send them in the kwargs of a publish load and in the
// load of a runner or wheel call. Beside them they send the key of their user, which must be
// ignored. As in Salt, the presence of the field decides, whatever its value, and a token precedes
// eauth (Salt wire reference §8.1, §12.3). Both places are checked for every command: a login in
// the wrong place must not become a call with that key.
func proofOf(load wire.Raw) (p Proof, by string, err error) {
	fields := []string{"token", "eauth", "username", "password", "kwargs"}
	top, err := wire.Pick(load, atDoor, fields...)
	if err != nil {
		return p, "", err
	}
	in := make([]wire.Raw, len(fields))
	if wire.IsMap(top[4]) {
		if in, err = wire.Pick(top[4], atDoor, fields[:4]...); err != nil {
			return p, "", err
		}
	}
	here, there := top[0] != nil || top[1] != nil, in[0] != nil || in[1] != nil
	switch {
	case here && there:
		return p, "", errTwoLogins
	case there:
		top = in
	case !here:
		return p, "", nil
	}
	if top[0] != nil {
		return Proof{Token: textUpTo(top[0], maxName)}, "token", nil
	}
	return Proof{
		Eauth: textUpTo(top[1], maxName), Username: textUpTo(top[2], maxName), Password: textUpTo(top[3], maxSecret),
	}, "eauth", nil
}

// ReadProof decodes the credentials in a stranger's request, and the requested life of a token, 0
// if absent. It decodes nothing else. [Server.From] sets From.
func ReadProof(r *Request) (p Proof, life time.Duration, err error) {
	f, err := wire.Pick(r.Load, atDoor, "token", "eauth", "username", "password", "token_expire")
	if err != nil {
		return p, 0, Invalid("%s: %v", r.Cmd, err)
	}
	p = Proof{
		Token: textUpTo(f[0], maxName), Eauth: textUpTo(f[1], maxName), Username: textUpTo(f[2], maxName), Password: textUpTo(f[3], maxSecret),
	}
	if f[4] == nil || wire.IsNil(f[4]) {
		return p, 0, nil
	}
	v, err := wire.Decode(f[4])
	seconds, isFloat := v.(float64)
	if n, ok := v.(int64); ok {
		seconds, isFloat = float64(n), true
	}
	if err != nil || !isFloat || !(seconds >= 1 && seconds <= maxLife) {
		return p, 0, Invalid("%s: token_expire is a number of seconds from 1 to %d", r.Cmd, int(maxLife))
	}
	return p, time.Duration(seconds * float64(time.Second)), nil
}

// maxLife limits the life of a token, in seconds: ten years.
const maxLife = 10 * 365 * 24 * 3600

// textUpTo returns a string of a load, or "" if it is not a string or too long.
func textUpTo(v wire.Raw, limit int) string {
	if len(v) > limit {
		return ""
	}
	text, _ := wire.Str(v)
	return text
}

// namesOf returns user and function of a load, for the log and for rules by function. It returns ""
// for invalid or overlong names.
func namesOf(load wire.Raw) (user, fun string) {
	f, err := wire.Pick(load, atDoor, "user", "fun")
	if err != nil {
		return "", ""
	}
	if len(f[1]) <= maxName {
		fun = wire.FunName(f[1])
	}
	return textUpTo(f[0], maxName), fun
}
