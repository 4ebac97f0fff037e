package modules

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/shirou/gopsutil/v4/net"
	psutil "github.com/shirou/gopsutil/v4/process"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// errNoMaps is the error of attributes that need the memory maps of a process.
var errNoMaps = errors.New("this system does not report the memory maps of processes")

// psInfoReader reads the attributes of one process.
type psInfoReader struct {
	ctx context.Context
	p   *psutil.Process
}

func psInfoOf(ctx context.Context, p *psutil.Process) psInfoReader { return psInfoReader{ctx, p} }

// psAttrs are the attributes of a process by their names in psutil. A named tuple of Python
// is a list. They return an error for what the system does not report.
var psAttrs = map[string]func(psInfoReader) (any, error){
	"cmdline": func(r psInfoReader) (any, error) {
		words, err := r.p.CmdlineSliceWithContext(r.ctx)
		return wire.AnyList(words), err
	},
	"connections": psInfoReader.connections,
	"cpu_percent": func(r psInfoReader) (any, error) {
		share, err := r.p.CPUPercentWithContext(r.ctx)
		return tenth(share), err
	},
	"cpu_times": func(r psInfoReader) (any, error) { return asTuple(r.times()) },
	"create_time": func(r psInfoReader) (any, error) {
		ms, err := r.p.CreateTimeWithContext(r.ctx)
		return float64(ms) / 1000, err
	},
	"cwd": func(r psInfoReader) (any, error) { return r.p.CwdWithContext(r.ctx) },
	"environ": func(r psInfoReader) (any, error) {
		vars, err := r.p.EnvironWithContext(r.ctx)
		m := value.NewMap()
		for _, kv := range vars {
			if k, v, ok := strings.Cut(kv, "="); ok {
				m.Set(k, v)
			}
		}
		return m, err
	},
	"exe": func(r psInfoReader) (any, error) { return r.p.ExeWithContext(r.ctx) },
	"gids": func(r psInfoReader) (any, error) {
		ids, err := r.p.GidsWithContext(r.ctx)
		return firstThree(ids), err
	},
	"io_counters": func(r psInfoReader) (any, error) {
		io, err := r.p.IOCountersWithContext(r.ctx)
		if err != nil {
			return nil, err
		}
		return []any{io.ReadCount, io.WriteCount, io.DiskReadBytes, io.DiskWriteBytes, io.ReadBytes, io.WriteBytes}, nil
	},
	"memory_full_info": psInfoReader.memoryFull,
	"memory_info":      func(r psInfoReader) (any, error) { return asTuple(r.memory()) },
	"memory_maps":      psInfoReader.maps,
	"memory_percent": func(r psInfoReader) (any, error) {
		share, err := r.p.MemoryPercentWithContext(r.ctx)
		return float64(share), err
	},
	"name": func(r psInfoReader) (any, error) { return r.p.NameWithContext(r.ctx) },
	"nice": func(r psInfoReader) (any, error) {
		n, err := r.p.NiceWithContext(r.ctx)
		return int64(n), err
	},
	"num_ctx_switches": func(r psInfoReader) (any, error) {
		n, err := r.p.NumCtxSwitchesWithContext(r.ctx)
		if err != nil {
			return nil, err
		}
		return []any{n.Voluntary, n.Involuntary}, nil
	},
	"num_fds": func(r psInfoReader) (any, error) {
		n, err := r.p.NumFDsWithContext(r.ctx)
		return int64(n), err
	},
	"num_threads": func(r psInfoReader) (any, error) {
		n, err := r.p.NumThreadsWithContext(r.ctx)
		return int64(n), err
	},
	"open_files": func(r psInfoReader) (any, error) {
		files, err := r.p.OpenFilesWithContext(r.ctx)
		out := []any{}
		for _, f := range files {
			if one := openFile(r.p.Pid, f.Path, f.Fd); one != nil {
				out = append(out, one)
			}
		}
		return out, err
	},
	"pid": func(r psInfoReader) (any, error) { return int64(r.p.Pid), nil },
	"ppid": func(r psInfoReader) (any, error) {
		n, err := r.p.PpidWithContext(r.ctx)
		return int64(n), err
	},
	"status": func(r psInfoReader) (any, error) { return psState(r.ctx, r.p), nil },
	"terminal": func(r psInfoReader) (any, error) {
		name, err := r.p.TerminalWithContext(r.ctx)
		if name != "" && !strings.HasPrefix(name, "/dev/") {
			name = "/dev/" + strings.TrimPrefix(name, "/")
		}
		return textOrNone(name), err
	},
	"threads": func(r psInfoReader) (any, error) {
		threads, err := r.p.ThreadsWithContext(r.ctx)
		out := []any{}
		for _, id := range slices.Sorted(maps.Keys(threads)) {
			out = append(out, []any{int64(id), threads[id].User, threads[id].System})
		}
		return out, err
	},
	"uids": func(r psInfoReader) (any, error) {
		ids, err := r.p.UidsWithContext(r.ctx)
		return firstThree(ids), err
	},
	"username": func(r psInfoReader) (any, error) { return r.p.UsernameWithContext(r.ctx) },
}

// value returns one attribute, nil if it is unknown.
func (r psInfoReader) value(name string) any {
	v, err := psAttrs[name](r)
	if err != nil {
		return nil
	}
	return v
}

// asTuple returns the values of a map as a list.
func asTuple(m *value.Map) (any, error) {
	if m == nil {
		return nil, nil
	}
	out := make([]any, 0, m.Len())
	m.Range(func(_, v any) bool {
		out = append(out, v)
		return true
	})
	return out, nil
}

// firstThree returns the real, the effective and the saved id.
func firstThree(ids []uint32) []any {
	out := []any{}
	for _, id := range ids[:min(3, len(ids))] {
		out = append(out, int64(id))
	}
	return out
}

// times returns the seconds of processor time that the process used; nil if it has ended.
func (r psInfoReader) times() *value.Map {
	t, err := r.p.TimesWithContext(r.ctx)
	if err != nil {
		return nil
	}
	user, system := childTimes(r.p.Pid)
	return value.NewMap("user", t.User, "system", t.System, "children_user", user, "children_system", system, "iowait", t.Iowait)
}

// memory returns the memory of the process in bytes; nil if it has ended.
func (r psInfoReader) memory() *value.Map { return processMemory(r.ctx, r.p) }

func (r psInfoReader) connections() (any, error) {
	list, err := net.ConnectionsPidWithContext(r.ctx, "inet", r.p.Pid)
	if err != nil {
		return nil, err
	}
	end := func(a net.Addr) any {
		if a.IP == "" || a.Port == 0 && (a.IP == "0.0.0.0" || a.IP == "::") {
			return []any{}
		}
		return []any{a.IP, int64(a.Port)}
	}
	out := []any{}
	for _, c := range list {
		out = append(out, []any{int64(c.Fd), int64(c.Family), int64(c.Type), end(c.Laddr), end(c.Raddr), c.Status})
	}
	return out, nil
}

func psInfo(ctx context.Context, c *Call) (any, error) {
	pid, err := c.psPid()
	if err != nil {
		return nil, err
	}
	p, err := psutil.NewProcessWithContext(ctx, pid)
	if pid == 0 || err != nil {
		return nil, CommandErrorf("process PID not found (pid=%s)", PyStr(c.Value("pid")))
	}
	want, named := slices.Sorted(maps.Keys(psAttrs)), false
	if list := c.Value("attrs"); list != nil {
		want, named = textList(list), true
	}
	out := value.NewMap()
	for _, name := range want {
		read, ok := psAttrs[name]
		if !ok {
			return nil, &ExceptionError{"ValueError", "invalid attr name " + PyRepr(name)}
		}
		v, err := read(psInfoOf(ctx, p))
		if err != nil {
			v = nil // not permitted, or not supported by this system
		}
		if v != nil || named || err == nil || !unsupported(err) {
			out.Set(name, v)
		}
	}
	return out, nil
}

// unsupported reports whether an attribute is not available on this system. gopsutil's
// error for it is in an internal package, so it is recognised by its text.
func unsupported(err error) bool {
	return errors.Is(err, errNoMaps) || strings.Contains(err.Error(), "not implemented")
}
