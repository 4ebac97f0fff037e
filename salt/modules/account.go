package modules

import (
	"os/user"
	"strconv"

	"github.com/momtree/mom/internal/posix"
)

// account is the user and group a command runs as; the zero value is the minion's own user.
type account struct {
	name, home string
	cred       *posix.Credential
}

func findUser(name string) (*user.User, error) {
	u, err := user.Lookup(name)
	if err == nil {
		return u, nil
	}
	if _, numeric := strconv.ParseUint(name, 10, 32); numeric == nil {
		return user.LookupId(name)
	}
	return nil, err
}

func findGroup(name string) (*user.Group, error) {
	g, err := user.LookupGroup(name)
	if err == nil {
		return g, nil
	}
	if _, numeric := strconv.ParseUint(name, 10, 32); numeric == nil {
		return user.LookupGroupId(name)
	}
	return nil, err
}
