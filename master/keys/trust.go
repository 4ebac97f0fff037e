package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"slices"
	"strconv"

	"github.com/momtree/mom/internal/posix"
)

var errWritable = errors.New("wrong permissions")

// trusted returns an error if others than its owner may write to a file that decides about keys. A
// group may, with permissive_pki_access; if the master is root, only a group of its user.
func (p *Policy) trusted(info fs.FileInfo) error {
	mode := info.Mode()
	switch {
	case !mode.IsRegular():
		return fmt.Errorf("%w: not a regular file", errWritable)
	case mode&0o002 != 0:
		return fmt.Errorf("%w: mode %04o allows everybody to write, use chmod o-w", errWritable, mode.Perm())
	case mode&0o020 == 0:
		return nil
	case !p.PermissivePkiAccess:
		return fmt.Errorf("%w: mode %04o allows its group to write, use chmod g-w or set permissive_pki_access", errWritable, mode.Perm())
	}
	st, ok := posix.StatOf(info)
	if !ok || os.Getuid() != 0 {
		return nil
	}
	groups, err := supplementary(p.User)
	if err != nil {
		return fmt.Errorf("%w: groups of user %q not known: %w", errWritable, p.User, err)
	}
	if gid := strconv.FormatUint(uint64(st.Gid), 10); !slices.Contains(groups, gid) {
		return fmt.Errorf("%w: group %s may write, and user %q is not in it", errWritable, gid, p.User)
	}
	return nil
}

// supplementary returns the groups of a user besides the primary one.
func supplementary(name string) ([]string, error) {
	var u *user.User
	var err error
	if name == "" {
		u, err = user.Current()
	} else {
		u, err = user.Lookup(name)
	}
	if err != nil {
		return nil, err
	}
	groups, err := u.GroupIds()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(groups, func(g string) bool { return g == u.Gid }), nil
}
