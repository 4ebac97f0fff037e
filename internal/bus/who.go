package bus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
)

// who describes which group or directory denies this user access to a socket, and what to do.
// It is meant for users of publisher_acl.
func who(path string) string {
	me := "this user"
	if u, err := user.Current(); err == nil {
		me = "the user " + u.Username
	}
	const more = "docs/guide/operate/users.md says what users of publisher_acl need"
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrPermission) {
		dir := filepath.Dir(path)
		for filepath.Dir(dir) != dir { // the outermost closed directory
			if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, fs.ErrPermission) {
				break
			}
			dir = filepath.Dir(dir)
		}
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrPermission) {
			dir = filepath.Dir(dir)
		}
		return fmt.Sprintf("%s may not enter the folder %s: give it to a group of that user (chgrp, chmod g+x); %s", me, dir, more)
	}
	if err != nil {
		return more
	}
	return fmt.Sprintf("%s is not in the group %s of %s (mode %04o): add it to that group, or give sock_dir another one (chgrp GROUP %s; chmod g+s) and restart the master; %s",
		me, groupOf(info), path, info.Mode().Perm(), filepath.Dir(path), more)
}
