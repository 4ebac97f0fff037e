package main

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/screen"
	"github.com/momtree/mom/topology"
)

// watchTree keeps the tree on the screen until q.
func (f *treeFlags) watchTree(cmd *cobra.Command, conf *config.Master) (err error) {
	o := client.FromMaster(conf)
	cl := client.New(o)
	defer func() { err = errors.Join(err, cl.Close()) }()
	fetch := func() screen.Snapshot {
		ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
		defer cancel()
		n, err := topology.Ask(ctx, cl)
		if err != nil {
			return screen.Snapshot{Err: err}
		}
		return screen.Snapshot{Root: n, Problems: topology.Problems(n), At: time.Now()}
	}
	return show(cmd, screen.NewTree(fetch, nil), o.Bus, func(tag string) bool {
		return strings.HasPrefix(tag, "topology/") || strings.HasPrefix(tag, "salt/presence/")
	})
}

// show runs a full-screen view until the user ends it. Events of the master whose
// tag is wanted make it read at once.
func show(cmd *cobra.Command, m tea.Model, cfg bus.ClientConfig, wanted func(tag string) bool) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	p := tea.NewProgram(m, tea.WithAltScreen(), tea.WithContext(ctx), tea.WithoutSignalHandler(),
		tea.WithInput(cmd.InOrStdin()), tea.WithOutput(cmd.OutOrStdout()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		followEvents(ctx, cfg, wanted, func() { p.Send(screen.Nudge{}) })
	}()
	_, err := p.Run()
	cancel()
	<-done
	if errors.Is(err, tea.ErrProgramKilled) && cmd.Context().Err() != nil {
		return command.Exit(130, nil)
	}
	return err
}

// followEvents tells of wanted events until ctx ends. Without a bus the view
// still reads by its clock.
func followEvents(ctx context.Context, cfg bus.ClientConfig, wanted func(string) bool, tell func()) {
	for ctx.Err() == nil {
		if b, err := bus.Dial(ctx, cfg); err == nil {
			for {
				e, err := b.Next(ctx)
				if err != nil {
					break
				}
				if wanted(e.Tag) {
					tell()
				}
			}
			_ = b.Close() // it is read only
		}
		_ = sleep.For(ctx, 5*time.Second)
	}
}
