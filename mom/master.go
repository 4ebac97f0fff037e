package main

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/master"
	"github.com/momtree/mom/mom/command"
)

// daemonCommands are the daemons; Salt's names have "salt-" in front.
func daemonCommands() []*cobra.Command {
	return []*cobra.Command{masterCommand(), syndicCommand(), minionCommand()}
}

func masterCommand() *cobra.Command {
	f := &daemonFlags{}
	c := &cobra.Command{
		Use:   "master",
		Short: "Run a master",
		Args:  command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			conf, warnings, err := config.LoadMaster(f.dir)
			if err != nil {
				return err
			}
			return f.serve(cmd, masterSettings(conf, warnings), service{
				name: "Salt Master",
				open: func(_ context.Context, log *slog.Logger) (func(context.Context) error, error) {
					m, err := master.New(master.Options{Config: conf, Version: version(), Log: log})
					if err != nil {
						return nil, err
					}
					run := func(ctx context.Context) error {
						return beating(ctx, m.Bus(), heart{checks: []metrics.Checker{m.Metrics().Checks}}, m.Run)
					}
					return withMetrics(conf.MetricsListen, "master", log, run, m.Close, m.Metrics())
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
