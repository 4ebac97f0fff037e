//go:build unix

package modules

import (
	"os"
	"strconv"

	"github.com/momtree/mom/internal/posix"
)

// lookupAccount returns a user and group, given by name or number, with all groups of the
// user.
func lookupAccount(runas, group any) (account, error) {
	var a account
	if (runas == nil || runas == "") && (group == nil || group == "") {
		return a, nil
	}
	cred := &posix.Credential{Uid: uint32(os.Geteuid()), Gid: uint32(os.Getegid()), NoSetGroups: true}
	if runas != nil && runas != "" {
		u, err := findUser(PyStr(runas))
		if err != nil {
			return a, CommandErrorf("User '%s' is not available", PyStr(runas))
		}
		a.name, a.home = u.Username, u.HomeDir
		uid, gid := parseID(u.Uid), parseID(u.Gid)
		if uid == cred.Uid && cred.Uid != 0 && (group == nil || group == "") {
			return a, nil // nothing to change, and no permission to
		}
		cred.Uid, cred.Gid, cred.NoSetGroups = uid, gid, false
		ids, err := u.GroupIds()
		if err != nil {
			return a, CommandErrorf("groups of user '%s' cannot be read: %v", u.Username, err)
		}
		for _, id := range ids {
			cred.Groups = append(cred.Groups, parseID(id))
		}
	}
	if group != nil && group != "" {
		g, err := findGroup(PyStr(group))
		if err != nil {
			return a, CommandErrorf("Group '%s' is not available", PyStr(group))
		}
		cred.Gid = parseID(g.Gid)
	}
	a.cred = cred
	return a, nil
}

func parseID(s string) uint32 {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		// On Unix, os/user returns decimal ids only.
		panic("modules: user or group id " + strconv.Quote(s) + " is not a number")
	}
	return uint32(n)
}
