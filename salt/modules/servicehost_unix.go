//go:build unix

package modules

// managerOf returns the service manager of this host.
func managerOf(c *Call) (serviceManager, error) {
	switch {
	case HasSystemd(c.Env):
		return systemd{}, nil
	case which("rc-service") != "":
		return openrc{}, nil
	case which("service") != "":
		return sysv{}, nil
	}
	return nil, &NotFoundError{"systemctl with systemd running, rc-service, or service"}
}
