package health

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/mom/command"
)

// Command is mom health.
func Command() *cobra.Command {
	var dir, role string
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "health",
		Short: "Check whether the daemon of a configuration directory works",
		Long: "Exits 0 if the daemon whose configuration is in the directory works, otherwise 1 with what\n" +
			"is wrong. A master has to answer a ping on its return port; a syndic node also has to be\n" +
			"connected to a master above; a minion has to answer on its event bus and be\n" +
			"subscribed to a master. Each has to be able to write: a daemon whose disk is full or\n" +
			"read-only, or whose outbox is at its bound, counts as degraded. The result is that of\n" +
			"/readyz, without a listener, for the health checks of containers and service managers.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			text, err := health(ctx, dir, role)
			if err != nil {
				return command.Exit(command.ExitFailure, fmt.Errorf("unhealthy: %w", err))
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
			return err
		},
	}
	c.Flags().StringVarP(&dir, "config-dir", "c", config.DefaultDir(), "directory with the configuration")
	c.Flags().StringVar(&role, "role", "", "the daemon: master, syndic or minion (default: the one of the directory)")
	command.Values(c, "role", "master", "syndic", "minion")
	c.Flags().DurationVarP(&timeout, "timeout", "t", 3*time.Second, "how long to wait for answers")
	return c
}

// health checks one daemon and returns its state as text.
func health(ctx context.Context, dir, role string) (string, error) {
	if role == "" {
		role = "minion"
		if _, err := os.Stat(filepath.Join(dir, "master")); err == nil {
			role = "node"
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	switch role {
	case "master", "syndic", "node":
		return nodeHealth(ctx, dir, role)
	case "minion":
		return minionHealth(ctx, dir)
	}
	return "", fmt.Errorf("--role is %q, must be master, syndic or minion", role)
}

func nodeHealth(ctx context.Context, dir, role string) (text string, err error) {
	conf, _, err := config.LoadMaster(dir)
	if err != nil {
		return "", err
	}
	o, err := client.FromConfig(dir, nil)
	if err != nil {
		return "", err
	}
	c := client.New(o)
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.Ping(ctx); err != nil {
		return "", err
	}
	text = "the master answers at " + o.Addr
	_, below := conf.Raw["syndic_master"]
	p, err := askPulse(ctx, o, jid.New(time.Now()))
	// A daemon with links is a syndic, even if its parent is the default one.
	tied := role == "syndic" || (role == "node" && (below || err == nil && p.tied))
	switch {
	case tied && err == nil:
		if err = p.linked(); err == nil {
			text += ", the syndic is connected to " + strings.Join(p.up, ", ")
		}
	case !tied && errors.Is(err, fs.ErrPermission): // a user who cannot read the bus can still send a ping
		return text + "; this user cannot read its bus, so its disk was not checked", nil
	}
	if tied && err != nil {
		err = fmt.Errorf("the syndic does not work: %w", err)
	}
	if err = both(err, p.ready()); err != nil {
		return "", fmt.Errorf("%s, but %w", text, err)
	}
	return text, nil
}

func minionHealth(ctx context.Context, dir string) (string, error) {
	conf, _, err := config.LoadMinion(dir)
	if err != nil {
		return "", err
	}
	o, err := client.FromMinionConfig(dir)
	if err != nil {
		return "", err
	}
	p, err := askPulse(ctx, o, jid.New(time.Now()))
	if err == nil {
		err = both(p.linked(), p.ready())
	}
	if err != nil {
		return "", fmt.Errorf("minion %s: %w", conf.ID, err)
	}
	return fmt.Sprintf("minion %s is subscribed to %s", conf.ID, strings.Join(p.up, ", ")), nil
}

// both joins two errors in one line; either may be nil.
func both(a, b error) error {
	if a == nil || b == nil {
		return errors.Join(a, b)
	}
	return fmt.Errorf("%w; %w", a, b)
}
