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

// NeedTerminal refuses a full-screen view where there is no screen.
func NeedTerminal(cmd *cobra.Command, name, instead string) error {
	for what, v := range map[string]any{"standard output": cmd.OutOrStdout(), "standard input": cmd.InOrStdin()} {
		if !terminal.Is(v) {
			return fmt.Errorf("%s needs a terminal, and %s is none; for scripts there is %s --out json", name, what, instead)
		}
	}
	return nil
}

// Show runs a full-screen view until the user ends it. Events of the master whose
// tags begin with one of the prefixes make it read at once; without any it reads by its
// clock alone.
func Show(cmd *cobra.Command, m tea.Model, cl *client.Client, prefixes ...string) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	p := tea.NewProgram(m, tea.WithAltScreen(), tea.WithContext(ctx), tea.WithoutSignalHandler(),
		tea.WithInput(cmd.InOrStdin()), tea.WithOutput(terminal.File(cmd.OutOrStdout()))) // what is drawn is clean, and has to move the cursor
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

// followEvents tells of events until ctx ends. Without a bus the view still reads by its
// clock.
func followEvents(ctx context.Context, cl *client.Client, prefixes []string, tell func()) {
	for ctx.Err() == nil {
		if events, err := cl.Subscribe(ctx, prefixes...); err == nil {
			for _, err := range events.All(ctx) {
				if err == nil {
					tell()
				}
			}
			_ = events.Close() // it is read only
		}
		_ = timing.Sleep(ctx, 5*time.Second)
	}
}
