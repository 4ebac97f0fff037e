package main

import (
	"context"
	"log/slog"
	"sync"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/minion"
)

func minionCommand() *cobra.Command {
	f := &daemonFlags{}
	c := &cobra.Command{
		Use:   "minion",
		Short: "Run a minion",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			conf, warnings, err := config.LoadMinion(f.dir)
			if err != nil {
				return err
			}
			s := settings{
				logLevel: conf.LogLevel, logFile: conf.LogFile, logFileLevel: conf.LogLevelLogfile, pidFile: conf.Pidfile,
				user: conf.User, warnings: warnings,
			}
			return f.serve(cmd, s, service{
				name: "Salt Minion",
				open: func(_ context.Context, log *slog.Logger) (func(context.Context) error, error) {
					m, err := minion.New(minion.Options{Config: conf, Version: version(), Log: log})
					if err != nil {
						return nil, err
					}
					run := func(ctx context.Context) error {
						ctx, cancel := context.WithCancel(ctx)
						var wg sync.WaitGroup
						wg.Go(func() { answerPulse(ctx, m.Bus(), m.Masters) })
						defer wg.Wait()
						defer cancel()
						return m.Run(ctx)
					}
					return withMetrics(conf.MetricsListen, "minion", log, run, m.Close, m.Metrics())
				},
			})
		},
	}
	f.register(c)
	return c
}
