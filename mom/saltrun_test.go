package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// run runs the command salt-run at a node.
func (tr *standing) run(node string, args ...string) ran {
	return runLine("", append([]string{"salt-run", "-c", tr.conf(node)}, args...)...)
}

// until runs a command at a node again and again until its result is as wanted.
func (tr *standing) until(t *testing.T, as func(ran) bool, node string, args ...string) ran {
	t.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		r := tr.run(node, args...)
		if as(r) {
			return r
		}
		select {
		case <-end.C:
			t.Fatalf("%v did not come to be as wanted; last: %v", args, r)
		case <-tick.C:
		}
	}
}

func TestSaltRun(t *testing.T) {
	tr := sharedTree(t)
	usage := "Usage: salt-run [options] <function> [arguments]\n\nsalt-run: error: "
	for _, c := range []struct {
		name string
		node string
		args []string
		want ran
	}{
		{"arguments", "top", []string{"test.arg", "1", "1.5", "true", "null", "[1]", "k=v"}, ran{0, "args:\n    - 1\n    - 1.5\n    - True\n    - None\n    |_\n      - 1\nkwargs:\n    ----------\n    k:\n        v\n", ""}},
		{"json", "top", []string{"test.arg", "1", "k=v", "--out=json", "--out-indent=-1"}, ran{0, "{\"args\": [1], \"kwargs\": {\"k\": \"v\"}}\n", ""}},
		{"no parse", "top", []string{"test.arg", "--no-parse=a", "a=01", "b=01", "--out=json", "--out-indent=-1"}, ran{0, "{\"args\": [], \"kwargs\": {\"a\": \"01\", \"b\": 1}}\n", ""}},
		{"unknown function", "top", []string{"no.such"}, ran{1, "", "'no.such' is not available.\n"}},
		{"unknown job", "top", []string{"jobs.lookup_jid", "20240101000000000004"}, ran{1, "", "no job with the id \"20240101000000000004\" is in the job cache\n"}},
		{"unknown job, json", "top", []string{"jobs.lookup_jid", "nosuch", "--out=json"}, ran{1, "{}\n", "no job with the id \"nosuch\" is in the job cache\n"}},
		{"unknown job, listed", "top", []string{"jobs.list_job", "20240101000000000004", "--out=json", "--out-indent=-1"}, ran{
			1, "{\"jid\": \"20240101000000000004\", \"Error\": \"Cannot contact returner or no job with this jid\", \"StartTime\": \"2024, Jan 01 00:00:00.000004\", \"Result\": {}}\n",
			"no job with the id \"20240101000000000004\" is in the job cache\n",
		}},
		{"whole tree", "top", []string{"manage.status", "--out=json", "--out-indent=-1"}, ran{0, "{\"up\": [\"db-01\", \"top-01\", \"web-01\", \"web-02\"], \"down\": []}\n", ""}},
		{"a part of it", "syndic-a", []string{"manage.up"}, ran{0, "- db-01\n- web-01\n- web-02\n", ""}},
		{"by target", "top", []string{"manage.up", "web*"}, ran{0, "- web-01\n- web-02\n", ""}},
		{"by grain, from below", "top", []string{"manage.up", "tgt=id:*b-01", "tgt_type=grain", "-t", "2"}, ran{0, "- db-01\n- web-01\n", ""}},
		{"nobody down", "top", []string{"manage.down"}, ran{0, "", ""}},
		{"present", "top", []string{"manage.present", "--out=raw"}, ran{0, "['db-01', 'top-01', 'web-01', 'web-02']\n", ""}},
		{"no other store", "top", []string{"jobs.list_jobs", "ext_source=mysql"}, ran{1, "", "ext_source=mysql: this master has the job cache local_cache alone\n"}},
		{"bad jid", "top", []string{"--jid=1", "test.arg"}, ran{1, "", "runner: jid \"1\" is not a job id\n"}},
		{"bad timeout", "top", []string{"-t", "x", "test.arg"}, ran{64, "", usage + "option -t: invalid integer value: 'x'\n"}},
		{"unknown option", "top", []string{"test.arg", "--nosuch"}, ran{64, "", usage + "no such option: --nosuch\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := tr.run(c.node, c.args...); got != c.want {
				t.Errorf("got  %v\nwant %v", got, c.want)
			}
		})
	}
	if r := tr.run("top", "jobs.lookup_jid"); r.code != 1 || r.out != "" ||
		!strings.HasPrefix(r.err, "Passed invalid arguments: jobs.lookup_jid() missing required argument: 'jid'\n\nUsage:\n    The results of a job.\n\n    jid\n") {
		t.Errorf("a call without its argument: %v", r)
	}
	if r := runLine("a b\nk=1\n", "salt-run", "-c", tr.conf("top"), "--args-stdin", "test.arg", "--out=raw"); r.out != "{'args': ['a b'], 'kwargs': {'k': 1}}\n" {
		t.Errorf("arguments from standard input: %v", r)
	}
}

func TestSaltRunDocs(t *testing.T) {
	none := t.TempDir() // no master is needed
	all := runLine("", "salt-run", "-c", none)
	if all.code != 0 || !strings.Contains(all.out, "jobs.active:\n\n    The jobs that") || !strings.Contains(all.out, "topology.tree:\n") {
		t.Errorf("without a function: %v", all)
	}
	if r := runLine("", "salt-run", "-c", none, "-d"); r != all {
		t.Errorf("-d: %v", r)
	}
	if r := runLine("", "salt-run", "-d", "doc"); r != (ran{0, "doc.runner:\n\n    The documentation of all runner functions.\n\n        salt-run doc.runner\n\n", ""}) {
		t.Errorf("-d of a module: %v", r)
	}
	if r := runLine("", "salt-run", "-d", "nosuch"); r.code != 1 || r.out != "" || !strings.Contains(r.err, "'nosuch' is neither a runner function nor a module") {
		t.Errorf("-d of nothing: %v", r)
	}
	if r := runLine("", "salt-run", "-d", "jobs", "manage"); r.code != 64 {
		t.Errorf("-d of two: %v", r)
	}
	var docs map[string]string
	if r := runLine("", "salt-run", "-d", "test", "--out=json"); json.Unmarshal([]byte(r.out), &docs) != nil || len(docs["test.sleep"]) == 0 {
		t.Errorf("-d as json: %v", r)
	}
}

// A job is shown while it runs, with who is waited for and where, and afterwards
// with its result.
func TestSaltRunJobs(t *testing.T) {
	tr := sharedTree(t)
	start := tr.salt("top", "-L", "web-01,db-01,top-01", "test.sleep", "1", "--async")
	jid := aJID.FindString(start.out)
	type job struct {
		Function, Target any
		Minions          []string
		Running          []map[string]any
		Returned         []string
		Paths            map[string]string
		Result           map[string]struct{ Return, Success any }
	}
	jobs := func(r ran) (all map[string]job) {
		_ = json.Unmarshal([]byte(r.out), &all) // what is no JSON has no jobs
		return all
	}
	active := jobs(tr.until(t, func(r ran) bool {
		j := jobs(r)[jid]
		return len(j.Running) == 3 && len(j.Paths) == 2 // the nodes have told whom they have
	}, "top", "jobs.active", "--out=json"))[jid]
	if active.Function != "test.sleep" || active.Paths["db-01"] != "syndic-a/syndic-c" || active.Paths["web-01"] != "syndic-a" || active.Paths["top-01"] != "" {
		t.Errorf("active: %+v", active)
	}
	tr.until(t, func(r ran) bool { return !strings.Contains(r.out, jid) }, "top", "jobs.active", "--out=json")

	done := jobs(tr.run("top", "jobs.print_job", jid, "--out=json"))[jid]
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
		if r := tr.run("top", c.args...); r != (ran{0, c.want, ""}) {
			t.Errorf("%v: %v", c.args, r)
		}
	}
	// The nodes on the way know the job too, each its part.
	if r := tr.run("syndic-c", "jobs.lookup_jid", jid, "--out=txt"); r.out != "db-01: True\n" {
		t.Errorf("at the lowest node: %v", r)
	}
	// A compound call and the questions of find_job disturb no filter.
	compound := aJID.FindString(tr.salt("top", "web-01", "test.ping,test.sleep", ",", "0", "--show-jid").out)
	last := jobs(tr.run("top", "jobs.last_run", "function=test.p*", "--out=json"))
	if _, ok := last[compound]; !ok || compound == "" {
		t.Errorf("last run of test.p*: %+v, want %s", last, compound)
	}
	listed := jobs(tr.run("top", "jobs.list_jobs", "search_function=test.sleep", "start_time="+jid, "--out=json"))
	if _, ok := listed[compound]; !ok || listed[jid].Function != "test.sleep" || len(listed) != 2 {
		t.Errorf("listed: %+v", listed)
	}
	if r := tr.run("top", "jobs.list_jobs", "search_function=test.sleep", "end_time=2001-01-01", "--out=json"); r != (ran{0, "{}\n", ""}) {
		t.Errorf("jobs of long ago: %v", r)
	}
	if r := tr.run("top", "jobs.last_run", "target=nosuch"); r != (ran{1, "False\n", "no job in the job cache fits\n"}) {
		t.Errorf("no last run: %v", r)
	}
}

// What nobody waits for is kept.
func TestSaltRunAsync(t *testing.T) {
	tr := sharedTree(t)
	r := tr.run("top", "--async", "test.arg", "1", "a=2")
	jid := regexp.MustCompile(`under tag salt/run/(\d{20})\n$`).FindStringSubmatch(r.err)
	if r.code != 0 || r.out != "" || jid == nil || !strings.HasPrefix(r.err, "[WARNING ] Running in asynchronous mode.") {
		t.Fatalf("%v", r)
	}
	kept := tr.until(t, func(r ran) bool { return r.code == 0 }, "top", "jobs.lookup_jid", jid[1], "--out=json")
	var got map[string]struct {
		Fun    string
		Return struct {
			Args   []int
			Kwargs map[string]int
		}
		Success bool
	}
	if err := json.Unmarshal([]byte(kept.out), &got); err != nil {
		t.Fatal(err)
	}
	if k := got["top_master"]; k.Fun != "runner.test.arg" || !k.Success || len(k.Return.Args) != 1 || k.Return.Kwargs["a"] != 2 {
		t.Errorf("kept %s", kept.out)
	}
	if r := tr.run("top", "jobs.exit_success", jid[1]); r.out != "top_master:\n    True\n" {
		t.Errorf("%v", r)
	}
	// A call that is waited for is not.
	if r := tr.run("top", "--jid=20240101000000000023", "test.arg"); r.code != 0 {
		t.Errorf("%v", r)
	}
	if r := tr.run("top", "jobs.lookup_jid", "20240101000000000023"); r.code != 1 {
		t.Errorf("%v", r)
	}
}

// A result above max_event_size comes whole, however deep its values lie.
func TestSaltRunLarge(t *testing.T) {
	tr := sharedTree(t)
	words := make([]string, 90_000)
	for i := range words {
		words[i] = "a word longer than fifteen"
	}
	in := strings.Join(words, "\n") + "\n"
	r := runLine(in, "salt-run", "-c", tr.conf("top"), "--args-stdin", "test.arg", "--out=json")
	var got struct{ Args []string }
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || len(got.Args) != len(words) || slices.Contains(got.Args, "VALUE_TRIMMED") {
		t.Fatalf("exit %d, %v, %d of %d values: %.200s", r.code, err, len(got.Args), len(words), r.err)
	}
}

func TestSaltRunWithoutMaster(t *testing.T) {
	root := t.TempDir()
	layOut(t, root, map[string]string{"conf/master": "root_dir: " + root + "\nsock_dir: " + root + "\ninterface: 127.0.0.1\n"})
	for _, args := range [][]string{{"manage.up"}, {"--async", "manage.up"}} {
		r := runLine("", append([]string{"salt-run", "-c", filepath.Join(root, "conf")}, args...)...)
		if r.code != 1 || r.out != "" || !strings.Contains(r.err, "is the master running") {
			t.Errorf("%v: %v", args, r)
		}
	}
}

// The master hears of what salt-key does, and follows it.
func TestSaltKeyTellsTheMaster(t *testing.T) {
	tr := ownTree(t, "top: min-01 min-02\n")
	conf, _, err := config.LoadMaster(tr.conf("top"))
	if err != nil {
		t.Fatal(err)
	}
	pair, err := testKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(conf.PkiDir, "minions_pre", "new-01"), []byte(pair.PublicPEM), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	b, err := bus.Dial(ctx, client.FromMaster(conf).Bus)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, c := range []struct{ args, act, id string }{{"-r new-01", "reject", "new-01"}, {"-d new-01", "delete", "new-01"}, {"-d min-02", "delete", "min-02"}} {
		if r := runLine("", append([]string{"salt-key", "-c", tr.conf("top"), "-y", "-q"}, strings.Fields(c.args)...)...); r != (ran{}) {
			t.Fatalf("%s: %v", c.args, r)
		}
		d := await(ctx, t, b, "salt/key")
		if d.String("act") != c.act || d.String("id") != c.id || !d.Bool("result") {
			t.Errorf("%s: event %v", c.args, d)
		}
	}
	// Only the accepted key needs a new session key.
	if d := await(ctx, t, b, "key"); !d.Bool("rotate_aes_key") {
		t.Errorf("event %v", d)
	}
	r := tr.until(t, func(r ran) bool { return !strings.Contains(r.out, "min-02") }, "top", "manage.status", "--out=raw")
	if r.out != "{'up': ['min-01'], 'down': []}\n" {
		t.Errorf("%v", r)
	}
	if r := tr.salt("top", "*", "test.ping", "--out=txt"); r != (ran{0, "min-01: True\n", ""}) {
		t.Errorf("after the rotation: %v", r)
	}
}

// await gives the data of the next event with a tag.
func await(ctx context.Context, t *testing.T, b *bus.Client, tag string) *wire.Map {
	t.Helper()
	for {
		e, err := b.Next(ctx)
		if err != nil {
			t.Fatalf("wait for %s: %v", tag, err)
		}
		if e.Tag == tag {
			d, err := wire.DecodeMap(e.Data)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
	}
}
