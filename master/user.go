package master

import "os"

// user is the login the master runs as, which jobs of its own carry.
func (m *Master) user() string {
	if m.cfg.User != "" {
		return m.cfg.User
	}
	if u := os.Getenv("USER"); u != "" {
		return u
	}
	return "root"
}
