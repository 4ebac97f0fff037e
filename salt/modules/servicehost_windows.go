package modules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	win "golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/mgr"

	"github.com/momtree/mom/internal/timing"
)

// managerOf returns the service manager of this host.
func managerOf(*Call) (serviceManager, error) { return windowsServices{}, nil }

const (
	// serviceWait bounds the start and the stop of a service, as Salt does.
	serviceWait = 90 * time.Second
	// servicePoll is the time between two looks at a service that starts or stops.
	servicePoll = 100 * time.Millisecond
)

// windowsServices manages the services of Windows.
type windowsServices struct{}

// with opens a service with the rights that an action needs: services that protect themselves
// refuse more.
func (windowsServices) with(name string, access uint32, do func(*mgr.Service) error) error {
	h, err := win.OpenSCManager(nil, nil, win.SC_MANAGER_CONNECT)
	if err != nil {
		return CommandErrorf("Failed to connect to the service manager: %v", err)
	}
	defer win.CloseServiceHandle(h) //nolint:errcheck // nothing is lost
	wide, err := win.UTF16PtrFromString(name)
	if err != nil {
		return err
	}
	sh, err := win.OpenService(h, wide, access)
	if err != nil {
		return fmt.Errorf("open service %s: %w", name, err)
	}
	s := &mgr.Service{Name: name, Handle: sh}
	defer s.Close()
	return do(s)
}

// unknown reports whether an error means that a service does not exist.
func unknown(err error) bool { return errors.Is(err, win.ERROR_SERVICE_DOES_NOT_EXIST) }

func (w windowsServices) Do(ctx context.Context, c *Call, action, name string) (bool, error) {
	var err error
	switch action {
	case "start":
		err = w.start(ctx, name)
	case "stop":
		err = w.stop(ctx, name)
	case "restart":
		if err = w.stop(ctx, name); err == nil {
			err = w.start(ctx, name)
		}
	case "enable":
		err = w.startType(name, mgr.StartAutomatic)
	case "disable":
		err = w.startType(name, mgr.StartDisabled)
	default:
		return false, CommandErrorf("%s is not available on Windows", c.Fun)
	}
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case unknown(err):
		return false, CommandErrorf("Service '%s' not found", name)
	case err != nil:
		return false, CommandErrorf("Failed to %s service '%s': %v", action, name, err)
	}
	return true, nil
}

func (w windowsServices) start(ctx context.Context, name string) error {
	return w.with(name, win.SERVICE_START|win.SERVICE_QUERY_STATUS, func(s *mgr.Service) error {
		if err := s.Start(); err != nil && !errors.Is(err, win.ERROR_SERVICE_ALREADY_RUNNING) {
			return err
		}
		return waitForService(ctx, s, svc.Running)
	})
}

func (w windowsServices) stop(ctx context.Context, name string) error {
	return w.with(name, win.SERVICE_STOP|win.SERVICE_QUERY_STATUS, func(s *mgr.Service) error {
		if _, err := s.Control(svc.Stop); err != nil && !errors.Is(err, win.ERROR_SERVICE_NOT_ACTIVE) {
			return err
		}
		return waitForService(ctx, s, svc.Stopped)
	})
}

// waitForService waits until a service has a state. A service that stops during its start is an
// error.
func waitForService(ctx context.Context, s *mgr.Service, want svc.State) error {
	for end := time.Now().Add(serviceWait); ; {
		st, err := s.Query()
		switch {
		case err != nil:
			return err
		case st.State == want:
			return nil
		case want == svc.Running && st.State == svc.Stopped:
			return fmt.Errorf("it ended with code %d", st.Win32ExitCode)
		case time.Now().After(end):
			return fmt.Errorf("it did not within %v", serviceWait)
		}
		if err := timing.Sleep(ctx, servicePoll); err != nil {
			return err
		}
	}
}

func (w windowsServices) startType(name string, kind uint32) error {
	return w.with(name, win.SERVICE_CHANGE_CONFIG, func(s *mgr.Service) error {
		const keep = win.SERVICE_NO_CHANGE
		return win.ChangeServiceConfig(s.Handle, keep, kind, keep, nil, nil, nil, nil, nil, nil, nil)
	})
}

func (w windowsServices) Running(_ context.Context, _ *Call, name string) (up bool, err error) {
	err = w.with(name, win.SERVICE_QUERY_STATUS, func(s *mgr.Service) error {
		st, err := s.Query()
		up = st.State == svc.Running || st.State == svc.StartPending
		return err
	})
	if unknown(err) {
		return false, nil
	}
	return up, err
}

func (w windowsServices) Enabled(_ context.Context, _ *Call, name string) (on bool, err error) {
	err = w.with(name, win.SERVICE_QUERY_CONFIG, func(s *mgr.Service) error {
		conf, err := s.Config()
		on = conf.StartType == mgr.StartAutomatic
		return err
	})
	if unknown(err) {
		return false, nil
	}
	return on, err
}

func (w windowsServices) Available(ctx context.Context, c *Call, name string) (bool, error) {
	all, err := w.List(ctx, c, "all")
	return slices.ContainsFunc(all, func(s string) bool { return strings.EqualFold(s, name) }), err
}

func (w windowsServices) List(ctx context.Context, c *Call, which string) ([]string, error) {
	h, err := win.OpenSCManager(nil, nil, win.SC_MANAGER_ENUMERATE_SERVICE)
	if err != nil {
		return nil, CommandErrorf("Failed to connect to the service manager: %v", err)
	}
	defer win.CloseServiceHandle(h) //nolint:errcheck // nothing is lost
	all, err := (&mgr.Mgr{Handle: h}).ListServices()
	if err != nil {
		return nil, CommandErrorf("Failed to list the services: %v", err)
	}
	out := []string{}
	for _, name := range all {
		is := true
		switch which {
		case "enabled", "disabled":
			on, err := w.Enabled(ctx, c, name)
			is = err == nil && on == (which == "enabled")
		case "running":
			up, err := w.Running(ctx, c, name)
			is = err == nil && up
		case "static":
			return nil, CommandErrorf("%s needs a host with systemd", c.Fun)
		}
		if is {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}
