package daemons

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/api"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/client/remote"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/command"
)

func apiCommand() *cobra.Command {
	f := &flags{}
	up := &upstreamFlags{}
	c := &cobra.Command{
		Use:   "api",
		Short: "Run the REST API beside a master, or as a gateway to one",
		Long: "Runs the REST API of the master on this host: what rest_cherrypy and rest_tornado of\n" +
			"its configuration ask for, each on its own port. The master has to run; it decides who\n" +
			"may do what (external_auth). With --upstream it is a gateway to the API of a master on\n" +
			"another host, and needs no key of that master. See docs/api.md and docs/afar.md.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			version := command.Version(cmd)
			conf, warnings, err := config.LoadMaster(f.dir)
			if err != nil {
				return err
			}
			up.over(conf)
			s := masterSettings(conf, warnings)
			s.logFile, s.pidFile = conf.ApiLogfile, conf.ApiPidfile
			return f.serve(cmd, s, service{
				name: "Salt API", version: version,
				open: func(_ context.Context, log *slog.Logger) (func(context.Context) error, error) {
					open := localAPI
					if conf.ApiUpstream != "" {
						open = gateway
					} else if conf.Api {
						return nil, fmt.Errorf("the master serves the API itself (api: True in %s); stop this one, or take the option out", conf.ConfFile)
					}
					a, err := open(f.dir, conf, version, log)
					if err != nil {
						return nil, err
					}
					return a.run, nil
				},
			})
		},
	}
	f.register(c)
	up.register(c)
	return c
}

// upstreamFlags are the options of a gateway, which stand in its configuration as well.
type upstreamFlags struct{ url, ca, tokenFile string }

func (f *upstreamFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.url, "upstream", "", "be a gateway to the API at this address, such as https://top:8000 (default: api_upstream)")
	fs.StringVar(&f.ca, "upstream-ca", "", "authorities of its certificate, in PEM (default: api_upstream_ca, else those of the system)")
	fs.StringVar(&f.tokenFile, "upstream-token-file", "", "file with the token for events (default: api_upstream_token_file, else there are no events)")
}

// over puts the options of the line over those of the configuration.
func (f *upstreamFlags) over(conf *config.Master) {
	conf.ApiUpstream = cmp.Or(f.url, conf.ApiUpstream)
	conf.ApiUpstreamCa = cmp.Or(f.ca, conf.ApiUpstreamCa)
	conf.ApiUpstreamTokenFile = cmp.Or(f.tokenFile, conf.ApiUpstreamTokenFile)
}

// localAPI is the API of the master on this host.
func localAPI(dir string, conf *config.Master, version string, log *slog.Logger) (*apiDaemon, error) {
	o, err := client.FromConfig(dir, log)
	if err != nil {
		return nil, err
	}
	c := client.New(o)
	return newAPI(apiOptions{backend: api.Masters{Client: c}, done: c.Close, events: true, conf: conf, version: version, log: log})
}

// gateway is the API in front of that of another host.
func gateway(_ string, conf *config.Master, version string, log *slog.Logger) (*apiDaemon, error) {
	c, err := remote.New(remote.Options{URL: conf.ApiUpstream, CA: conf.ApiUpstreamCa, CallTime: gatewayTime, Log: log})
	if err != nil {
		return nil, fmt.Errorf("api_upstream: %w", err)
	}
	b := &api.Upstream{Remote: c, TokenFile: conf.ApiUpstreamTokenFile}
	if b.TokenFile == "" {
		log.Warn("There are no events: api_upstream_token_file names no token to listen with")
	} else if err := b.CheckToken(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if info, err := os.Stat(b.TokenFile); err == nil && info.Mode().Perm()&0o077 != 0 {
		log.Warn("Others may read the token for events, with which they hear everything; make it 0600", "file", b.TokenFile, "mode", info.Mode().Perm().String())
	}
	log.Info("This is a gateway", "upstream", c.URL())
	return newAPI(apiOptions{backend: b, done: c.Close, events: b.TokenFile != "", conf: conf, version: version, log: log})
}
