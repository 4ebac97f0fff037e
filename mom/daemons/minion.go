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
	"github.com/momtree/mom/minion"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/saltcall"
)

func minionCommand() *cobra.Command {
	f := &flags{}
	action := ""
	c := &cobra.Command{
		Use:   "minion",
		Short: "Run a minion",
		Args:  command.NoArgs,
	}
	run := func(cmd *cobra.Command, _ []string) error {
		version := command.Version(cmd)
		conf, warnings, err := config.LoadMinion(f.dir)
		if err != nil {
			return err
		}
		s := settings{
			logLevel: conf.LogLevel, logFile: conf.LogFile, logFileLevel: conf.LogLevelLogfile, pidFile: conf.Pidfile,
			user: conf.User, warnings: warnings,
		}
		return f.serve(cmd, s, service{
			name: "Salt Minion", version: version,
			open: func(ctx context.Context, log *slog.Logger) (func(context.Context) error, error) {
				o := minion.Options{Config: conf, Version: version, Log: log}
				if conf.Masterless() {
					own, err := saltcall.NewPillars(conf, log)
					if err != nil {
						return nil, err
					}
					o.Pillars = own
				}
				return withTracer(ctx, conf.Tracing, "salt-minion-"+conf.ID, conf.ID, version, log, func(t *tracing.Tracer) (func(context.Context) error, error) {
					o.Tracer = t
					m, err := minion.New(o)
					if err != nil {
						return nil, err
					}
					run := func(ctx context.Context) error {
						err := daemon.RunWithHealth(ctx, m.Bus(), daemon.Health{Links: m.Masters, Checks: []metrics.Checker{m.Metrics().Checks}}, m.Run)
						if code := minion.ExitCode(err); code > command.ExitFailure { // service files know it
							return command.Exit(code, err)
						}
						return err
					}
					at, err := figuresOfDaemon(&conf.Common, conf.SockDir, "minion", "salt-minion-"+conf.ID, conf.ID)
					if err != nil {
						return nil, errors.Join(err, m.Close())
					}
					return withMetrics(at, "minion", version, log, run, m.Close, m.Metrics())
				})
			},
		})
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if action != "" {
			return f.manageService(cmd, action, run)
		}
		return run(cmd, args)
	}
	f.register(c)
	c.Flags().StringVar(&action, "service", "", "on Windows: install, remove, start or stop the service salt-minion; run is what the service calls")
	command.Values(c, "service", serviceActions...)
	return c
}
