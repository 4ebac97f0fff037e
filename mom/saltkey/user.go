package saltkey

import (
	"fmt"
	"os"
	"os/user"
	"strconv"

	"github.com/momtree/mom/mom/command"
)

// workAs makes a short-lived command run as the user of the master, so that files it creates belong
// to that user. Only root can change to another user. For other users it is an error only if the
// command line names a user.
func workAs(name string, insists bool) error {
	if name == "" {
		return nil
	}
	if cur, err := user.Current(); err == nil && cur.Username == name || name == "root" && os.Geteuid() == 0 {
		return nil
	}
	u, err := user.Lookup(name)
	if err != nil {
		return command.Exit(command.ExitNoUser, fmt.Errorf("work as user %s: %w", name, err))
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return command.Exit(command.ExitNoUser, fmt.Errorf("work as user %s: its id %q is not a number", name, u.Uid))
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return command.Exit(command.ExitNoUser, fmt.Errorf("work as user %s: its group id %q is not a number", name, u.Gid))
	}
	if os.Geteuid() != 0 {
		if insists && uid != os.Geteuid() {
			return command.Exit(command.ExitNoUser, fmt.Errorf("only root can work as another user, here as %s", name))
		}
		return nil
	}
	if err := become(uid, gid); err != nil {
		return fmt.Errorf("work as user %s: %w", name, err)
	}
	return nil
}
