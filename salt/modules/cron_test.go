package modules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fakeCrontab keeps every user's crontab in $here/tab.
func fakeCrontab(t *testing.T) *fakes {
	return withFakes(t, map[string]string{"crontab": `
[ "$1" = -u ] && shift 2
case $1 in -l) [ -f $here/tab ] || { echo "no crontab for you" >&2; exit 1; }; cat $here/tab;;
*) grep -q 'bad minute' "$1" && { echo 'bad minute' >&2; exit 1; }; cp "$1" $here/tab;; esac`})
}

func (f *fakes) tab() string {
	f.t.Helper()
	data, err := os.ReadFile(filepath.Join(f.dir, "tab"))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(data)
}

// Jobs are set, changed and removed as in Salt, and the operator's lines stay.
func TestCron(t *testing.T) {
	f := fakeCrontab(t)
	f.put("tab", "# mine\n1 2 * * * /my/own\n")
	calls(t, newEnv(), []callCase{
		{"cron.set_job", []any{"root", "5", "4", "*", "*", "*", "/bin/a", false, "a note\nof two lines", "ID1"}, "new"},
		{"cron.set_job", []any{"root", "5", "4", "*", "*", "*", "/bin/a", false, nil, "ID1"}, "present"},
		{"cron.set_job", []any{"root", "6", "4", "*", "*", "*", "/bin/b", false, nil, "ID1"}, "updated"},
		{"cron.set_job", []any{"root", "0", "0", "*", "*", "0", "/bin/plain"}, "new"},
		{"cron.set_special", []any{"root", "@daily", "/bin/d -x  y", true}, "new"},
		{"cron.set_env", []any{"root", "MAILTO", "me@x"}, "new"},
		{"cron.set_env", []any{"root", "MAILTO", "me@x"}, "present"},
		{"cron.set_env", []any{"root", "MAILTO", "you@x"}, "updated"},
		{"cron.rm_job", []any{"root", "/bin/none"}, "absent"},
		{"cron.rm_job", []any{"root", "/bin/plain"}, "removed"},
		{"cron.get_entry", []any{"root", "ID1"}, m{
			"minute": "6", "hour": "4", "daymonth": "*", "month": "*", "dayweek": "*",
			"identifier": "ID1", "cmd": "/bin/b", "comment": "a note\nof two lines", "commented": false,
		}},
		{"cron.get_entry", []any{"root", "ID2"}, false},
		{"cron.set_job", []any{"root", "bad minute", "0", "*", "*", "*", "x"}, "ERROR executing 'cron.set_job': minute of a cron job is one word, not 'bad minute'"},
	})
	want := "# mine\n1 2 * * * /my/own\n# Lines below here are managed by Salt, do not edit\nMAILTO=you@x\n" +
		"# a note\n# of two lines SALT_CRON_IDENTIFIER:ID1\n6 4 * * * /bin/b\n#DISABLED#@daily /bin/d -x y\n"
	if d := cmp.Diff(want, f.tab()); d != "" {
		t.Error(d)
	}
}

// No argument of a job adds a line to the crontab.
func TestCron_OneLine(t *testing.T) {
	f := fakeCrontab(t)
	f.put("tab", "")
	for _, args := range [][]any{
		{"root", "1", "1", "*", "*", "*", "/bin/a\n* * * * * /bin/evil"},
		{"root", "1", "1", "*", "*", "*", "/bin/a", false, nil, "ID\n* * * * * /bin/evil"},
		{"root", "1\n*", "1", "*", "*", "*", "/bin/a"},
	} {
		if r := run(t, newEnv(), "cron.set_job", args...); r.Success {
			t.Errorf("%q: %v", args, r.Value)
		}
	}
	if r := run(t, newEnv(), "cron.set_env", "root", "A", "1\n* * * * * evil"); r.Success {
		t.Errorf("%v", r.Value)
	}
	result(t, newEnv(), "cron.set_job", "root", "1", "1", "*", "*", "*", "/bin/a", false, "note\n* * * * * /bin/evil")
	for line := range strings.Lines(f.tab()) {
		if strings.HasPrefix(line, "*") {
			t.Errorf("a line of its own: %q", line)
		}
	}
}

// Random times are in their ranges, and do not change later.
func TestCron_Random(t *testing.T) {
	f := fakeCrontab(t)
	env := newEnv()
	result(t, env, "cron.set_job", "root", "random", "3:5", "random", "2", "*", "/bin/a")
	first := f.tab()
	job := parseCrontab(first).jobs[0]
	if n := number10(job.times[1]); n < 3 || n > 5 {
		t.Errorf("hour %s", job.times[1])
	}
	if n := number10(job.times[2]); n < 1 || n > 28 {
		t.Errorf("day %s of February", job.times[2])
	}
	if got := result(t, env, "cron.set_job", "root", "random", job.times[1], "random", "2", "*", "/bin/a"); got != "present" || f.tab() != first {
		t.Errorf("%v: %s", got, f.tab())
	}
}

func FuzzCrontab(f *testing.F) {
	f.Add("# x\n" + cronTag + "\nA=1\n# c SALT_CRON_IDENTIFIER:i\n1 2 3 4 5 cmd\n@daily x\n#DISABLED#* * * * * y\n")
	f.Fuzz(func(t *testing.T, text string) {
		once := parseCrontab(text).text()
		if twice := parseCrontab(once).text(); once != twice {
			t.Errorf("%q becomes %q", once, twice)
		}
	})
}
