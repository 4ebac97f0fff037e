package client

import (
	"context"
	"log/slog"
	"net"
	"strconv"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
)

// FromConfig gives the options that fit the master of this machine whose
// configuration is in a folder, such as /etc/salt. The log, which becomes that of the
// client and may be nil, is told of what the configuration says in vain.
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
		// The master tells the rest when it starts; here it would be in the way.
		level := slog.LevelDebug
		if w.Kind == config.Missing {
			level = slog.LevelWarn
		}
		log.Log(context.Background(), level, w.String()) //nolint:sloglint // the text of a configuration warning
	}
	groups := conf.Nodegroups
	if groups == nil {
		groups = map[string]any{} // that there are none is known
	}
	return Options{
		Addr: LocalAddr(conf.Interface, conf.RetPort), Cachedir: conf.Cachedir, MasterUser: conf.User,
		Nodegroups: groups, ConfFile: conf.ConfFile, Log: log, conf: conf,
		Bus: Bus{
			Dir: conf.SockDir, Mode: conf.IpcMode, PubPort: conf.TcpMasterPubPort, PullPort: conf.TcpMasterPullPort,
			Framing: conf.IpcFraming, // the master may be one of Salt's, which takes its own only
		},
	}, nil
}

// FromMinionConfig gives the options that fit the event bus of a minion of this machine,
// whose configuration is in a folder: a client that is made of them can [Client.Subscribe]
// and [Client.Fire].
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

// Open makes a client of the master of this machine whose configuration is in a folder.
// It connects with the first request.
func Open(dir string) (*Client, error) {
	o, err := FromConfig(dir, nil)
	if err != nil {
		return nil, err
	}
	return New(o), nil
}

// LocalAddr is where a program on this machine reaches a port that is bound to an
// address, which is Salt's option interface and may be 0.0.0.0 or ::.
func LocalAddr(bound string, port int) string {
	if ip := net.ParseIP(bound); ip != nil && ip.IsUnspecified() {
		bound = "127.0.0.1"
		if ip.To4() == nil {
			bound = "::1"
		}
	}
	return net.JoinHostPort(bound, strconv.Itoa(port))
}
