package salt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/mom/saltrun"
)

const (
	failedText   = "ERROR: Minions returned with non-zero exit code\n"
	noReturnText = "ERROR: No return received\n"
	saltUsage    = "Usage: salt [options] '<target>' <function> [arguments]\n\nsalt: error: "
)

// TestSalt runs whole command lines at the top of a tree of three tiers. Job ids are written as JID,
// and the lines of the output sorted.
func TestSalt(t *testing.T) {
	tr := momtest.Shared(t)
	confFile := filepath.Join(tr.Conf("top"), "master")
	for _, c := range []struct {
		name string
		args []string
		want momtest.Ran
	}{
		{"one", []string{"web-01", "test.ping"}, momtest.Ended(0, "web-01:\n    True\n", "")},
		{"all", []string{"*", "test.ping", "--out=txt"}, momtest.Ended(0, "db-01: True\ntop-01: True\nweb-01: True\nweb-02: True\n", "")},
		{"options anywhere", []string{"--out", "txt", "web*", "-v", "test.ping", "--hide-t"}, momtest.Ended(0, "\n-------------------------------------------\nExecuting job with jid JID\nweb-01: True\nweb-02: True\n", "")},
		{"json keeps clean", []string{"web-01", "test.ping", "--out=json", "--show-jid"}, momtest.Ended(0, "    \"web-01\": true\n{\n}\n", "jid: JID\n")},
		{"json in one line", []string{"web-01", "test.echo", "{b: [1, x], a: ~}", "--out=json", "--out-indent=-1"}, momtest.Ended(0, "{\"web-01\": {\"b\": [1, \"x\"], \"a\": null}}\n", "")},
		{"yaml", []string{"db-01", "test.echo", "{b: [1, x]}", "--out=yaml"}, momtest.Ended(0, "  - 1\n  - x\n  b:\ndb-01:\n", "")},
		{"quiet", []string{"*", "test.ping", "--out=quiet"}, momtest.Ended(0, "", "")},
		{"unknown outputter", []string{"web-01", "test.ping", "--out=dson"}, momtest.Ended(0, "    True\nweb-01:\n", "[ERROR   ] Invalid outputter dson specified, falling back to nested\n")},
		{"failure", []string{"web-01", "cmd.run", "echo bad; exit 3"}, momtest.Ended(1, "    bad\nweb-01:\n", failedText)},
		{"failure, static", []string{"-s", "web*", "cmd.run", "exit 3", "--out=json", "--out-indent=-1"}, momtest.Ended(1, "{\"web-01\": \"\", \"web-02\": \"\"}\n", failedText)},
		{"retcode", []string{"web-01", "test.retcode", "42"}, momtest.Ended(1, "    True\nweb-01:\n", failedText)},
		{"false is no failure", []string{"web-01", "test.false"}, momtest.Ended(0, "    False\nweb-01:\n", "")},
		{"unknown function", []string{"web-01", "no.such"}, momtest.Ended(1, "    'no.such' is not available.\nweb-01:\n", failedText)},
		{"list", []string{"-L", "web-01, db-01", "test.ping", "--out=txt"}, momtest.Ended(0, "db-01: True\nweb-01: True\n", "")},
		{"list with blanks", []string{"-L", "web-01 db-01", "test.ping", "--out=txt"}, momtest.Ended(0, "db-01: True\nweb-01: True\n", "")},
		{"list with a ghost", []string{"-L", "web-01,ghost", "test.ping"}, momtest.Ended(1, "    Minion did not return. [No such minion]\n    True\nghost:\nweb-01:\n", failedText)},
		{"pcre", []string{"-E", "web-0[0-9]|db.*", "test.ping", "--out=txt"}, momtest.Ended(0, "db-01: True\nweb-01: True\nweb-02: True\n", "")},
		{"grain", []string{"-G", "id:web-*", "test.ping", "--out=txt"}, momtest.Ended(0, "web-01: True\nweb-02: True\n", "")},
		{"grain with a delimiter", []string{"-G", "id|web-01", "--delimiter=|", "test.ping", "--out=txt"}, momtest.Ended(0, "web-01: True\n", "")},
		{"grain pcre", []string{"-P", "id:(web|db)-01", "test.ping", "--out=txt"}, momtest.Ended(0, "db-01: True\nweb-01: True\n", "")},
		{"compound", []string{"-C", "G@id:web-* and not web-02", "test.ping", "--out=txt"}, momtest.Ended(0, "web-01: True\n", "")},
		{"behind a node", []string{"-C", "B@syndic-a and not web-02", "test.ping", "--out=txt"}, momtest.Ended(0, "db-01: True\nweb-01: True\n", "")},
		{"at a depth", []string{"-C", "D@0 or ( D@1- and db* )", "test.ping", "--out=txt"}, momtest.Ended(0, "db-01: True\ntop-01: True\n", "")},
		{"behind no node", []string{"-C", "B@syndic-x", "test.ping"}, momtest.Ended(2, "", "target B@syndic-x: invalid target: word 1: B@syndic-x: no node syndic-x below; mom tree lists the nodes\n")},
		{"preview behind a node", []string{"-C", "B@syndic-* and not db*", "--preview-target"}, momtest.Ended(0, "- web-01\n- web-02\n", "")},
		{"node group", []string{"-N", "webs", "test.ping", "--out=txt"}, momtest.Ended(0, "web-01: True\nweb-02: True\n", "")},
		{"node group of names", []string{"-N", "pair", "test.ping", "--out=txt"}, momtest.Ended(0, "top-01: True\nweb-01: True\n", "")},
		{"network", []string{"-S", "127.0.0.0/8", "test.ping", "--out=txt"}, momtest.Ended(0, "db-01: True\ntop-01: True\nweb-01: True\nweb-02: True\n", "")},
		{"no such node group", []string{"-N", "nogroup", "test.ping"}, momtest.Ended(2, "", "Node group nogroup unavailable in "+confFile+"\n")},
		{"nobody in the tree", []string{"nosuch*", "test.ping"}, momtest.Ended(2, "No minions matched the target. Job JID had no minion to run on.\n", noReturnText)},
		{"nobody, json", []string{"nosuch*", "test.ping", "--static", "--out=json"}, momtest.Ended(2, "{}\n", "No minions matched the target. Job JID had no minion to run on.\n"+noReturnText)},
		{"bad pcre", []string{"-E", "web-(", "test.ping"}, momtest.Ended(2, "", "target web-(: invalid target: regular expression \"web-(\": missing ), unterminated subpattern at character 6\n")},
		{"bad network", []string{"-S", "not-an-ip", "test.ping"}, momtest.Ended(2, "", "target not-an-ip: invalid target: \"not-an-ip\" is no IP address and no network\n")},
		{"half a compound", []string{"-C", "web-01 or", "test.ping"}, momtest.Ended(2, "", "target web-01 or: invalid target: the compound target ends after \"or\"; a target is missing\n")},
		{"range", []string{"-R", "%x", "test.ping"}, momtest.Ended(64, "", saltUsage+"option -R: range targets are not supported: no range server is asked; use a node group or a list\n")},
		{"two kinds of target", []string{"-E", "-G", "x", "test.ping"}, momtest.Ended(64, "", saltUsage+"option -G: The options -E --pcre and -G --grain are mutually exclusive. Please only choose one of them\n")},
		{"async", []string{"*", "test.ping", "--async", "--out=json"}, momtest.Ended(0, "Executed command with job ID: JID\n", "")},
		{"async with jid", []string{"*", "test.ping", "--async", "--show-jid"}, momtest.Ended(0, "Executed command with job ID: JID\n", "")},
		{"summary", []string{"web*", "test.ping", "--summary", "--out=txt"}, momtest.Ended(0, "\n\n# of minions returned: 2\n# of minions targeted: 2\n# of minions that did not return: 0\n# of minions with errors: 0\n"+
			"-------------------------------------------\n-------------------------------------------\n-------------------------------------------\nSummary\nweb-01: True\nweb-02: True\n", "")},
		{"progress", []string{"web*", "test.ping", "-p", "--out=txt"}, momtest.Ended(0, "\n\n# of minions returned: 2\n# of minions targeted: 2\n# of minions that did not return: 0\n# of minions with errors: 0\n"+
			"-------------------------------------------\n-------------------------------------------\n-------------------------------------------\nSummary\n", "100% |###################################| Elapsed Time: 0:00:00 Returns: [2/2]\n     2/2 syndic-a\n")},
		{"progress of batches", []string{"web*", "test.ping", "-p", "-b", "1"}, momtest.Ended(64, "", saltUsage+"--progress shows the returns of one job; it does not go with --async, --batch, --doc and --preview-target\n")},
		{"states together", []string{"web-01", "state.nosuch", "-s"}, momtest.Ended(1, "web-01:\n    'state.nosuch' is not available.\n", failedText)},
		{"a table", []string{"web-01", "test.echo", "[{a_b: 1, c: x}]", "--out=table"}, momtest.Ended(0, "    -----------\n    -----------\n    -----------\n    |  1  | x |\n    | A B | C |\n----------\nweb-01:\n", "")},
		{"arguments", []string{"web-01", "test.arg", "1", "010", "a=[1]", "-5", "--out=json", "--out-indent=-1", "--", "--x"}, momtest.Ended(0, "{\"web-01\": {\"args\": [1, 10, -5, \"--x\"], \"kwargs\": {\"a\": [1]}}}\n", "")},
		{"no parse", []string{"web-01", "test.kwarg", "--no-parse=num", "num=0123", "other=0123", "--out=json", "--out-indent=-1"}, momtest.Ended(0, "{\"web-01\": {\"num\": \"0123\", \"other\": 123}}\n", "")},
		{"several functions", []string{"web-01", "test.ping,test.echo,cmd.run", ",hello,", "echo a,b", "--out=json", "--out-indent=-1"}, momtest.Ended(42, "", "Cannot execute compound command with more arguments than commands.\n")},
		{"several functions, separator alone", []string{"web-01", "test.ping,cmd.run", ",", "echo a,b", "--out=json", "--out-indent=-1"}, momtest.Ended(0, "{\"web-01\": {\"test.ping\": true, \"cmd.run\": \"a,b\"}}\n", "")},
		{"several functions, one fails", []string{"web-01", "cmd.run,test.ping", "exit 3", ",", "--out=json", "--out-indent=-1"}, momtest.Ended(1, "{\"web-01\": {\"cmd.run\": \"\", \"test.ping\": true}}\n", failedText)},
		{"several functions, arguments lack", []string{"web-01", "test.ping,cmd.run"}, momtest.Ended(42, "", "Cannot execute compound command without defining all arguments.\n")},
		{"preview", []string{"*", "--preview-target"}, momtest.Ended(0, "- db-01\n- top-01\n- web-01\n- web-02\n", "")},
		{"preview does not run", []string{"web*", "--preview-target", "cmd.run", "exit 1", "--out=json", "--out-indent=-1"}, momtest.Ended(0, "[\"web-01\", \"web-02\"]\n", "")},
		{"preview by grain", []string{"-G", "id:*", "--preview-target"}, momtest.Ended(0, "- top-01\n", "2 minions of syndic-a may match too: their grains and pillar are not known here\n1 minions of syndic-c may match too: their grains and pillar are not known here\n")},
		{"preview of nothing", []string{"no*", "--preview-target"}, momtest.Ended(2, "", "No minions matched the target.\n")},
		{"colours", []string{"web-01", "test.ping", "--force-color"}, momtest.Ended(0, "    \x1b[0;1;33mTrue\x1b[0;0m\n\x1b[0;36mweb-01\x1b[0;0m:\n", "")},
		{"no such option", []string{"*", "test.ping", "--nosuch"}, momtest.Ended(64, "", saltUsage+"no such option: --nosuch\n")},
		{"unknown form of states", []string{"*", "test.ping", "--state-output=short"}, momtest.Ended(64, "", saltUsage+"option --state-output: invalid choice: 'short' (choose from 'full', 'full_id', 'terse', 'terse_id', 'mixed', 'mixed_id', 'changes', 'changes_id', 'filter', 'filter_id')\n")},
		{"neither true nor false", []string{"*", "test.ping", "--state-verbose=maybe"}, momtest.Ended(64, "", saltUsage+"option --state-verbose: invalid choice: 'maybe' (choose from 'True', 'False')\n")},
		{"no number", []string{"*", "test.ping", "-t", "abc"}, momtest.Ended(64, "", saltUsage+"option -t: invalid integer value: 'abc'\n")},
		{"no number of blanks", []string{"*", "test.ping", "--out-indent=x"}, momtest.Ended(64, "", saltUsage+"option --out-indent: invalid integer value: 'x'\n")},
		{"no such level", []string{"*", "test.ping", "-l", "nosuch"}, momtest.Ended(64, "", saltUsage+"option -l: invalid choice: 'nosuch' (choose from 'all', 'garbage', 'trace', 'debug', 'profile', 'info', 'warning', 'error', 'critical', 'quiet')\n")},
		{"too much to document", []string{"-d", "*", "a", "b"}, momtest.Ended(64, "", saltUsage+"You can only get documentation for one method at one time.\n")},
		{"returner settings", []string{"*", "test.ping", "--return_kwargs=x"}, momtest.Ended(2, "", "--return_kwargs: \"x\" is not a map such as '{\"db\": \"salt\"}'\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := tr.Run(Command(), "top", c.args...)
			got.Out, got.Err = momtest.JID.ReplaceAllString(got.Out, "JID"), momtest.JID.ReplaceAllString(got.Err, "JID")
			got.Out, c.want.Out = momtest.SortedLines(got.Out), momtest.SortedLines(c.want.Out)
			if d := cmp.Diff(c.want.String(), got.String()); d != "" {
				t.Errorf("salt %q (-want +got):\n%s", c.args, d)
			}
		})
	}
}

// Scripts that read the job id from standard output find it there.
func TestSalt_JobIDInSaltsWay(t *testing.T) {
	tr := momtest.Shared(t)
	t.Setenv(command.SaltWay, "1")
	for arg, want := range map[string]string{"-v": "Executing job with jid ", "--show-jid": "jid: "} {
		got := tr.Run(Command(), "top", "web-01", "test.ping", "--out=json", arg)
		if got.Code != 0 || got.Err != "" || !strings.HasPrefix(got.Out, want) {
			t.Errorf("%s: %v", arg, got)
		}
	}
}

// TestSaltBelow: a node without nodes below reports that nothing was sent.
func TestSaltBelow(t *testing.T) {
	tr := momtest.Shared(t)
	for _, args := range [][]string{{"nosuch*", "test.ping"}, {"nosuch*", "test.ping", "--async"}, {"nosuch*", "test.ping", "--summary"}} {
		want := momtest.Ended(2, "No minions matched the target. No command was sent, no jid was assigned.\n", noReturnText)
		if got := tr.Run(Command(), "syndic-c", args...); got != want {
			t.Errorf("%q: %v", args, got)
		}
	}
}

func TestSaltIncomplete(t *testing.T) {
	for want, args := range map[string][]string{
		"\nCannot execute command without defining a target.\n\n": nil,
		"\nIncomplete options passed.\n\n":                        {"*"},
	} {
		got := momtest.Run(Command(), "", args...)
		if got.Code != 42 || got.Err != want || !strings.HasPrefix(got.Out, "Usage: salt [options]") || !strings.Contains(got.Out, "--preview-target") {
			t.Errorf("%q: %v", args, got)
		}
	}
	if got := momtest.Run(Command(), "", "-d", "--version"); got.Code != 0 || got.Out != "salt "+momtest.Version+"\n" {
		t.Errorf("--version: %v", got)
	}
	if got := momtest.Run(Command(), "", "--help"); got.Code != 0 || !strings.Contains(got.Out, "--show-jid") {
		t.Errorf("--help: %v", got)
	}
}

func TestSaltStdin(t *testing.T) {
	tr := momtest.Shared(t)
	got := momtest.Run(Command(), "1\n[2,3]\nk=v\n--static\n", "-c", tr.Conf("top"), "--args-stdin", "web-01", "test.arg", "--out=json", "--out-indent=-1")
	if want := momtest.Ended(0, "{\"web-01\": {\"args\": [1, [2, 3], \"--static\"], \"kwargs\": {\"k\": \"v\"}}}\n", ""); got != want {
		t.Error(got)
	}
}

func TestSaltDocs(t *testing.T) {
	tr := momtest.Shared(t)
	got := tr.Run(Command(), "top", "-d", "web*", "test.ping")
	if got.Code != 0 || !strings.HasPrefix(got.Out, "test.ping:\n") || strings.Count(got.Out, "test.ping:\n") != 1 {
		t.Error(got)
	}
	got = tr.Run(Command(), "top", "*", "sys.doc", "test.ping", "--out=json")
	var docs map[string]string
	if err := json.Unmarshal([]byte(got.Out), &docs); err != nil || len(docs) != 1 || docs["test.ping"] == "" {
		t.Errorf("%v: %v", err, got)
	}
}

func TestSaltFiles(t *testing.T) {
	tr := momtest.Shared(t)
	file, log := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "log")
	for i, more := range [][]string{{}, {}, {"--out-file-append"}} {
		args := append([]string{"web-01", "test.ping", "--show-jid", "--out-file", file, "--log-file", log, "--log-file-level=debug"}, more...)
		if got := tr.Run(Command(), "top", args...); got.Code != 0 || !strings.HasPrefix(got.Out, "jid: ") || got.Err != "" {
			t.Errorf("%d: %v", i, got)
		}
	}
	b, err := os.ReadFile(file)
	if want := strings.Repeat("web-01:\n    True\n", 2); err != nil || string(b) != want {
		t.Errorf("%v: %q", err, b)
	}
	if b, err = os.ReadFile(log); err != nil || !bytes.Contains(b, []byte("job published")) {
		t.Errorf("%v: log %q", err, b)
	}
	if got := tr.Run(Command(), "top", "web-01", "test.ping", "--out-file", "/nonexistent/x"); got.Code != 1 || !strings.Contains(got.Err, "--out-file") {
		t.Error(got)
	}
	if got := tr.Run(Command(), "top", "web-01", "test.ping", "-l", "debug"); !strings.Contains(got.Err, "[DEBUG   ] job published jid=") ||
		!strings.HasPrefix(got.Err, "[DEBUG   ] Reading configuration from /") {
		t.Error(got)
	}
}

// TestSaltLarge: a result that does not fit an event is shown whole.
func TestSaltLarge(t *testing.T) {
	tr := momtest.Shared(t)
	got := tr.Run(Command(), "top", "-s", "web*", "cmd.run", "head -c 2000000 /dev/zero | tr '\\0' x", "--out=json")
	var results map[string]string
	if err := json.Unmarshal([]byte(got.Out), &results); err != nil || got.Code != 0 {
		t.Fatalf("%v: exit %d, %s", err, got.Code, got.Err)
	}
	for _, id := range []string{"web-01", "web-02"} {
		if len(results[id]) != 2000000 {
			t.Errorf("%s: %d bytes", id, len(results[id]))
		}
	}
}

// TestSaltKeeps: the options of a job are in the job cache of the top.
func TestSaltKeeps(t *testing.T) {
	tr := momtest.Shared(t)
	got := tr.Run(Command(), "top", "db-01", "test.echo", "x", "--metadata={ticket: 7}", "--show-jid")
	jid := momtest.JID.FindString(got.Out)
	if got.Code != 0 || jid == "" {
		t.Fatal(got)
	}
	look := tr.Run(saltrun.Command(), "top", "jobs.list_job", jid, "--out=json")
	var job map[string]any
	if err := json.Unmarshal([]byte(look.Out), &job); err != nil {
		t.Fatalf("%v: %v", err, look)
	}
	if d := cmp.Diff(map[string]any{"ticket": 7.0}, job["Metadata"]); d != "" {
		t.Errorf("%s\n%v", d, look)
	}
}

func TestSaltWithoutMaster(t *testing.T) {
	dir := t.TempDir()
	conf := "root_dir: " + dir + "\ninterface: 127.0.0.1\nret_port: 1\npublish_port: 2\nsock_dir: " + filepath.Join(dir, "run") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	got := momtest.Run(Command(), "", "-c", dir, "*", "test.ping", "--out=json")
	if got.Code != 2 || got.Out != "" || !strings.HasPrefix(got.Err, "The salt master could not be contacted. Is master running?\n") || !strings.Contains(got.Err, dir) {
		t.Error(got)
	}
	for _, args := range [][]string{{"*", "test.ping", "--async"}, {"*", "--preview-target"}} {
		got := momtest.Run(Command(), "", append([]string{"-c", dir}, args...)...)
		if got.Code != 2 || got.Out != "" || !strings.Contains(got.Err, "_key does not exist; is the master running") {
			t.Errorf("%q: %v", args, got)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte("a: [b"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := momtest.Run(Command(), "", "-c", dir, "*", "test.ping"); got.Code != 1 || !strings.Contains(got.Err, filepath.Join(dir, "master")) {
		t.Error(got)
	}
}

// TestSaltStopped: a user who stops waiting gets the command to look the job up.
func TestSaltStopped(t *testing.T) {
	tr := momtest.Shared(t)
	for _, c := range []struct {
		sig  syscall.Signal
		how  string
		code int
	}{{syscall.SIGINT, "Ctrl-c", 130}, {syscall.SIGTERM, "SIGTERM", 143}} {
		cmd := momtest.Process(t, "salt", "-c", tr.Conf("top"), "--show-jid", "web-01", "test.sleep", "60")
		var errOut bytes.Buffer
		cmd.Stderr = &errOut
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Errorf("no jid: %v", err)
		}
		if err := cmd.Process.Signal(c.sig); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		jid := momtest.JID.FindString(line)
		want := "\nExiting gracefully on " + c.how + "\nThis job's jid is: " + jid + "\n"
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.HasPrefix(errOut.String(), want) || !strings.Contains(errOut.String(), "salt-run jobs.lookup_jid "+jid) {
			t.Errorf("%s: exit %d, %s", c.how, code, errOut.String())
		}
		tr.Run(Command(), "top", "web-01", "saltutil.kill_job", jid)
	}
}

// TestSaltBroken breaks a tree piece by piece.
func TestSaltBroken(t *testing.T) {
	tr := momtest.Own(t, "top: top-01\n  syndic-a: web-01\n    syndic-c: db-01 db-02\n")

	tr.Kill(t, "db-02")
	got := tr.Run(Command(), "top", "db-*", "test.ping", "--out=txt")
	got.Out = momtest.SortedLines(got.Out)
	if want := momtest.Ended(1, "db-01: True\ndb-02: Minion did not return. [Not connected] (behind syndic-a/syndic-c)", failedText); got != want {
		t.Errorf("a minion is down: %v", got)
	}
	if got := tr.Run(Command(), "top", "-s", "db-*", "test.ping", "--out=json", "--out-indent=-1"); got != momtest.Ended(1, "{\"db-01\": true}\n",
		"db-02: Minion did not return. [Not connected] (behind syndic-a/syndic-c)\n"+failedText,
	) {
		t.Errorf("a minion is down, static: %v", got)
	}

	tr.Kill(t, "syndic-a")
	nodeText := "ERROR: Node syndic-a is not connected; minions behind it may be missing from this result\n"
	got = tr.Run(Command(), "top", "-G", "id:top-01", "test.ping", "--out=txt")
	if want := momtest.Ended(1, "top-01: True\n", nodeText); got != want {
		t.Errorf("a node is down: %v", got)
	}
	got = tr.Run(Command(), "top", "web-01", "test.ping")
	if !strings.Contains(got.Out, "Minion did not return. [Node not connected] (behind syndic-a)") || got.Code != 1 || !strings.HasPrefix(got.Err, nodeText) {
		t.Errorf("a minion behind a node that is down: %v", got)
	}
	if got, want := tr.Run(Command(), "top", "top-01", "test.ping", "--out=txt"), momtest.Ended(0, "top-01: True\n", ""); got != want {
		t.Errorf("a node is down that has nothing to do with it: %v", got)
	}

	cmd := momtest.Process(t, "salt", "-c", tr.Conf("top"), "--show-jid", "top-01", "test.sleep", "60")
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	line, err := r.ReadString('\n')
	if err != nil {
		t.Errorf("no jid: %v", err)
	}
	tr.Kill(t, "top")
	_, _ = io.Copy(io.Discard, r)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(errOut.String(), "salt-run jobs.lookup_jid "+momtest.JID.FindString(line)) {
		t.Errorf("the master ends: exit %d, %s", code, errOut.String())
	}
}

// Shells get the ids of minions for the target, and for nothing else.
func TestCompletesTargets(t *testing.T) {
	tr := momtest.Shared(t)
	for line, want := range map[string]string{
		"web-":                    "web-01 web-02 :4",
		"":                        "db-01 top-01 web-01 web-02 :4",
		"-t 5 db":                 "db-01 :4",
		"-L top-01,web-0":         "top-01,web-01 top-01,web-02 :4",
		"web-* test.pi":           "test.ping :4",
		"-G os:":                  ":4",
		"web-*":                   ":4",
		"nosuch":                  ":4",
		"--api https://top web-":  ":4",
		"-a pam --username u web": ":4",
	} {
		words := append([]string{"__complete", "-c", tr.Conf("top")}, strings.Split(line, " ")...)
		got := momtest.Run(Command(), "", words...)
		if text := strings.Join(strings.Fields(got.Out), " "); text != want {
			t.Errorf("%q: %q, want %q; %v", line, text, want, got)
		}
	}
	if got := momtest.Run(Command(), "", "__complete", "-c", t.TempDir(), "web-"); strings.Join(strings.Fields(got.Out), " ") != ":4" {
		t.Errorf("without a master: %v", got)
	}
}
