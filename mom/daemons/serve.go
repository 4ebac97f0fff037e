package daemons

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/user"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/mom/command"
)

// Commands returns master, syndic, minion and api; with Salt's names they begin with "salt-".
func Commands() []*cobra.Command {
	return []*cobra.Command{masterCommand(), syndicCommand(), minionCommand(), apiCommand()}
}

// service is a daemon: open binds and opens everything, run serves until ctx
// ends.
type service struct {
	name    string // as Salt words it: "Salt Master"
	version string
	open    func(ctx context.Context, log *slog.Logger) (run func(context.Context) error, err error)
}

// flags are the options that all daemons share.
type flags struct {
	dir, logLevel, logFile, logFileLevel, pidFile, user string
	background                                          bool
}

func (f *flags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVarP(&f.dir, "config-dir", "c", config.DefaultDir(), "directory with the configuration")
	fs.BoolVarP(&f.background, "daemon", "d", false, "run in the background")
	fs.StringVarP(&f.logLevel, "log-level", "l", "", "level of the console log (default: log_level, warning)")
	fs.StringVar(&f.logFile, "log-file", "", "log file (default: log_file)")
	fs.StringVar(&f.logFileLevel, "log-file-level", "", "level of the log file (default: log_level_logfile)")
	command.Values(c, "log-level", daemon.Levels()...)
	command.Values(c, "log-file-level", daemon.Levels()...)
	fs.StringVar(&f.pidFile, "pid-file", "", "pid file (default: pidfile)")
	fs.Bool("disable-keepalive", false, "without effect: the daemon never restarts itself; use the service manager")
	fs.StringVarP(&f.user, "user", "u", "", "run as this user (default: user)")
}

// settings are the options of the configuration for the daemon itself.
type settings struct {
	logLevel, logFile, logFileLevel, pidFile, user string
	warnings                                       []config.Warning
}

// serve runs a daemon to its end.
func (f *flags) serve(cmd *cobra.Command, s settings, svc service) error {
	consoleLevel, err := daemon.Level(cmp.Or(f.logLevel, s.logLevel, "warning"))
	if err != nil {
		return command.Exit(command.ExitUsage, fmt.Errorf("option -l: %w", err))
	}
	fileLevel, err := daemon.Level(cmp.Or(f.logFileLevel, s.logFileLevel, f.logLevel, s.logLevel, "warning"))
	if err != nil {
		return command.Exit(command.ExitUsage, fmt.Errorf("option --log-file-level: %w", err))
	}
	if err := becomeUser(cmp.Or(f.user, s.user)); err != nil {
		return command.Exit(command.ExitNoUser, err)
	}
	if f.background && !daemon.InBackground() {
		return daemon.Background()
	}
	console := cmd.ErrOrStderr()
	if daemon.InBackground() {
		console = nil
	}
	err = f.inForeground(cmd.Context(), console, consoleLevel, fileLevel, s, svc)
	daemon.Started(err)
	if _, logged := errors.AsType[*startError](err); logged && console != nil && consoleLevel <= slog.LevelError {
		return command.Exit(command.Code(err), nil) // the log has reported it on the same terminal
	}
	return err
}

// startError is an error that was logged already.
type startError struct{ error }

func (e *startError) Unwrap() error { return e.error }

func (f *flags) inForeground(ctx context.Context, console io.Writer, consoleLevel, fileLevel slog.Level, s settings, svc service) error {
	log, logFile, err := daemon.OpenLog(daemon.LogOptions{
		Console: console, ConsoleLevel: consoleLevel, File: cmp.Or(f.logFile, s.logFile), FileLevel: fileLevel,
	})
	if err != nil {
		return err
	}
	defer logFile.Close()
	command.OnOverdue(ctx, func(after time.Duration, running []string) {
		log.Error("shutdown timed out", "daemon", svc.name, "after", after, "running", running)
	})
	defer daemon.WriteStacks(log)()
	for _, w := range s.warnings {
		log.Warn(w.String()) //nolint:sloglint // the text of a configuration warning
	}
	pid, err := daemon.WritePidFile(cmp.Or(f.pidFile, s.pidFile), strings.ReplaceAll(strings.ToLower(svc.name), " ", "-"))
	if err != nil {
		log.Error("daemon failed to start", "err", err)
		return &startError{err}
	}
	defer pid.Remove()                                         //nolint:errcheck // a stale file is recognised at the next start
	log.Info("Starting the "+svc.name, "version", svc.version) //nolint:sloglint // Salt's text
	run, err := svc.open(ctx, log)
	if err != nil {
		taken := errors.Is(err, posix.AddrInUse) || errors.Is(err, posix.AddrNotAvailable)
		log.Error("daemon not started", "daemon", svc.name, "err", err, "ports_taken", taken)
		if taken {
			return &startError{command.Exit(command.ExitPorts, fmt.Errorf("the ports are not available to bind: %w; see who has them (ss -ltnp), or set others", err))}
		}
		return &startError{err}
	}
	if err := daemon.Notify("READY=1"); err != nil {
		log.Warn("systemd readiness notification failed", "err", err)
	}
	daemon.Started(nil)
	scavenging, stop := context.WithCancel(ctx)
	var side sync.WaitGroup
	side.Go(func() { daemon.Scavenge(scavenging) })
	err = run(ctx)
	stop()
	side.Wait()
	_ = daemon.Notify("STOPPING=1") // best effort
	if ctx.Err() != nil {
		log.Warn("daemon stopped by a signal", "daemon", svc.name)
		return err
	}
	if err != nil {
		log.Error("daemon failed", "daemon", svc.name, "err", err)
		return &startError{err}
	}
	return nil
}

// becomeUser checks the option `user`. The program does not change its user: a service manager does
// that better (User= of systemd).
func becomeUser(name string) error {
	if name == "" || runtime.GOOS == "windows" { // there the service manager alone names the user
		return nil
	}
	if _, err := user.Lookup(name); err != nil {
		if name == "root" && os.Geteuid() == 0 {
			return nil // a container without /etc/passwd
		}
		return fmt.Errorf("Failed to prepare the Salt environment for user %s. The user is not available.", name)
	}
	if cur, err := user.Current(); err == nil && cur.Username != name {
		return fmt.Errorf("the daemon runs as %s but user is %s; start it as that user (with systemd: User=%s)", cur.Username, name, name)
	}
	return nil
}
