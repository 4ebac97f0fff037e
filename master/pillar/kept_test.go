package pillar

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/value"
)

// A pillar is cached until an input changes: its files, imports, the set of files, or the grains.
func TestKept(t *testing.T) {
	files := map[string]string{
		"top.sls": "{base: {'*': ['g.*', c]}}", "g/a.sls": "{% import_text 'v.txt' as v %}v: '{{ v }}'\nrole: {{ grains.role }}\n", "v.txt": "1", "c/init.sls": "c: 1",
	}
	r := newRig(t, files)
	r.want("first", r.get(), `{"v": "1", "role": "web", "c": 1}`)
	if r.c.kept.m.Len() != 1 {
		t.Fatal("nothing is kept")
	}
	was := r.log.text()
	r.want("again", r.get(), `{"v": "1", "role": "web", "c": 1}`)
	r.want("other grains", r.get(func(q *Request) { q.Grains.Set("role", "db") }), `{"v": "1", "role": "db", "c": 1}`)
	r.file("v.txt", "2nd")
	r.want("an imported file", r.get(), `{"v": "2nd", "role": "web", "c": 1}`)
	r.file("g/b.sls", "b: 1")
	r.want("a new file", r.get(), `{"v": "2nd", "role": "web", "c": 1, "b": 1}`)
	r.file("c.sls", "c: 2") // precedes c/init.sls
	r.want("a file that was not there", r.get(), `{"v": "2nd", "role": "web", "c": 2, "b": 1}`)
	if err := os.Remove(filepath.Join(r.dir, "base", "g", "b.sls")); err != nil {
		t.Fatal(err)
	}
	r.want("a file that is gone", r.get(), `{"v": "2nd", "role": "web", "c": 2}`)
	r.want("an override is for once", r.get(func(q *Request) { q.Override = value.NewMap("c", 9) }), `{"v": "2nd", "role": "web", "c": 9}`)
	r.want("and leaves nothing", r.get(), `{"v": "2nd", "role": "web", "c": 2}`)
	if r.log.text() != was {
		t.Errorf("the log has %s", r.log.text())
	}
}

// A pillar that depends on more than files and grains is compiled each time.
func TestKept_Not(t *testing.T) {
	for name, sls := range map[string]string{
		"a program": "v: {{ salt['cmd.run']('echo 1') }}", "chance": "v: {{ range(3) | random }}", "the clock": "v: '{{ None | strftime }}'",
		"an error": "v: {{ nope.x }}",
	} {
		r := newRig(t, map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": sls})
		r.get()
		if r.c.kept.m.Len() != 0 {
			t.Errorf("%s: it is kept", name)
		}
	}
	r := newRig(t, nil, func(c *config.Master) { c.ExtPillar = []any{map[string]any{"cmd_json": "echo '{}'"}} })
	if r.get(); r.c.kept.m.Len() != 0 {
		t.Error("a source: it is kept")
	}
}

// Attack: a minion requests its pillar in one environment after another. The pillars of others stay
// cached, and dropping those of one minion does not scan others.
func TestKept_OfOne(t *testing.T) {
	r := newRig(t, map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "v: 1"})
	r.get(func(q *Request) { q.ID = "m2" })
	for i := range 3 * maxSlots {
		r.get(func(q *Request) { q.Saltenv = fmt.Sprint("e", i) })
	}
	if n := r.c.kept.m.Len(); n != maxSlots+1 {
		t.Errorf("%d are kept", n)
	}
	if r.c.Forget("m1"); r.c.kept.m.Len() != 1 || len(r.c.kept.of) != 1 || r.c.kept.bytes <= 0 {
		t.Errorf("then %d, of %d, with %d bytes", r.c.kept.m.Len(), len(r.c.kept.of), r.c.kept.bytes)
	}
	if r.c.Forget(""); r.c.kept.m.Len()+len(r.c.kept.of)+r.c.kept.bytes != 0 {
		t.Errorf("in the end %+v", r.c.kept.of)
	}
}

// pillar_cache keeps pillars for its time, across restarts, until the minion refreshes or its
// grains change.
func TestPillarCache(t *testing.T) {
	for _, backend := range []string{"disk", "memory"} {
		r := newRig(t, map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "v: 1"}, func(c *config.Master) {
			c.PillarCache, c.PillarCacheTtl, c.PillarCacheBackend = true, time.Minute, backend
		})
		r.want(backend, r.get(), `{"v": 1}`)
		r.file("a.sls", "v: 22")
		if backend == "disk" {
			r.open()
		}
		r.want(backend+": kept", r.get(), `{"v": 1}`)
		if p, on := r.c.Cached("m1", ""); !on || p == nil {
			t.Errorf("%s: shown is %v", backend, p)
		}
		r.want(backend+": other grains", r.get(func(q *Request) { q.Grains.Set("role", "x") }), `{"v": 22}`)
		r.file("a.sls", "v: 333")
		r.want(backend+": refreshed", r.get(func(q *Request) { q.Fresh = true }), `{"v": 333}`)
		r.file("a.sls", "v: 4444")
		r.now = r.now.Add(2 * time.Minute)
		r.want(backend+": too old", r.get(), `{"v": 4444}`)
		r.c.Forget("m1")
		if p, _ := r.c.Cached("m1", ""); p != nil {
			t.Errorf("%s: still there is %v", backend, p)
		}
	}
}

// Functions of the master work, and others are refused by name.
func TestCalls(t *testing.T) {
	r := newRig(t, map[string]string{"top.sls": "{base: {'*': [a]}}", "/f": "text", "b.txt": "of base"})
	for call, want := range map[string]string{
		"salt['cmd.run']('echo a  b')":                         `{"v":"a b"}`,
		"salt['cmd.run']('echo $HOME')":                        `{"v":"$HOME"}`,
		"salt['cmd.shell']('x=5; echo $x')":                    `{"v":"5"}`,
		"salt['cmd.run']('echo 7; exit 1', python_shell=True)": "_errors",
		"salt['cmd.run']('false', ignore_retcode=True)":        `{"v":""}`,
		"salt['cmd.retcode']('exit 3', python_shell=True)":     `{"v":"3"}`,
		"salt['cmd.retcode']('true')":                          `{"v":"0"}`,
		"salt['cmd.retcode']('/no/such')":                      "_errors",
		"salt['file.read']('" + r.dir + "/f')":                 `{"v":"text"}`,
		"salt['cp.get_file_str']('" + r.dir + "/f')":           `{"v":"text"}`,
		"salt['cp.get_file_str']('file://" + r.dir + "/f')":    `{"v":"text"}`,
		"salt['cp.get_file_str']('salt://b.txt')":              `{"v":"of base"}`,
		"salt['cp.get_file_str']('salt://b.txt', 'dev')":       `{"v":"False"}`,
		"salt['cp.get_file_str']('salt://../f')":               `{"v":"False"}`,
		"salt['cp.get_file_str']('" + r.dir + "/none')":        `{"v":"False"}`,
		"salt['cp.get_file_str']('relative')":                  "_errors",
		"salt['cp.get_file_str']('/dev/zero')":                 "_errors",
		"salt['file.file_exists']('" + r.dir + "/none')":       `{"v":"False"}`,
		"salt['file.directory_exists']('" + r.dir + "')":       `{"v":"True"}`,
		"salt['pillar.file_exists']('a.sls')":                  `{"v":"True"}`,
		"salt['pillar.file_exists']('a.sls', 'dev')":           `{"v":"False"}`,
		"salt['pillar.file_exists']('../base/a.sls')":          `{"v":"False"}`,
		"salt['pillar.file_exists']('none.sls')":               `{"v":"False"}`,
		"salt['slsutil.renderer']('" + r.dir + "/f')":          `{"v":"text"}`,
		"salt['slsutil.renderer']('" + r.dir + "/none')":       `{"v":"{}"}`,
		"salt['slsutil.renderer']('relative')":                 "_errors",
		"salt['slsutil.renderer']('/dev/zero')":                "_errors",
		"salt['environ.get']('MOM_NO_SUCH', 'x')":              `{"v":"x"}`,
		"salt['service.restart']('x')":                         "_errors",
		"salt['cmd.run']()":                                    "_errors",
		"salt['file.read']('/dev/zero')":                       "_errors",
	} {
		r.file("a.sls", "v: '{{ "+call+" }}'")
		if got := asJSON(t, r.get()); got != want && !(want == "_errors" && strings.Contains(got, want)) {
			t.Errorf("%s: %s, want %s", call, got, want)
		}
	}
	if !strings.Contains(r.log.text(), "service.restart") {
		t.Error("the log does not name the function")
	}
}
