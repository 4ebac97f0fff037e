package server

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Login is a user of a login service (external_auth) who has proved who that is, and what
// that user may do.
type Login struct {
	// Name is the user, Eauth the service that knows the name, as external_auth calls it.
	Name, Eauth string
	Groups      []string
	// By is what it was proved with: "token" or "eauth".
	By string
	// Rules are what external_auth allows, in Salt's form. Without any nothing is allowed.
	Rules []any
}

// Proof is what a load proves a login with: a token, or a name and a password. With a
// Token the rest is empty.
type Proof struct {
	Token                     string
	Eauth, Username, Password string
	// From is the address that it came from.
	From string
}

// Logins know the users of login services. What they refuse they do not explain: the
// error is for the log.
type Logins interface {
	Identify(ctx context.Context, p Proof) (Login, error)
}

// errTwoLogins is a load that leaves open who sends it.
var errTwoLogins = errors.New("token or eauth stand in the load and in its kwargs: leave one")

// maxSecret bounds a password, which may be a signed token of another service.
const maxSecret = 16 << 10

// proofOf finds in a clear load a token, or a name with a password; by is "token" or
// "eauth", "" if there is neither. Salt's clients put them into the kwargs of a publish
// and into the load of a runner or wheel call, and beside them the key of the user they
// run as, which counts for nothing then. As with Salt the field alone decides, whatever
// it holds, and a token goes before eauth (Salt wire reference §8.1, §12.3). Fields are
// looked for in both places, for every command: a login that was put into the wrong one
// must not end as a call with that key.
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

// ReadProof reads what a request of a stranger proves a login with, and the life that a
// token shall have, 0 if it does not say. No more of it is decoded. From is left to
// [Server.From].
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

// maxLife bounds the life of a token, in seconds: ten years.
const maxLife = 10 * 365 * 24 * 3600

// textUpTo is a text of a load, "" for what is none or longer.
func textUpTo(v wire.Raw, limit int) string {
	if len(v) > limit {
		return ""
	}
	text, _ := wire.Str(v)
	return text
}

// namesOf are the user and the function that a load names, for the log and for rules by
// function. What cannot be read, or is too long for a name, is not named.
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
