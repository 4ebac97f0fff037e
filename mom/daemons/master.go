package daemons

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/master"
	"github.com/momtree/mom/mom/command"
)

func masterCommand() *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:   "master",
		Short: "Run a master",
		Args:  command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := refuseRole("master"); err != nil {
				return err
			}
			version := command.Version(cmd)
			conf, warnings, err := config.LoadMaster(f.dir)
			if err != nil {
				return err
			}
			return f.serve(cmd, masterSettings(conf, warnings), service{
				name: "Salt Master", version: version,
				open: func(ctx context.Context, log *slog.Logger) (func(context.Context) error, error) {
					daemon.EaseCollector()
					return withTracer(ctx, conf.Tracing, "salt-master", conf.ID, version, log, func(t *tracing.Tracer) (func(context.Context) error, error) {
						m, err := master.New(master.Options{Config: conf, Version: version, Log: log, Tracer: t, Caller: caller(f.dir)})
						if err != nil {
							return nil, err
						}
						run := func(ctx context.Context) error {
							return daemon.RunWithHealth(ctx, m.Bus(), daemon.Health{Checks: []metrics.Checker{m.Metrics().Checks}}, m.Run)
						}
						run, drop, err := withAPI(f.dir, conf, version, log, run, m.Close)
						if err != nil {
							return nil, err
						}
						at, err := figuresOfDaemon(&conf.Common, conf.SockDir, "master", "salt-master", conf.ID)
						if err != nil {
							return nil, errors.Join(err, drop())
						}
						return withMetrics(at, "master", version, log, run, drop, m.Metrics())
					})
				},
			})
		},
	}
	f.register(c)
	return c
}

func masterSettings(c *config.Master, warnings []config.Warning) settings {
	return settings{
		logLevel: c.LogLevel, logFile: c.LogFile, logFileLevel: c.LogLevelLogfile, pidFile: c.Pidfile, user: c.User,
		warnings: warnings,
	}
}
