package master

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// unserved tells the operator what minions ask for and this master does not serve.
// Many ask at once, after a start for instance, and some with every state they run:
// each kind of request is logged the first time and then once in unservedEvery, with
// who has asked since.
type unserved struct {
	mu    sync.Mutex
	asked map[string]*askers // by command; the commands are a closed list
}

type askers struct {
	ids   []string // of this period, at most maxAskers
	more  bool     // there were others
	n     int
	about string // of the latest: a path, a function
	told  time.Time
}

const (
	unservedEvery = time.Minute
	// maxAskers is how many minions one line names.
	maxAskers = 10
)

// note counts a request of a minion.
func (u *unserved) note(cmd, id, about string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.asked == nil {
		u.asked = map[string]*askers{}
	}
	a := u.asked[cmd]
	if a == nil {
		a = &askers{}
		u.asked[cmd] = a
	}
	a.n++
	a.about = about
	switch {
	case slices.Contains(a.ids, id):
	case len(a.ids) < maxAskers:
		a.ids = append(a.ids, id)
	default:
		a.more = true
	}
}

// due gives what is to be told now, as attributes for the log. A clock that was set
// back silences nothing.
func (u *unserved) due(now time.Time) (lines [][]any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, cmd := range sortedKeys(u.asked) {
		a := u.asked[cmd]
		if since := now.Sub(a.told); a.n == 0 || !a.told.IsZero() && since >= 0 && since < unservedEvery {
			continue
		}
		ids := strings.Join(a.ids, " ")
		if a.more {
			ids += " and others"
		}
		line := []any{"what", unservedWhat[cmd], "cmd", cmd, "ids", ids, "requests", a.n}
		if a.about != "" {
			line = append(line, "about", a.about)
		}
		lines = append(lines, line)
		*a = askers{told: now}
	}
	return lines
}

// tellUnserved logs what is due.
func (m *Master) tellUnserved() {
	for _, line := range m.unserved.due(m.now()) {
		m.log.Warn("Minions ask for what this master does not serve", line...)
	}
}

// unservedWhat words what a command is for.
var unservedWhat = map[string]string{
	"_pillar":    "pillar",
	"_file_envs": "files", "_file_list": "files", "_file_list_emptydirs": "files", "_dir_list": "files", "_symlink_list": "files",
	"_file_hash": "files", "_file_hash_and_stat": "files", "_file_find": "files", "_serve_file": "files",
	"_file_recv":   "cp.push",
	"_master_tops": "master_tops", "_ext_nodes": "master_tops",
	"_mine": "mine", "_mine_get": "mine", "_mine_delete": "mine", "_mine_flush": "mine",
	"minion_pub": "publish.publish", "minion_publish": "publish.publish", "pub_ret": "publish.publish",
	"minion_runner": "publish.runner",
	"verify_minion": "verify_minion",
}

// refusals are the commands this master knows and does not serve, with what it
// answers. Salt's minion shows its user what it can of that (Salt wire reference §8.2):
// the texts for the mine and for publish as results. Where it can show nothing, the
// answer is Salt's for "there is no such file" or "not permitted", with which it goes
// on: another one would be taken for a file, and an error for a broken connection.
var refusals = map[string]func(d *wire.Map) any{
	"_file_envs":           func(*wire.Map) any { return []any{"base"} },
	"_file_list":           empty,
	"_file_list_emptydirs": empty,
	"_dir_list":            empty,
	"_symlink_list":        emptied,
	"_file_hash":           blank,
	"_file_hash_and_stat":  func(*wire.Map) any { return []any{"", nil} },
	"_file_find":           func(*wire.Map) any { return wire.NewMap("path", "", "rel", "") },
	"_serve_file":          func(*wire.Map) any { return wire.NewMap("data", "", "dest", "") },
	"_file_recv":           refuse,
	"_master_tops":         emptied,
	"_ext_nodes":           emptied,
	"_mine":                refuse,
	"_mine_get":            func(*wire.Map) any { return notServed("the mine") },
	"_mine_delete":         refuse,
	"_mine_flush":          refuse,
	// The minion asks for the results of the job that it is told of here, and shows
	// them by minion.
	"minion_pub": func(*wire.Map) any {
		return wire.NewMap("jid", unservedJob, "minions", []any{unservedName})
	},
	"pub_ret": func(d *wire.Map) any {
		if d.String("jid") != unservedJob {
			return wire.NewMap()
		}
		return wire.NewMap(unservedName, wire.NewMap("ret", notServed("publish.publish")))
	},
	"minion_publish": func(*wire.Map) any { return wire.NewMap(unservedName, notServed("publish.publish")) },
	"minion_runner":  func(*wire.Map) any { return notServed("publish.runner") },
	"verify_minion":  blank,
}

const (
	// unservedJob is the jid of no job, and unservedName the id of no minion: a
	// blank is not allowed there.
	unservedJob  = "00000000000000000000"
	unservedName = "the master"
)

func empty(*wire.Map) any   { return []any{} }
func emptied(*wire.Map) any { return wire.NewMap() }
func blank(*wire.Map) any   { return "" }
func refuse(*wire.Map) any  { return false }

func notServed(what string) string {
	return "ERROR: " + what + " is not served by this master (mom)"
}

// refuseCommand is the handler of a command that is not served.
func (m *Master) refuseCommand(cmd string, answer func(d *wire.Map) any) handler {
	return func(_ context.Context, r *request) (any, error) {
		d, err := wire.DecodeMap(r.load)
		if err != nil {
			return nil, fmt.Errorf("%s of %q: %w", cmd, r.id, err)
		}
		about, _ := d.Get("path")
		if about == nil {
			about, _ = d.Get("fun")
		}
		text, _ := about.(string)
		m.stats.Refused.Add(1)
		m.unserved.note(cmd, r.id, text)
		return answer(d), nil
	}
}

// findUnserved notes what this master is configured to serve and does not. Salt serves
// its default folders without being told, so what lies there counts as well.
func (m *Master) findUnserved(files, pillar string) {
	m.noFiles, m.noPillar = m.cfg.UnservedFiles(), m.cfg.UnservedPillar()
	for _, d := range []struct {
		folder, option string
		to             *[]string
	}{{files, "file_roots", &m.noFiles}, {pillar, "pillar_roots", &m.noPillar}} {
		if m.cfg.Raw[d.option] != nil {
			continue
		}
		if there, err := os.ReadDir(d.folder); err == nil && len(there) > 0 {
			*d.to = append(*d.to, d.folder)
			m.log.Warn("What lies in Salt's default folder is not served to minions", "folder", d.folder, "option", d.option)
		}
	}
}

// Salt's defaults of file_roots and pillar_roots.
const (
	defaultFiles  = "/srv/salt"
	defaultPillar = "/srv/pillar"
)

// pillarErrors is what Salt's minions look for in a pillar before they apply states,
// and what pillar.items shows: that the pillar, or the files that states come from, are
// not what the configuration of the master says. Nothing where it says nothing.
func (m *Master) pillarErrors() []any {
	var out []any
	if len(m.noPillar) > 0 {
		out = append(out, fmt.Sprintf("this master (mom) serves no pillar: %s at the master has no effect", strings.Join(m.noPillar, ", ")))
	}
	if len(m.noFiles) > 0 {
		out = append(out, fmt.Sprintf("this master (mom) serves no files, so no states: %s at the master has no effect", strings.Join(m.noFiles, ", ")))
	}
	return out
}
