package client

import (
	"context"
	"log/slog"
	"net"
	"strconv"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
)

// FromConfig returns the options for the master of this machine whose configuration is in dir,
// such as /etc/salt. The client logs to log, which may be nil; so do problems of the
// configuration.
func FromConfig(dir string, log *slog.Logger) (Options, error) {
	conf, warnings, err := config.LoadMaster(dir)
	if err != nil {
		return Options{}, err
	}
	if log != nil {
		log.Debug("Reading configuration from " + conf.ConfFile) //nolint:sloglint // Salt's text
	}
	for _, w := range warnings {
		if log == nil {
			break
		}
		// The master logs the others when it starts.
		level := slog.LevelDebug
		if w.Kind == config.Missing {
			level = slog.LevelWarn
		}
		log.Log(context.Background(), level, w.String()) //nolint:sloglint // the text of a configuration warning
	}
	groups := conf.Nodegroups
	if groups == nil {
		groups = map[string]any{} // known to be empty
	}
	return Options{
		Addr: LocalAddr(conf.Interface, conf.RetPort), Cachedir: conf.Cachedir, MasterUser: conf.User,
		Nodegroups: groups, ConfFile: conf.ConfFile, Log: log, conf: conf,
		Bus: Bus{
			Dir: conf.SockDir, Mode: conf.IpcMode, PubPort: conf.TcpMasterPubPort, PullPort: conf.TcpMasterPullPort,
			Framing: conf.IpcFraming, // a Salt master accepts only its own
		},
	}, nil
}

// FromMinionConfig returns the options for the event bus of the minion of this machine whose
// configuration is in dir. A client with these options supports [Client.Subscribe] and
// [Client.Fire].
func FromMinionConfig(dir string) (Options, error) {
	conf, _, err := config.LoadMinion(dir)
	if err != nil {
		return Options{}, err
	}
	pub, pull, err := bus.MinionNames(conf.ID, conf.HashType)
	if err != nil {
		return Options{}, err
	}
	return Options{Bus: Bus{
		Dir: conf.SockDir, Mode: conf.IpcMode, PubName: pub, PullName: pull, PubPort: conf.TcpPubPort, PullPort: conf.TcpPullPort,
		Framing: conf.IpcFraming,
	}}, nil
}

// Open returns a client of the master of this machine whose configuration is in dir. It
// connects on the first request.
func Open(dir string) (*Client, error) {
	o, err := FromConfig(dir, nil)
	if err != nil {
		return nil, err
	}
	return New(o), nil
}

// LocalAddr returns the address at which local programs reach a port bound to the given
// address, Salt's option interface, which may be 0.0.0.0 or ::.
func LocalAddr(bound string, port int) string {
	if ip := net.ParseIP(bound); ip != nil && ip.IsUnspecified() {
		bound = "127.0.0.1"
		if ip.To4() == nil {
			bound = "::1"
		}
	}
	return net.JoinHostPort(bound, strconv.Itoa(port))
}
