package server

import "github.com/momtree/mom/internal/wire"

// loginOf finds in a clear load a way of proving who one is that this master does not
// serve yet: a token, or a name with a password for an external system (eauth). "" is
// none. Salt's clients put it into the kwargs of a publish and into the load of a runner
// or wheel call, and beside it the key of the user they run as, which counts for nothing
// then. As with Salt the field alone decides, whatever it holds, and a token goes before
// eauth (Salt wire reference §8.1, §12.3). Fields are looked for in both places, for
// every command: a login that was put into the wrong one must not end as a call with
// that key.
func loginOf(load wire.Raw) (by string, err error) {
	fields := []string{"token", "eauth", "kwargs"}
	top, err := wire.Pick(load, atDoor, fields...)
	if err != nil {
		return "", err
	}
	in := []wire.Raw{nil, nil}
	if wire.IsMap(top[2]) {
		if in, err = wire.Pick(top[2], atDoor, fields[:2]...); err != nil {
			return "", err
		}
	}
	for i, by := range fields[:2] {
		if top[i] != nil || in[i] != nil {
			return by, nil
		}
	}
	return "", nil
}

// namesOf are the user and the function that a load names, for the log and for rules by
// function. What cannot be read, or is too long for a name, is not named.
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
