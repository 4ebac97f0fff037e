package modules

import (
	"bytes"
	"context"
	"os"
	"os/user"
	"regexp"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/value"
)

func init() {
	Register("status",
		Function{Name: "procs", Run: statusProcs, Doc: `
Return all processes: pid to user and command.

CLI Example:

    salt '*' status.procs
`},
		Function{Name: "pid", Args: []Arg{{Name: "sig", Required: true}}, Run: statusPid, Doc: `
Return the pids, one a line, of the processes whose user, pid and command match
a regular expression (sig). The minion itself is left out.

CLI Example:

    salt '*' status.pid 'sshd: '
`},
	)
}

// proc is one process in /proc.
type proc struct {
	pid  int
	uid  uint32
	cmd  string
	stat procStat
}

// listProcs reads /proc. It leaves out processes that end meanwhile.
func listProcs() []proc {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []proc
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		dir := "/proc/" + e.Name()
		info, err := os.Stat(dir)
		if err != nil {
			continue
		}
		text, err := os.ReadFile(dir + "/stat")
		if err != nil {
			continue
		}
		st, ok := parseProcStat(string(text))
		if !ok {
			continue
		}
		p := proc{pid: pid, stat: st, cmd: "[" + st.comm + "]"}
		if sys, ok := posix.StatOf(info); ok {
			p.uid = sys.Uid
		}
		if line, err := os.ReadFile(dir + "/cmdline"); err == nil && len(line) > 0 {
			p.cmd = strings.TrimSpace(string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
		out = append(out, p)
	}
	return out
}

// procStat are some fields of /proc/PID/stat.
type procStat struct {
	comm  string
	tty   int   // device number of the terminal, 0 for none
	tpgid int   // foreground process group of that terminal
	ticks int64 // processor time used, in hundredths of a second
	pgrp  int
}

func parseProcStat(text string) (procStat, bool) {
	// The name is in parentheses and may contain any character.
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return procStat{}, false
	}
	f := strings.Fields(text[end+1:])
	if len(f) < 13 {
		return procStat{}, false
	}
	n := make([]int64, len(f))
	for i := 1; i < 13; i++ {
		v, err := strconv.ParseInt(f[i], 10, 64)
		if err != nil {
			return procStat{}, false
		}
		n[i] = v
	}
	return procStat{
		comm: text[open+1 : end], pgrp: int(n[2]), tty: int(n[4]), tpgid: int(n[5]), ticks: n[11] + n[12],
	}, true
}

// userNames caches the names of user ids.
type userNames map[uint32]string

func (u userNames) name(uid uint32) string {
	if n, ok := u[uid]; ok {
		return n
	}
	id := strconv.FormatUint(uint64(uid), 10)
	u[uid] = id
	if found, err := user.LookupId(id); err == nil {
		u[uid] = found.Username
	}
	return u[uid]
}

func statusProcs(context.Context, *Call) (any, error) {
	out, names := value.NewMap(), userNames{}
	for _, p := range listProcs() {
		out.Set(strconv.Itoa(p.pid), value.NewMap("user", names.name(p.uid), "cmd", p.cmd))
	}
	return out, nil
}

func statusPid(_ context.Context, c *Call) (any, error) {
	re, err := regexp.Compile(c.Str("sig"))
	if err != nil {
		return nil, argErrorf("sig is not a regular expression: %v", err)
	}
	var pids []string
	names := userNames{}
	for _, p := range listProcs() {
		pid := strconv.Itoa(p.pid)
		if p.pid != os.Getpid() && re.MatchString(names.name(p.uid)+" "+pid+" "+p.cmd) {
			pids = append(pids, pid)
		}
	}
	return strings.Join(pids, "\n"), nil
}
