package daemons

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/api/backend"
	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/client/remote"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/results"
)

// gatewayTime bounds a waiting call of a gateway, beyond the limit of its own listener.
const gatewayTime = 25 * time.Hour

const (
	// masterConns bounds the concurrent requests of users to the master: with the 8 of a
	// command a hundred users would wait for each other.
	masterConns = 64
	// doorConns bounds the concurrent requests of unauthenticated clients to the master.
	doorConns = 64
	// masterTime bounds one request, including the wait for its turn.
	masterTime = 30 * time.Second
)

// openAPI opens the configured API: that of the master on this host, a gateway to another host, or
// one that serves a database.
func openAPI(dir string, conf *config.Master, version string, log *slog.Logger) (*apiDaemon, error) {
	o := apiOptions{conf: conf, version: version, log: log}
	switch {
	case conf.ApiUpstream != "" && conf.ApiResults != "":
		return nil, errors.New("api_upstream and api_results exclude each other: an API serves a remote master or a database")
	case conf.ApiUpstream != "":
		return gateway(o)
	case conf.ApiResults != "":
		b, err := results.Open(conf, log)
		if err != nil {
			return nil, err
		}
		o.backend = b
		o.work, o.closes = append(o.work, b.Run), append(o.closes, b.Close)
		return newAPI(o)
	}
	return localAPI(dir, o)
}

// localAPI opens the API of the master on this host.
func localAPI(dir string, o apiOptions) (*apiDaemon, error) {
	c, err := client.FromConfig(dir, o.log)
	if err != nil {
		return nil, err
	}
	if o.conf.ApiEventFile > 0 {
		if o.spill, err = stream.OpenSpill(filepath.Join(o.conf.Cachedir, "api"), int64(o.conf.ApiEventFile), time.Now, o.log); err != nil {
			return nil, fmt.Errorf("api_event_file: %w; 0 does without", err)
		}
		o.closes = append(o.closes, o.spill.Close)
	}
	c.Timeout = masterTime
	side := client.New(c)
	c.Conns = masterConns
	local := client.New(c)
	c.Conns = doorConns
	door := client.New(c)
	o.backend, o.events = backend.Local{Client: local, Side: side, Door: door}, true
	o.closes = append(o.closes, local.Close, side.Close, door.Close)
	return newAPI(o)
}

// gateway opens the API in front of another host's API.
func gateway(o apiOptions) (*apiDaemon, error) {
	c, err := remote.New(remote.Options{URL: o.conf.ApiUpstream, CA: o.conf.ApiUpstreamCa, CallTime: gatewayTime, Log: o.log})
	if err != nil {
		return nil, fmt.Errorf("api_upstream: %w", err)
	}
	b := &backend.Gateway{Remote: c, TokenFile: o.conf.ApiUpstreamTokenFile}
	if b.TokenFile == "" {
		o.log.Warn("no events: api_upstream_token_file has no token")
	} else if err := b.CheckToken(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if info, err := os.Stat(b.TokenFile); err == nil && info.Mode().Perm()&0o077 != 0 {
		o.log.Warn("event token file is readable by others", "hint", "set its mode to 0600", "path", b.TokenFile, "mode", info.Mode().Perm().String())
	}
	o.log.Info("running as a gateway", "upstream", c.URL())
	o.backend, o.events, o.closes = b, b.TokenFile != "", append(o.closes, c.Close)
	return newAPI(o)
}
