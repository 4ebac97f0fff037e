package tree

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/mom/command"
)

// NeedTerminal returns an error if the command has no terminal for a full-screen view.
func NeedTerminal(cmd *cobra.Command, name, instead string) error {
	for what, v := range map[string]any{"standard output": cmd.OutOrStdout(), "standard input": cmd.InOrStdin()} {
		if !terminal.Is(v) {
			return fmt.Errorf("%s needs a terminal, but %s is not one; use %s --out json in scripts", name, what, instead)
		}
	}
	return nil
}

// Show runs a full-screen view until the user ends it. Events of the master with one of the tag
// prefixes trigger a read at once; without prefixes the view reads at its interval
// only.
func Show(cmd *cobra.Command, m tea.Model, cl *client.Client, prefixes ...string) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	p := tea.NewProgram(m, tea.WithAltScreen(), tea.WithContext(ctx), tea.WithoutSignalHandler(),
		tea.WithInput(cmd.InOrStdin()), tea.WithOutput(terminal.File(cmd.OutOrStdout()))) // the view contains no foreign text and moves the cursor
	done := make(chan struct{})
	go func() {
		defer close(done)
		if len(prefixes) > 0 {
			followEvents(ctx, cl, prefixes, func() { p.Send(Nudge{}) })
		}
	}()
	_, err := p.Run()
	cancel()
	<-done
	if errors.Is(err, tea.ErrProgramKilled) && cmd.Context().Err() != nil {
		return command.Exit(130, nil)
	}
	return err
}

// followEvents calls changed for events until ctx ends. Without a bus the view reads at its
// interval only.
func followEvents(ctx context.Context, cl *client.Client, prefixes []string, changed func()) {
	for ctx.Err() == nil {
		if events, err := cl.Subscribe(ctx, prefixes...); err == nil {
			for _, err := range events.All(ctx) {
				if err == nil {
					changed()
				}
			}
			_ = events.Close() // it is read only
		}
		_ = timing.Sleep(ctx, 5*time.Second)
	}
}
