package saltrun

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/mom/salt"
)

// until repeats the command at a node until its result is as wanted.
func until(t *testing.T, tr *momtest.Tree, as func(momtest.Ran) bool, node string, args ...string) momtest.Ran {
	t.Helper()
	return momtest.Until(t, func() momtest.Ran { return tr.Run(Command(), node, args...) }, as)
}

func TestSaltRun(t *testing.T) {
	tr := momtest.Shared(t)
	usage := "Usage: salt-run [options] <function> [arguments]\n\nsalt-run: error: "
	for _, c := range []struct {
		name string
		node string
		args []string
		want momtest.Ran
	}{
		{"arguments", "top", []string{"test.arg", "1", "1.5", "true", "null", "[1]", "k=v"}, momtest.Ended(0, "args:\n    - 1\n    - 1.5\n    - True\n    - None\n    |_\n      - 1\nkwargs:\n    ----------\n    k:\n        v\n", "")},
		{"json", "top", []string{"test.arg", "1", "k=v", "--out=json", "--out-indent=-1"}, momtest.Ended(0, "{\"args\": [1], \"kwargs\": {\"k\": \"v\"}}\n", "")},
		{"no parse", "top", []string{"test.arg", "--no-parse=a", "a=01", "b=01", "--out=json", "--out-indent=-1"}, momtest.Ended(0, "{\"args\": [], \"kwargs\": {\"a\": \"01\", \"b\": 1}}\n", "")},
		{"unknown function", "top", []string{"no.such"}, momtest.Ended(1, "", "'no.such' is not available.\n")},
		{"unknown job", "top", []string{"jobs.lookup_jid", "20240101000000000004"}, momtest.Ended(1, "", "no job with the id \"20240101000000000004\" is in the job cache\n")},
		{"unknown job, json", "top", []string{"jobs.lookup_jid", "nosuch", "--out=json"}, momtest.Ended(1, "{}\n", "no job with the id \"nosuch\" is in the job cache\n")},
		{"unknown job, listed", "top", []string{"jobs.list_job", "20240101000000000004", "--out=json", "--out-indent=-1"}, momtest.Ended(1, "{\"jid\": \"20240101000000000004\", \"Error\": \"Cannot contact returner or no job with this jid\", \"StartTime\": \"2024, Jan 01 00:00:00.000004\", \"Result\": {}}\n",
			"no job with the id \"20240101000000000004\" is in the job cache\n",
		)},
		{"whole tree", "top", []string{"manage.status", "--out=json", "--out-indent=-1"}, momtest.Ended(0, "{\"up\": [\"db-01\", \"top-01\", \"web-01\", \"web-02\"], \"down\": []}\n", "")},
		{"a part of it", "syndic-a", []string{"manage.up"}, momtest.Ended(0, "- db-01\n- web-01\n- web-02\n", "")},
		{"by target", "top", []string{"manage.up", "web*"}, momtest.Ended(0, "- web-01\n- web-02\n", "")},
		{"by grain, from below", "top", []string{"manage.up", "tgt=id:*b-01", "tgt_type=grain", "-t", "2"}, momtest.Ended(0, "- db-01\n- web-01\n", "")},
		{"nobody down", "top", []string{"manage.down"}, momtest.Ended(0, "", "")},
		{"present", "top", []string{"manage.present", "--out=raw"}, momtest.Ended(0, "['db-01', 'top-01', 'web-01', 'web-02']\n", "")},
		{"no other store", "top", []string{"jobs.list_jobs", "ext_source=mysql"}, momtest.Ended(1, "", "ext_source=mysql: this master has only the job cache local_cache\n")},
		{"bad jid", "top", []string{"--jid=1", "test.arg"}, momtest.Ended(1, "", "runner: jid \"1\" is not a job id\n")},
		{"bad timeout", "top", []string{"-t", "x", "test.arg"}, momtest.Ended(64, "", usage+"option -t: invalid integer value: 'x'\n")},
		{"unknown option", "top", []string{"test.arg", "--nosuch"}, momtest.Ended(64, "", usage+"no such option: --nosuch\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := tr.Run(Command(), c.node, c.args...); got != c.want {
				t.Errorf("got  %v\nwant %v", got, c.want)
			}
		})
	}
	if r := tr.Run(Command(), "top", "jobs.lookup_jid"); r.Code != 1 || r.Out != "" ||
		!strings.HasPrefix(r.Err, "Passed invalid arguments: jobs.lookup_jid() missing required argument: 'jid'\n\nUsage:\n    The results of a job.\n\n    jid\n") {
		t.Errorf("a call without its argument: %v", r)
	}
	if r := momtest.Run(Command(), "a b\nk=1\n", "-c", tr.Conf("top"), "--args-stdin", "test.arg", "--out=raw"); r.Out != "{'args': ['a b'], 'kwargs': {'k': 1}}\n" {
		t.Errorf("arguments from standard input: %v", r)
	}
}

func TestSaltRunDocs(t *testing.T) {
	none := t.TempDir() // no master is needed
	all := momtest.Run(Command(), "", "-c", none)
	if all.Code != 0 || !strings.Contains(all.Out, "jobs.active:\n\n    The jobs that") || !strings.Contains(all.Out, "topology.tree:\n") {
		t.Errorf("without a function: %v", all)
	}
	if r := momtest.Run(Command(), "", "-c", none, "-d"); r != all {
		t.Errorf("-d: %v", r)
	}
	if r := momtest.Run(Command(), "", "-d", "doc"); r != momtest.Ended(0, "doc.execution:\n\n    The documentation of execution functions, merged from all queried minions. Without a\n"+
		"    target it queries twenty minions of the tree, some of each version, because minions of one\n    version have the same functions.\n\n"+
		"    tgt, tgt_type : glob\n        The minions to query.\n\n        salt-run doc.execution\n        salt-run doc.execution tgt='web*'\n\n"+
		"doc.runner:\n\n    The documentation of all runner functions.\n\n        salt-run doc.runner\n\n"+
		"doc.wheel:\n\n    The documentation of all wheel functions.\n\n        salt-run doc.wheel\n\n", "") {
		t.Errorf("-d of a module: %v", r)
	}
	if r := momtest.Run(Command(), "", "-d", "nosuch"); r.Code != 1 || r.Out != "" || !strings.Contains(r.Err, "'nosuch' is neither a runner function nor a module") {
		t.Errorf("-d of nothing: %v", r)
	}
	if r := momtest.Run(Command(), "", "-d", "jobs", "manage"); r.Code != 64 {
		t.Errorf("-d of two: %v", r)
	}
	if r := momtest.Run(Command(), "", "-d", "test", "--out=json"); r.Code != 0 || !strings.Contains(r.Out, "test.sleep:\n\n    ") {
		t.Errorf("-d with another outputter is text, as with Salt: %v", r)
	}
}

// A running job is shown with the minions it waits for and their nodes, and afterwards with its
// result.
func TestSaltRunJobs(t *testing.T) {
	tr := momtest.Shared(t)
	start := tr.Run(salt.Command(), "top", "-L", "web-01,db-01,top-01", "test.sleep", "1", "--async")
	jid := momtest.JID.FindString(start.Out)
	type job struct {
		Function, Target any
		Minions          []string
		Running          []map[string]any
		Returned         []string
		Paths            map[string]string
		Result           map[string]struct{ Return, Success any }
	}
	jobs := func(r momtest.Ran) (all map[string]job) {
		_ = json.Unmarshal([]byte(r.Out), &all) // output that is not JSON has no jobs
		return all
	}
	active := jobs(until(t, tr, func(r momtest.Ran) bool {
		j := jobs(r)[jid]
		return len(j.Running) == 3 && len(j.Paths) == 2 // the nodes have reported their minions
	}, "top", "jobs.active", "--out=json"))[jid]
	if active.Function != "test.sleep" || active.Paths["db-01"] != "syndic-a/syndic-c" || active.Paths["web-01"] != "syndic-a" || active.Paths["top-01"] != "" {
		t.Errorf("active: %+v", active)
	}
	until(t, tr, func(r momtest.Ran) bool { return !strings.Contains(r.Out, jid) }, "top", "jobs.active", "--out=json")

	done := jobs(tr.Run(Command(), "top", "jobs.print_job", jid, "--out=json"))[jid]
	slices.Sort(done.Minions)
	if strings.Join(done.Minions, " ") != "db-01 top-01 web-01" || len(done.Result) != 3 || done.Result["db-01"].Return != true {
		t.Errorf("done: %+v", done)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"jobs.lookup_jid", jid, "--out=txt"}, "db-01: True\ntop-01: True\nweb-01: True\n"},
		{[]string{"jobs.exit_success", jid, "--out=txt"}, "db-01: True\ntop-01: True\nweb-01: True\n"},
	} {
		if r := tr.Run(Command(), "top", c.args...); r != momtest.Ended(0, c.want, "") {
			t.Errorf("%v: %v", c.args, r)
		}
	}
	// The nodes on the way know their part of the job.
	if r := tr.Run(Command(), "syndic-c", "jobs.lookup_jid", jid, "--out=txt"); r.Out != "db-01: True\n" {
		t.Errorf("at the lowest node: %v", r)
	}
	// Compound calls and find_job do not disturb filters.
	compound := momtest.JID.FindString(tr.Run(salt.Command(), "top", "web-01", "test.ping,test.sleep", ",", "0", "--show-jid").Out)
	last := jobs(tr.Run(Command(), "top", "jobs.last_run", "function=test.p*", "--out=json"))
	if _, ok := last[compound]; !ok || compound == "" {
		t.Errorf("last run of test.p*: %+v, want %s", last, compound)
	}
	listed := jobs(tr.Run(Command(), "top", "jobs.list_jobs", "search_function=test.sleep", "start_time="+jid, "--out=json"))
	if _, ok := listed[compound]; !ok || listed[jid].Function != "test.sleep" || len(listed) != 2 {
		t.Errorf("listed: %+v", listed)
	}
	if r := tr.Run(Command(), "top", "jobs.list_jobs", "search_function=test.sleep", "end_time=2001-01-01", "--out=json"); r != momtest.Ended(0, "{}\n", "") {
		t.Errorf("jobs of long ago: %v", r)
	}
	if r := tr.Run(Command(), "top", "jobs.last_run", "target=nosuch"); r != momtest.Ended(1, "False\n", "no job in the job cache matches\n") {
		t.Errorf("no last run: %v", r)
	}
}

// Results of asynchronous calls are stored.
func TestSaltRunAsync(t *testing.T) {
	tr := momtest.Shared(t)
	r := tr.Run(Command(), "top", "--async", "test.arg", "1", "a=2")
	jid := regexp.MustCompile(`under tag salt/run/(\d{20})\n$`).FindStringSubmatch(r.Err)
	if r.Code != 0 || r.Out != "" || jid == nil || !strings.HasPrefix(r.Err, "[WARNING ] Running in asynchronous mode.") {
		t.Fatalf("%v", r)
	}
	kept := until(t, tr, func(r momtest.Ran) bool { return r.Code == 0 }, "top", "jobs.lookup_jid", jid[1], "--out=json")
	var got map[string]struct {
		Fun    string
		Return struct {
			Args   []int
			Kwargs map[string]int
		}
		Success bool
	}
	if err := json.Unmarshal([]byte(kept.Out), &got); err != nil {
		t.Fatal(err)
	}
	if k := got["top"]; k.Fun != "runner.test.arg" || !k.Success || len(k.Return.Args) != 1 || k.Return.Kwargs["a"] != 2 {
		t.Errorf("kept %s", kept.Out)
	}
	if r := tr.Run(Command(), "top", "jobs.exit_success", jid[1]); r.Out != "top:\n    True\n" {
		t.Errorf("%v", r)
	}
	// The result of a synchronous call is not.
	if r := tr.Run(Command(), "top", "--jid=20240101000000000023", "test.arg"); r.Code != 0 {
		t.Errorf("%v", r)
	}
	if r := tr.Run(Command(), "top", "jobs.lookup_jid", "20240101000000000023"); r.Code != 1 {
		t.Errorf("%v", r)
	}
}

// A result above max_event_size is returned whole, at any depth.
func TestSaltRunLarge(t *testing.T) {
	tr := momtest.Shared(t)
	words := make([]string, 90_000)
	for i := range words {
		words[i] = "a word longer than fifteen"
	}
	in := strings.Join(words, "\n") + "\n"
	r := momtest.Run(Command(), in, "-c", tr.Conf("top"), "--args-stdin", "test.arg", "--out=json")
	var got struct{ Args []string }
	if err := json.Unmarshal([]byte(r.Out), &got); err != nil || len(got.Args) != len(words) || slices.Contains(got.Args, "VALUE_TRIMMED") {
		t.Fatalf("exit %d, %v, %d of %d values: %.200s", r.Code, err, len(got.Args), len(words), r.Err)
	}
}

func TestSaltRunWithoutMaster(t *testing.T) {
	root := t.TempDir()
	conf := "root_dir: " + root + "\nsock_dir: " + root + "\ninterface: 127.0.0.1\n"
	if err := os.WriteFile(filepath.Join(root, "master"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"manage.up"}, {"--async", "manage.up"}} {
		r := momtest.Run(Command(), "", append([]string{"-c", root}, args...)...)
		if r.Code != 1 || r.Out != "" || !strings.Contains(r.Err, "is the master running") {
			t.Errorf("%v: %v", args, r)
		}
	}
}
