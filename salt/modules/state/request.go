package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/value"
)

// requestFile in cachedir holds the runs that wait for the administrator of the host.
const requestFile = "req_state.p"

func init() {
	name := modules.Arg{Name: "name"}
	modules.Register("state",
		modules.Function{Name: "running", Args: []modules.Arg{{Name: "concurrent", Default: false}}, Run: func(_ context.Context, c *modules.Call) (any, error) {
			if c.IsTrue("concurrent") {
				return []any{}, nil
			}
			return conflicts(c), nil
		}, Doc: `
Return a message for each active job that runs states; nothing with concurrent.

CLI Example:

    salt '*' state.running
`},
		modules.Function{Name: "clear_cache", Run: clearCache, Doc: `
Remove the compiled states in the cache (files *.cache.p), and return their names.

CLI Example:

    salt '*' state.clear_cache
`},
		modules.Function{Name: "request", Args: []modules.Arg{{Name: "mods"}}, VarKw: true, Run: request, Doc: `
Request a run from the administrator of the host: runs state.apply with
test=True, and saves the run for state.run_request. name distinguishes several
requests.

CLI Example:

    salt '*' state.request web
`},
		modules.Function{Name: "check_request", Args: []modules.Arg{name}, Run: checkRequest, Doc: `
Return the requested runs, or the one of a name.

CLI Example:

    salt '*' state.check_request
`},
		modules.Function{Name: "clear_request", Args: []modules.Arg{name}, Run: clearRequest, Doc: `
Remove the requested runs, or the one of a name.

CLI Example:

    salt '*' state.clear_request
`},
		modules.Function{Name: "run_request", Args: []modules.Arg{{Name: "name", Default: "default"}}, VarKw: true, Run: runRequest, Doc: `
Run a requested run (name), and remove the request.

CLI Example:

    salt-call state.run_request
`},
	)
}

func clearCache(_ context.Context, c *modules.Call) (any, error) {
	dir := modules.PyStr(c.Env.Option("cachedir"))
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out := []any{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".cache.p") || !e.Type().IsRegular() {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
		out = append(out, e.Name())
	}
	return out, nil
}

func requestPath(c *modules.Call) string {
	return filepath.Join(modules.PyStr(c.Env.Option("cachedir")), requestFile)
}

// requests returns the requested runs.
func requests(c *modules.Call) (*value.Map, error) {
	data, err := os.ReadFile(requestPath(c))
	if errors.Is(err, fs.ErrNotExist) {
		return value.NewMap(), nil
	}
	if err != nil {
		return nil, err
	}
	m, err := wire.DecodeMap(data)
	if err != nil {
		return nil, fmt.Errorf("read %s (state.clear_request removes it): %w", requestPath(c), err)
	}
	return m, nil
}

func keepRequests(c *modules.Call, all *value.Map) error {
	data, err := wire.Encode(all)
	if err != nil {
		return err
	}
	return durable.WriteFile(requestPath(c), data, 0o600)
}

func request(ctx context.Context, c *modules.Call) (any, error) {
	all, err := requests(c)
	if err != nil {
		return nil, err
	}
	name := modules.PyStr(or(mustGet(c, "name"), "default"))
	c.Kwargs.Delete("name")
	kwargs := c.Kwargs.Clone()
	kwargs.Set("test", true)
	res, err := applyTest(ctx, c)
	if err != nil {
		return nil, err
	}
	all.Set(name, value.NewMap("test_run", res, "mods", c.Value("mods"), "kwargs", kwargs))
	return res, keepRequests(c, all)
}

func checkRequest(_ context.Context, c *modules.Call) (any, error) {
	all, err := requests(c)
	if err != nil || !pyfmt.Truth(c.Value("name")) {
		return all, err
	}
	v, ok := all.Get(c.Str("name"))
	if !ok {
		return nil, &modules.ExceptionError{Type: "KeyError", Msg: modules.PyRepr(c.Value("name"))}
	}
	return v, nil
}

func clearRequest(_ context.Context, c *modules.Call) (any, error) {
	if !pyfmt.Truth(c.Value("name")) {
		if err := os.Remove(requestPath(c)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return true, nil
	}
	all, err := requests(c)
	if err != nil {
		return nil, err
	}
	if all.Len() == 0 {
		return true, nil
	}
	if !all.Has(c.Str("name")) {
		return false, nil
	}
	all.Delete(c.Str("name"))
	return true, keepRequests(c, all)
}

func runRequest(ctx context.Context, c *modules.Call) (any, error) {
	all, err := requests(c)
	if err != nil {
		return nil, err
	}
	asked := all.Map(c.Str("name"))
	if !asked.Has("mods") || !asked.Has("kwargs") {
		return value.NewMap(), nil
	}
	kwargs := asked.Map("kwargs").Clone()
	kwargs.Delete("test")
	c.Kwargs.Range(func(k, v any) bool {
		kwargs.Set(k, v)
		return true
	})
	c.Kwargs = kwargs
	var res any
	if mods, _ := asked.Get("mods"); pyfmt.Truth(mods) {
		res, err = runSLS(ctx, c, mods, nil, nil, mustGet(c, "exclude"))
	} else {
		res, err = runHighstate(ctx, c, nil, nil, "")
	}
	if err != nil {
		return nil, err
	}
	all.Delete(c.Str("name"))
	if all.Len() == 0 {
		return res, os.Remove(requestPath(c))
	}
	return res, keepRequests(c, all)
}
