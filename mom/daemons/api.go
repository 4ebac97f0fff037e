package daemons

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/command"
)

func apiCommand() *cobra.Command {
	f := &flags{}
	up := &upstreamFlags{}
	c := &cobra.Command{
		Use:   "api",
		Short: "Run the REST API beside a master, or as a gateway to one",
		Long: "Runs the REST API of the master on this host: what rest_cherrypy and rest_tornado in\n" +
			"its configuration ask for, each on its own port. The master must be running; it decides who\n" +
			"may do what (external_auth). With --upstream it is a gateway to the API of a master on\n" +
			"another host, and needs no key of that master. With api_results it has no master, and\n" +
			"serves jobs and results from a database. See docs/guide/api.md and docs/guide/remote.md.",
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
					if conf.Api && conf.ApiUpstream == "" && conf.ApiResults == "" {
						return nil, fmt.Errorf("the master serves the API itself (api: True in %s); stop this one, or remove the option", conf.ConfFile)
					}
					a, err := openAPI(f.dir, conf, version, log)
					if err != nil {
						return nil, err
					}
					return a.measured()
				},
			})
		},
	}
	f.register(c)
	up.register(c)
	return c
}

// upstreamFlags are the options of a gateway; its configuration has them too.
type upstreamFlags struct{ url, ca, tokenFile string }

func (f *upstreamFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.url, "upstream", "", "be a gateway to the API at this address, such as https://top:8000 (default: api_upstream)")
	fs.StringVar(&f.ca, "upstream-ca", "", "certificate authorities of that API, in PEM (default: api_upstream_ca, else those of the system)")
	fs.StringVar(&f.tokenFile, "upstream-token-file", "", "file with the token for events (default: api_upstream_token_file, else no events)")
}

// over overrides the configuration with the options of the command line.
func (f *upstreamFlags) over(conf *config.Master) {
	conf.ApiUpstream = cmp.Or(f.url, conf.ApiUpstream)
	conf.ApiUpstreamCa = cmp.Or(f.ca, conf.ApiUpstreamCa)
	conf.ApiUpstreamTokenFile = cmp.Or(f.tokenFile, conf.ApiUpstreamTokenFile)
}
