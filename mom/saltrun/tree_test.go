package saltrun

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/mom/momtest"
)

// decodedInto decodes the JSON output of a command.
func decodedInto[T any](t *testing.T, r momtest.Ran) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.Out), &v); err != nil || r.Code != 0 {
		t.Fatalf("%v: %v", err, r)
	}
	return v
}

// Runners that query minions and masters reach all three tiers.
func TestSaltRunWholeTree(t *testing.T) {
	tr := momtest.Shared(t)
	whole := func(r momtest.Ran) bool { return strings.Count(r.Out, "-0") == 4 }
	until(t, tr, whole, "top", "manage.up")

	type pool struct {
		Pool   []string
		Result string
	}
	hash := decodedInto[[]pool](t, tr.Run(Command(), "top", "survey.hash", "*", "test.ping", "--out=json"))
	if len(hash) != 1 || strings.Join(hash[0].Pool, " ") != "db-01 top-01 web-01 web-02" || hash[0].Result != "True" {
		t.Errorf("survey.hash: %+v", hash)
	}
	hash = decodedInto[[]pool](t, tr.Run(Command(), "top", "survey.hash", "web-* or db-*", "grains.get", "id", "survey_sort=up", "--out=json"))
	if len(hash) != 3 || hash[0].Pool[0] != "db-01" || hash[0].Result != "db-01" {
		t.Errorf("survey.hash by ids: %+v", hash)
	}
	diff := tr.Run(Command(), "top", "survey.diff", "E@^(web|db)-01", "grains.get", "id", "--out=json")
	if !strings.Contains(diff.Err, "--- db-01\n+++ web-01\n@@ -1 +1 @@\n-db-01\n+web-01\n") || len(decodedInto[[]pool](t, diff)) != 2 {
		t.Errorf("survey.diff: %v", diff)
	}

	docs := decodedInto[map[string]string](t, tr.Run(Command(), "top", "doc.execution", "--out=json"))
	if !strings.Contains(docs["test.ping"], "salt '*' test.ping") || docs["cmd.run"] == "" {
		t.Errorf("doc.execution has %d functions, of test.ping %q", len(docs), docs["test.ping"])
	}

	// Grains are kept at the minions' own nodes; the answer covers all.
	grains := decodedInto[map[string]map[string]any](t, until(t, tr, func(r momtest.Ran) bool { return strings.Count(r.Out, "\"server_id\"") == 4 }, "top", "cache.grains", "*", "--out=json", "--out-indent=-1"))
	if ids := slices.Sorted(maps.Keys(grains)); strings.Join(ids, " ") != "db-01 top-01 web-01 web-02" || grains["db-01"]["id"] != "db-01" {
		t.Errorf("cache.grains: %v", ids)
	}
	only := decodedInto[map[string]any](t, tr.Run(Command(), "top", "cache.grains", "id:db-*", "grain", "--out=json"))
	if len(only) != 1 || only["db-01"] == nil {
		t.Errorf("by grain: %v", only)
	}
	if r := tr.Run(Command(), "top", "cache.list", "minions/db-01", "--out=json", "--out-indent=-1"); r.Out != "[\"data\"]\n" {
		t.Errorf("cache.list: %v", r)
	}
	if r := tr.Run(Command(), "top", "manage.present", "subset=127.0.0.0/8", "--out=json", "--out-indent=-1"); r.Out != "[\"db-01\", \"top-01\", \"web-01\", \"web-02\"]\n" {
		t.Errorf("manage.present within a network: %v", r)
	}
	if r := tr.Run(Command(), "top", "cache.clear_grains", "db-01"); r != momtest.Ended(0, "True\n", "") {
		t.Errorf("cache.clear_grains: %v", r)
	}
	if r := tr.Run(Command(), "syndic-c", "cache.grains", "db-01", "--out=json", "--out-indent=-1"); r != momtest.Ended(0, "{}\n", "") {
		t.Errorf("at its own node: %v", r)
	}
	if r := tr.Run(Command(), "top", "salt.execute", "db-01", "test.arg", "[1]", "k=v", "--out=json", "--out-indent=-1"); !strings.HasPrefix(r.Out, `{"db-01": {"args": [1], "kwargs": {"k": "v"`) {
		t.Errorf("salt.execute: %v", r)
	}
}

// Events of a running function are printed apart from its result, which programs can read alone.
func TestSaltRunProgress(t *testing.T) {
	tr := momtest.Shared(t)
	for _, c := range []struct {
		args []string
		want momtest.Ran
	}{
		{[]string{"test.stdout_print"}, momtest.Ended(0, "foo\nbar\n", "")},
		{[]string{"test.stdout_print", "--out=json"}, momtest.Ended(0, "\"bar\"\n", "foo\n")},
		{[]string{"test.sleep", "0.01"}, momtest.Ended(0, "0.01\nTrue\n", "")},
		{[]string{"error.error", "name=Exception", "message=boom"}, momtest.Ended(1, "", "Exception: boom\n")},
		{[]string{"manage.bootstrap", "hosts=a"}, momtest.Ended(1, "", "manage.bootstrap is not served: it needs salt-ssh, which is not part of this server; install the minion by its package and accept its key with salt-key -a ID\n")},
		{[]string{"config.get", "id"}, momtest.Ended(0, "top\n", "")},
		{[]string{"cache.store", "b", "k", "v"}, momtest.Ended(0, "", "")},
		{[]string{"cache.fetch", "b", "k"}, momtest.Ended(0, "v\n", "")},
		{[]string{"jobs.master", "--out=json"}, momtest.Ended(0, "[]\n", "")},
		{[]string{"auth.mk_token", "username=x", "password=y", "eauth=pam", "--async"}, momtest.Ended(1, "", "auth.mk_token: its result is private and not stored in the job cache; call it without async\n")},
	} {
		if got := tr.Run(Command(), "top", c.args...); got != c.want {
			t.Errorf("%v: got  %v\nwant %v", c.args, got, c.want)
		}
	}
	r := tr.Run(Command(), "top", "jobs.lookup_jid", "20240101000000000004", "display_progress=True", "ext_source=local_cache")
	if r.Code != 1 || !strings.HasPrefix(r.Out, "event:\n    ----------\n    _stamp:\n        20") ||
		!strings.HasSuffix(r.Out, "    message:\n        Querying returner: local_cache\nsuffix:\n    progress\n") {
		t.Errorf("progress: %v", r)
	}
}

// The command reads the bus itself, ends after the given number of events, and does not fire events
// again.
func TestSaltRunStateEvent(t *testing.T) {
	for _, out := range []string{"nested", "json"} { // scripts read the lines from standard output
		t.Run(out, func(t *testing.T) { watchEvents(t, "--out="+out) })
	}
}

func watchEvents(t *testing.T, out string) {
	tr := momtest.Shared(t)
	var watched momtest.Ran
	var wg sync.WaitGroup
	wg.Go(func() { watched = tr.Run(Command(), "top", out, "state.event", "my/watched/*", "count=2") })
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	// It is not known when it starts to listen, so events are fired until it has two.
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for sent := false; ; {
		select {
		case <-done:
			if !sent {
				t.Fatalf("it ended early: %v", watched)
			}
			ls := strings.Split(strings.TrimSuffix(watched.Out, "\n"), "\n")
			if watched.Code != 0 || len(ls) != 2 || !strings.HasPrefix(ls[0], "my/watched/tag\t{\"a\": 1, \"_stamp\": \"20") {
				t.Errorf("%v", watched)
			}
			if r := tr.Run(Command(), "top", "event.send", "salt/auth", "{a: 1}"); r.Code != 1 || !strings.Contains(r.Err, "choose another") {
				t.Errorf("a tag of masters: %v", r)
			}
			if r := tr.Run(Command(), "top", "state.event", "count=x"); r.Code != 1 || !strings.Contains(r.Err, "count=x is neither") {
				t.Errorf("a wrong count: %v", r)
			}
			return
		case <-tick.C:
			if r := tr.Run(Command(), "top", "event.send", "my/watched/tag", "{a: 1}"); r != momtest.Ended(0, "True\n", "") {
				t.Fatal(r)
			}
			sent = true
		}
	}
}

// A watch on the master for another client ends after count events.
func TestStateEventAtTheMaster(t *testing.T) {
	tr := momtest.Shared(t)
	c, err := client.Open(tr.Conf("top"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Runner(t.Context(), "state.event"); err == nil || !strings.Contains(err.Error(), "count is required here") {
		t.Errorf("without end: %v", err)
	}
	var printed []string
	call := client.RunnerCall{Fun: "state.event", Args: []any{"my/other"}, Kwargs: map[string]any{"count": 1}, Progress: func(what string, e client.Event) {
		printed = append(printed, what+" "+e.Data.String())
	}}
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallRunner(t.Context(), call)
		ended <- err
	}()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil || len(printed) != 1 || !strings.Contains(printed[0], `my/other\t{`) {
				t.Errorf("%v, %q", err, printed)
			}
			return
		case <-tick.C:
			if r := tr.Run(Command(), "top", "event.send", "my/other"); r.Code != 0 {
				t.Fatal(r)
			}
		}
	}
}

// If the user of an orchestration stops waiting, its jid is printed, and its result is in the job
// cache.
func TestInterrupted(t *testing.T) {
	tr := momtest.Own(t, "top: m1\n", func(c *localcluster.Cluster) {
		dir := filepath.Join(c.Top().Dir, "srv")
		sls := "slow:\n  salt.runner:\n    - name: test.sleep\n    - s_time: 3\n"
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "slow.sls"), []byte(sls), 0o600)); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(filepath.Join(c.Top().ConfDir, "master"), os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString("\nfile_roots: {base: [" + dir + "]}\n")
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	})
	cmd := momtest.Process(t, "salt-run", "-c", tr.Conf("top"), "state.orchestrate", "slow")
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waiting.Until(t, "the orchestration", func() bool {
		return strings.Contains(tr.Run(Command(), "top", "jobs.active").Out+tr.Run(Command(), "top", "jobs.master").Out, "state.orchestrate")
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	jid := momtest.JID.FindString(errOut.String())
	if code := cmd.ProcessState.ExitCode(); code != 130 || jid == "" || !strings.Contains(errOut.String(), "salt-run jobs.lookup_jid "+jid) {
		t.Fatalf("exit %d: %s", code, errOut.String())
	}
	waiting.Until(t, "the result", func() bool {
		return strings.Contains(tr.Run(Command(), "top", "jobs.lookup_jid", jid).Out, "runner.state.orchestrate")
	})
}
