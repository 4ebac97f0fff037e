package screen

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/terminal"
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
// tag is wanted make it read at once.
func Show(cmd *cobra.Command, m tea.Model, cfg bus.ClientConfig, wanted func(tag string) bool) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	p := tea.NewProgram(m, tea.WithAltScreen(), tea.WithContext(ctx), tea.WithoutSignalHandler(),
		tea.WithInput(cmd.InOrStdin()), tea.WithOutput(terminal.File(cmd.OutOrStdout()))) // what is drawn is clean, and has to move the cursor
	done := make(chan struct{})
	go func() {
		defer close(done)
		followEvents(ctx, cfg, wanted, func() { p.Send(Nudge{}) })
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
