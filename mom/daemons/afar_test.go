package daemons

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/mom/salt"
	"github.com/momtree/mom/mom/saltcp"
	"github.com/momtree/mom/mom/saltkey"
	"github.com/momtree/mom/mom/saltrun"
)

var (
	jids    = regexp.MustCompile(`\b20\d{18}\b`)
	elapsed = regexp.MustCompile(`Elapsed Time: \d+:\d\d:\d\d`)
)

// same is what a command did without what differs between any two runs: job ids, times, and
// the order in which minions answer.
func same(r momtest.Ran) momtest.Ran {
	for _, p := range []*string{&r.Out, &r.Err} {
		*p = momtest.SortedLines(elapsed.ReplaceAllString(jids.ReplaceAllString(*p, "JID"), "Elapsed Time"))
	}
	return r
}

// A command does the same from afar as at the master: output, errors and exit code.
func TestAfar_AsAtTheMaster(t *testing.T) {
	a := growAPITree(t, "top: top-01\n  syndic-a: web-01 web-02\n    syndic-c: db-01 db-02\n")
	a.Kill(t, "db-02")
	for _, c := range []struct {
		name string
		cmd  func() *cobra.Command
		line string
		code int
		has  string // what shows that the line did what it is here for
	}{
		{"ping", salt.Command, "[dtw]*-01 test.ping", 0, "db-01:\n    True"},
		{"one", salt.Command, "web-01 test.ping --out=txt", 0, "web-01: True"},
		{"a list", salt.Command, "-L web-01,db-01 test.echo x --static --out=json", 0, `"db-01": "x"`},
		{"a failing minion", salt.Command, "web-0* test.nosuch", 1, "'test.nosuch' is not available."},
		{"a failing function", salt.Command, "web-01 test.ping 1 2 3", 1, "ERROR: Minions returned with non-zero exit code"},
		{"a missing minion", salt.Command, "* test.ping", 1, "(behind syndic-a/syndic-c)"},
		{"a missing minion, summary", salt.Command, "* test.ping -v --summary", 1, "# of minions that did not return: 1"},
		{"a missing minion, hidden", salt.Command, "* test.ping --hide-timeout --static --out=yaml", 0, "top-01: true"},
		{"nobody", salt.Command, "nosuch* test.ping", 2, "No minions matched the target"},
		{"a node group", salt.Command, "-N webs test.ping", 0, "web-02"},
		{"places", salt.Command, "-C D@1 test.ping", 0, "web-01"},
		{"a bad target", salt.Command, "-E web-( test.ping", 2, ""},
		{"show jid", salt.Command, "top-01 test.ping --show-jid", 0, "jid: JID"},
		{"async", salt.Command, "top-01 test.ping --async", 0, "Executed command with job ID: JID"},
		{"async, show jid", salt.Command, "top-01 test.ping --async --show-jid", 0, "JID"},
		{"batch", salt.Command, "-b 1 web-* test.ping", 0, "Executing run on ['web-02']"},
		{"batch with a missing minion", salt.Command, "-b 50% * test.ping", 1, "Minion db-02 did not respond. No job will be sent."},
		{"batch and failhard", salt.Command, "-b 1 --failhard web-* test.nosuch", 0, ""},
		{"subset", salt.Command, "--subset 1 top-01 test.ping", 0, "True"},
		{"several functions", salt.Command, "top-01 test.ping,test.echo , x --out=json", 0, `"test.echo": "x"`},
		{"arguments", salt.Command, "top-01 test.arg 1 1.5 true null [1,{a: b}] k=v --out=json", 0, ""},
		{"keyword arguments in their order", salt.Command, "top-01 test.kwarg zz=1 aa=2 --out=json", 0, "zz"},
		{"progress", salt.Command, "* test.ping --progress", 1, "1/2 syndic-a/syndic-c, 1 missing"},
		{"documentation", salt.Command, "-d top-01 test.ping", 0, "test.ping:"},
		{"preview", salt.Command, "--preview-target web*", 0, "- web-02"},
		{"queue", salt.Command, "--queue 1m db-02 test.ping", 0, "Queued"},
		{"no function", salt.Command, "top-01", 42, "Incomplete options passed."},
		{"runner", saltrun.Command, "test.arg 1 1.5 true null [1] zz=v aa=w", 0, "zz:"},
		{"runner, json", saltrun.Command, "manage.status --out=json", 0, `"db-02"`},
		{"runner with its own time", saltrun.Command, "-t 2 manage.up", 0, "- web-01"},
		{"runner failing", saltrun.Command, "no.such", 1, "'no.such' is not available."},
		{"runner failing with a result", saltrun.Command, "jobs.list_job 20240101000000000004 --out=json", 1, "Cannot contact returner"},
		{"runner without its argument", saltrun.Command, "jobs.lookup_jid", 1, "missing required argument: 'jid'"},
		{"runner, async", saltrun.Command, "--async test.arg 1", 0, "salt/run/JID"},
		{"keys", saltkey.Command, "-L", 0, "Accepted Keys:\nsyndic-a\ntop-01"},
		{"keys, json", saltkey.Command, "-l acc --out=json", 0, "top-01"},
		{"a fingerprint", saltkey.Command, "-f top-01", 0, "top-01:"},
		{"the text of a key", saltkey.Command, "-p top-01", 0, "BEGIN PUBLIC KEY"},
		{"no such key", saltkey.Command, "-p nosuch", 1, "does not match any keys"},
		{"accept nobody", saltkey.Command, "-y -a nosuch", 1, "does not match any unaccepted keys"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"-c", a.Conf("top")}
			for word := range strings.FieldsSeq(c.line) {
				if n := len(args) - 1; strings.HasPrefix(args[n], "[1,") {
					args[n] += " " + word
					continue
				}
				args = append(args, word)
			}
			at := same(momtest.Run(c.cmd(), "", args...))
			afar := same(momtest.Run(c.cmd(), "", append(args, a.login...)...))
			if afar != at {
				t.Errorf("from afar %v\nat the master %v", afar, at)
			}
			want := momtest.SortedLines(c.has)
			all := at.Out + "\n" + at.Err
			for line := range strings.Lines(want) {
				if !strings.Contains(all, strings.TrimSpace(line)) {
					t.Errorf("nothing of %q in %v", line, at)
				}
			}
			if at.Code != c.code && c.has != "" {
				t.Errorf("exit %d, want %d", at.Code, c.code)
			}
		})
	}
}

// Keys are changed from afar as at the master, and files copied.
func TestAfar_Changes(t *testing.T) {
	a := growAPITree(t, "top: top-01\n")
	conf := a.Conf("top")
	pub, err := os.ReadFile(filepath.Join(a.Dir, "top-01", "etc/salt/pki/minion/minion.pub"))
	if err != nil {
		t.Fatal(err)
	}
	pki := filepath.Join(a.Dir, "top", "etc/salt/pki/master")
	come := func(id string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(pki, "minions_pre", id), pub, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"-y -a new*", "-y -r new* --include-accepted", "-y -a new-0* --include-rejected", "-y -d new-01", "-y -d new* --out=json", "-a new-01"} {
		var got []momtest.Ran
		for _, more := range [][]string{nil, a.login} {
			for _, st := range []string{"minions", "minions_rejected"} {
				for _, id := range []string{"new-01", "new-02"} {
					_ = os.Remove(filepath.Join(pki, st, id)) // of the run before
				}
			}
			come("new-01")
			come("new-02")
			momtest.Until(t, func() momtest.Ran { // the master, which runs, has to have seen it
				return momtest.Run(saltkey.Command(), "", append([]string{"-c", conf, "-L", "--out=json", "--out-indent=-1"}, a.login...)...)
			}, func(r momtest.Ran) bool {
				return strings.Contains(r.Out, `"minions_pre": ["new-01", "new-02"]`) && !strings.Contains(r.Out, `"minions": ["new`)
			})
			got = append(got, momtest.Run(saltkey.Command(), "n\n", append(append([]string{"-c", conf}, strings.Fields(line)...), more...)...))
		}
		if got[0] != got[1] || got[0].Out == "" {
			t.Errorf("%s: from afar %v\nat the master %v", line, got[1], got[0])
		}
	}
	// Under a login the wheel is asked, at the master's own machine as well.
	at := momtest.Run(saltkey.Command(), "", "-c", conf, "-L", "--out=json")
	if r := momtest.Run(saltkey.Command(), "", append([]string{"-c", conf, "-L", "--out=json"}, a.login[4:]...)...); r != at || at.Code != 0 {
		t.Errorf("salt-key --auth: %v\nby the folders %v", r, at)
	}
	if r := momtest.Run(saltkey.Command(), "", append([]string{"-c", conf, "--gen-keys", "x"}, a.login...)...); r.Code != 64 || !strings.Contains(r.Err, "makes files on this machine") {
		t.Errorf("--gen-keys from afar: %v", r)
	}
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	if err := os.WriteFile(from, []byte("content\x00\xff"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := momtest.Run(saltcp.Command(), "", append([]string{"-c", conf, "top-01", from, to}, a.login...)...)
	if b, err := os.ReadFile(to); r.Code != 0 || err != nil || string(b) != "content\x00\xff" {
		t.Errorf("%v\n%q, %v", r, b, err)
	}
}
