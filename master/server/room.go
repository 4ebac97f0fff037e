package server

import (
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/zmtp"
)

// portsRoom raises the limit of open files to max_open_files, or to the need of the accepted keys
// if that is more, and divides it between both ports. Each minion has a connection to the publish
// port, and a second one during requests.
func portsRoom(o PortsOptions) *zmtp.Room {
	c := o.Config
	need := uint64(2*o.Accepted + zmtp.Reserve)
	want := max(uint64(c.MaxOpenFiles), need)
	have, err := o.Raise(want)
	if err != nil {
		o.Log.Warn("open file limit not raised", "limit", have, "wanted", want, "err", err)
	}
	switch {
	case c.MaxConnections > 0 && c.MaxConnections < o.Accepted:
		o.Log.Warn("max_connections is lower than the number of accepted keys", "hint", "raise max_connections or remove it",
			"keys", o.Accepted, "max_connections", c.MaxConnections, "set", o.Accepted)
	//mutant:open-files-limit-is-compared
	case have < need:
		o.Log.Warn("open file limit is lower than the number of accepted keys needs", "hint", "raise the hard limit of open files "+
			"(with systemd: LimitNOFILE=, in a shell: ulimit -Hn)", "keys", o.Accepted, "limit", have, "needed", need, "set", roundUp(need+need/4, 1024))
	case have < uint64(c.MaxOpenFiles) && c.Place("max_open_files") != (config.Place{}): // set by the operator
		o.Log.Warn("open file limit is lower than max_open_files", "hint", "raise the hard limit (systemd: LimitNOFILE=) or lower the option",
			"limit", have, "max_open_files", c.MaxOpenFiles)
	}
	return zmtp.NewRoom(int(min(have, 1<<30)))
}

func roundUp(n, to uint64) uint64 { return (n + to - 1) / to * to }
