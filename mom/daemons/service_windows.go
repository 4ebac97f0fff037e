package daemons

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"github.com/spf13/cobra"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/mgr"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/mom/command"
)

// serviceName is the name of the service of a minion, as Salt's.
const serviceName = "salt-minion"

const (
	// stopWait bounds the wait for the end of the service.
	stopWait = 30 * time.Second
	// stopPoll is the time between two looks at a service that stops.
	stopPoll = 100 * time.Millisecond
	// restartDelay is the time after which the service manager restarts a minion that ended with
	// an error, and restartReset the time after which it forgets earlier ends.
	restartDelay = 10 * time.Second
	restartReset = 24 * 3600 // seconds
)

// manageService performs an action of the option --service. run runs the daemon.
func (f *flags) manageService(cmd *cobra.Command, action string, run func(*cobra.Command, []string) error) error {
	var err error
	switch action {
	case "run":
		return f.asService(cmd, run)
	case "install":
		err = f.install(cmd)
	case "remove":
		err = withService(func(s *mgr.Service) error { return errors.Join(stopService(s), s.Delete()) })
	case "start":
		err = withService(func(s *mgr.Service) error { return s.Start() })
	case "stop":
		err = withService(stopService)
	default:
		return command.Exit(command.ExitUsage, fmt.Errorf("option --service: %q is not install, remove, start, stop or run", action))
	}
	if err != nil {
		return fmt.Errorf("%s service %s: %w", action, serviceName, err)
	}
	return nil
}

// install registers this program as a service that starts with the system, and restricts the
// folder of Salt to administrators.
func (f *flags) install(cmd *cobra.Command) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return err
	}
	conf, _, err := config.LoadMinion(dir)
	if err != nil {
		return err
	}
	for _, d := range []string{dir, conf.RootDir} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
		// Every user may create C:\salt before an administrator does.
		if err := ownedByAdministrator(d); err != nil {
			return err
		}
	}
	if err := posix.Restrict(conf.RootDir); err != nil {
		return fmt.Errorf("restrict %s to administrators: %w", conf.RootDir, err)
	}
	m, err := mgr.Connect()
	if err != nil {
		return err
	}
	defer m.Disconnect() //nolint:errcheck // nothing is lost
	words := []string{"--service", "run", "-c", dir}
	if cmd.HasParent() { // called as mom, not as salt-minion
		words = append([]string{cmd.Name()}, words...)
	}
	s, err := m.CreateService(serviceName, exe, mgr.Config{
		StartType: mgr.StartAutomatic, DisplayName: "Salt Minion", Description: "Salt Minion (mom)",
	}, words...)
	if errors.Is(err, windows.ERROR_SERVICE_EXISTS) {
		return errors.New("it exists; remove it first: mom minion --service remove, or uninstall Salt's minion")
	}
	if err != nil {
		return err
	}
	defer s.Close()
	again := mgr.RecoveryAction{Type: mgr.ServiceRestart, Delay: restartDelay}
	return errors.Join(
		unlessUnknown(startLate(s)),
		unlessUnknown(s.SetRecoveryActions([]mgr.RecoveryAction{again, again, again}, restartReset)),
	)
}

// startLate lets the service start after those that the system needs.
func startLate(s *mgr.Service) error {
	info := windows.SERVICE_DELAYED_AUTO_START_INFO{IsDelayedAutoStartUp: 1}
	return windows.ChangeServiceConfig2(s.Handle, windows.SERVICE_CONFIG_DELAYED_AUTO_START_INFO, (*byte)(unsafe.Pointer(&info)))
}

// unlessUnknown drops the error of a service manager that does not know a setting, as Wine's.
func unlessUnknown(err error) error {
	if errors.Is(err, windows.ERROR_INVALID_LEVEL) {
		return nil
	}
	return err
}

// ownedByAdministrator returns an error if a folder belongs to a user other than the system, the
// administrators and the one who calls this.
func ownedByAdministrator(dir string) error {
	sd, err := windows.GetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("read the owner of %s: %w", dir, err)
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return fmt.Errorf("read the owner of %s: %w", dir, err)
	}
	for _, kind := range []windows.WELL_KNOWN_SID_TYPE{windows.WinBuiltinAdministratorsSid, windows.WinLocalSystemSid} {
		if owner.IsWellKnown(kind) {
			return nil
		}
	}
	if u, err := windows.GetCurrentProcessToken().GetTokenUser(); err == nil && owner.Equals(u.User.Sid) {
		return nil
	}
	return fmt.Errorf("%s belongs to %v, who is not an administrator: remove it, or take ownership after a look at its files", dir, owner)
}

// withService opens the service.
func withService(do func(*mgr.Service) error) error {
	m, err := mgr.Connect()
	if err != nil {
		return err
	}
	defer m.Disconnect() //nolint:errcheck // nothing is lost
	s, err := m.OpenService(serviceName)
	if err != nil {
		return err
	}
	defer s.Close()
	return do(s)
}

// stopService stops the service and waits for its end.
func stopService(s *mgr.Service) error {
	if _, err := s.Control(svc.Stop); err != nil && !errors.Is(err, windows.ERROR_SERVICE_NOT_ACTIVE) {
		return err
	}
	for end := time.Now().Add(stopWait); time.Now().Before(end); time.Sleep(stopPoll) {
		if st, err := s.Query(); err != nil || st.State == svc.Stopped {
			return err
		}
	}
	return fmt.Errorf("it did not end within %v", stopWait)
}

// asService runs the daemon for the service manager, which stops it.
func (f *flags) asService(cmd *cobra.Command, run func(*cobra.Command, []string) error) error {
	h := &serviceHandler{cmd: cmd, run: run}
	if err := svc.Run(serviceName, h); err != nil {
		return fmt.Errorf("run as service %s: %w; the service manager calls this: mom minion --service start", serviceName, err)
	}
	return h.err
}

// serviceHandler passes the requests of the service manager to the daemon.
type serviceHandler struct {
	cmd *cobra.Command
	run func(*cobra.Command, []string) error
	err error
}

// Execute runs the daemon until it ends or the service manager stops it.
func (h *serviceHandler) Execute(_ []string, requests <-chan svc.ChangeRequest, status chan<- svc.Status) (own bool, code uint32) {
	ctx, cancel := context.WithCancel(h.cmd.Context())
	defer cancel()
	h.cmd.SetContext(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.err = h.run(h.cmd, nil)
	}()
	const accepts = svc.AcceptStop | svc.AcceptShutdown
	status <- svc.Status{State: svc.Running, Accepts: accepts}
	for {
		select {
		case <-done:
			if ctx.Err() != nil {
				h.err = nil
				return false, 0
			}
			return true, uint32(max(command.Code(h.err), 0))
		case r := <-requests:
			switch r.Cmd {
			case svc.Interrogate:
				status <- r.CurrentStatus
			case svc.Stop, svc.Shutdown:
				status <- svc.Status{State: svc.StopPending, WaitHint: uint32(stopWait / time.Millisecond)}
				cancel()
			}
		}
	}
}
