package salt

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/mom/saltrun"
	"github.com/momtree/mom/salt/pyfmt"
)

func TestSaltBatch(t *testing.T) {
	tr := momtest.Shared(t)
	// One after the other, so that the order is known.
	got := tr.Run(Command(), "top", "web*", "cmd.run", "exit 2", "-b", "1", "-l", "quiet")
	want := momtest.Ended(2, "\nExecuting run on ['web-01']\n\nweb-01:\n\nExecuting run on ['web-02']\n\nweb-02:\n", "")
	if d := cmp.Diff(want.String(), got.String()); d != "" {
		t.Errorf("rounds of one:\n%s", d)
	}
	got = tr.Run(Command(), "top", "web*", "cmd.run", "exit 2", "-b", "1", "--failhard")
	want = momtest.Ended(2, "\nExecuting run on ['web-01']\n\nweb-01:\n", "[ERROR   ] Minion web-01 returned with non-zero exit code. Batch run stopped due to failhard\n")
	if d := cmp.Diff(want.String(), got.String()); d != "" {
		t.Errorf("failhard:\n%s", d)
	}
	got = tr.Run(Command(), "top", "*", "test.ping", "-b", "50%", "--static", "--out=json", "--out-indent=-1")
	want = momtest.Ended(0, "{\"db-01\": true, \"top-01\": true, \"web-01\": true, \"web-02\": true}\n", "")
	if d := cmp.Diff(want.String(), got.String()); d != "" {
		t.Errorf("static:\n%s", d)
	}
	got = tr.Run(Command(), "top", "web*", "test.ping", "-b", "2", "--out=json", "--show-jid")
	results, isRound := strings.CutPrefix(got.Out, "\nExecuting run on ['web-01', 'web-02']\n\n")
	if got.Code != 0 || !isRound || !strings.HasPrefix(got.Err, "jid: 2") {
		t.Errorf("the round beside json: %v", got)
	}
	docs := 0
	for dec := json.NewDecoder(strings.NewReader(results)); dec.More(); docs++ {
		var doc map[string]any
		if err := dec.Decode(&doc); err != nil || len(doc) != 3 || doc["retcode"] != 0.0 || !strings.HasPrefix(fmt.Sprint(doc["jid"]), "2") {
			t.Fatalf("%v: %v", err, doc)
		}
	}
	if docs != 2 {
		t.Errorf("%d documents: %v", docs, got)
	}
	if got := tr.Run(Command(), "top", "-L", "web-01,web-02,top-01", "test.ping", "-b", "1", "--batch-wait=0.1", "--out=txt"); got.Code != 0 ||
		strings.Count(got.Out, "Executing run on") != 3 || strings.Count(got.Out, ": True\n") != 3 {
		t.Errorf("with a wait: %v", got)
	}
	if got := tr.Run(Command(), "top", "nosuch*", "test.ping", "-b", "1"); got.Code != 2 || !strings.HasPrefix(got.Out, "No minions matched the target.") {
		t.Errorf("nobody: %v", got)
	}
	if got := tr.Run(Command(), "top", "-L", "web-01,ghost", "test.ping", "-b", "1"); got.Code != 1 ||
		!strings.HasPrefix(got.Out, "Minion ghost did not respond. No job will be sent.\n") || !strings.HasSuffix(got.Out, "ghost:\n    Minion did not return. [No such minion]\n") {
		t.Errorf("a ghost: %v", got)
	}
	got = tr.Run(Command(), "top", "-s", "web*", "cmd.run", "head -c 2000000 /dev/zero | tr '\\0' x", "-b", "1", "--out=newline_values_only")
	if lines := strings.Fields(got.Out); got.Code != 0 || len(lines) != 2 || len(lines[0]) != 2000000 || len(lines[1]) != 2000000 {
		t.Errorf("large results: exit %d, %d bytes, %s", got.Code, len(got.Out), got.Err)
	}
}

// With --async the master drives the batch: the command does not wait for it.
func TestSaltBatchAsync(t *testing.T) {
	tr := momtest.Shared(t)
	for line, want := range map[string]string{
		"-b 1 --async": `^Executed batch command with job ID: (\d{20})\n$`,
		"--batch-safe-limit=2 --batch-safe-size=1 --async":     `^\nNOTICE: Too many minions targeted, switching to batch execution.\nExecuted batch command with job ID: (\d{20})\n$`,
		"-b 50% --async --failhard --batch-wait=0.1 --out=txt": `^Executed batch command with job ID: (\d{20})\n$`,
	} {
		got := tr.Run(Command(), "top", append([]string{"web*", "test.ping"}, shellWords(t, line)...)...)
		m := regexp.MustCompile(want).FindStringSubmatch(got.Out)
		if got.Code != 0 || m == nil {
			t.Errorf("%s: %v", line, got)
			continue
		}
		status := awaitBatch(t, tr, m[1])
		if status["completed"] != 2.0 || status["failed"] != 0.0 || status["tgt"] != "web*" || status["fun"] != "test.ping" {
			t.Errorf("%s ended as %v", line, status)
		}
	}
	got := tr.Run(Command(), "top", "-L", "web-01,ghost", "test.ping", "-b", "1", "--async")
	if got.Code != 0 || !strings.HasPrefix(got.Out, "Minion ghost did not respond. No job will be sent.\nExecuted batch command with job ID: ") {
		t.Errorf("a ghost: %v", got)
	}
	if got := tr.Run(Command(), "top", "nosuch*", "test.ping", "-b", "1", "--async"); got.Code != 2 || !strings.HasPrefix(got.Out, "No minions matched the target.") {
		t.Errorf("nobody: %v", got)
	}
}

// awaitBatch waits for the end of a batch and gives its status.
func awaitBatch(t *testing.T, tr *momtest.Tree, jid string) (status map[string]any) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		got := tr.Run(saltrun.Command(), "top", "batch.status", jid, "--out=json")
		if err := json.Unmarshal([]byte(got.Out), &status); err != nil {
			t.Fatalf("%v: %v", err, got)
		}
		if status["active"] == 0.0 && status["pending"] == 0.0 {
			return status
		}
		if time.Now().After(deadline) {
			t.Fatalf("batch %s goes on: %v", jid, status)
		}
	}
}

// A job on too many minions becomes a batch, whatever else the line says.
func TestSaltBatchSafeLimit(t *testing.T) {
	tr := momtest.Shared(t)
	const notice = "\nNOTICE: Too many minions targeted, switching to batch execution.\n"
	const rounds = "\nExecuting run on ['web-01']\n\nweb-01: True\n\nExecuting run on ['web-02']\n\nweb-02: True\n"
	for _, c := range []struct{ line, out string }{
		{"--batch-safe-limit=2 --batch-safe-size=1", notice + rounds},
		{"--batch-safe-limit=2 --batch-safe-size=50%", notice + rounds},
		{"--batch-safe-limit=2", notice + "\nExecuting run on ['web-01', 'web-02']\n\nweb-01: True\nweb-02: True\n"},
		{"--batch-safe-limit=3 --batch-safe-size=1", "web-01: True\nweb-02: True\n"},
		{"--batch-safe-limit=1 --batch-safe-size=1", "web-01: True\nweb-02: True\n"}, // as in Salt
		{"--batch-safe-limit=2 -b 1", rounds},
		{"-b ' 50%' --failhard", rounds},
		{"--failhard --batch-wait=1", "web-01: True\nweb-02: True\n"}, // mean nothing alone
	} {
		words := append([]string{"web*", "test.ping", "--out=txt"}, shellWords(t, c.line)...)
		got := tr.Run(Command(), "top", words...)
		out := got.Out
		if !strings.Contains(out, "Executing") || strings.Contains(out, "'web-01', 'web-02'") {
			out = sortedLines(out)
		}
		want := c.out
		if out != got.Out {
			want = sortedLines(want)
		}
		if got.Code != 0 || out != want {
			t.Errorf("%s: exit %d, %q, %q; want %q", c.line, got.Code, got.Out, got.Err, c.out)
		}
	}
	if got := tr.Run(Command(), "top", "web*", "test.ping", "--batch-safe-limit=2", "--queue=1m"); got.Code == 0 || !strings.Contains(got.Err, "batch_safe_limit is 2") {
		t.Errorf("with a queue: %v", got)
	}
	if got := tr.Run(Command(), "top", "nosuch*", "test.ping", "--batch-safe-limit=2"); got.Code != 2 || !strings.HasPrefix(got.Out, "No minions matched the target.") {
		t.Errorf("nobody: %v", got)
	}
}

// shellWords splits a line of the tables of these tests.
func shellWords(t *testing.T, line string) []string {
	t.Helper()
	words, err := pyfmt.SplitCommand(line)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// sortedLines orders lines whose order is chance.
func sortedLines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func TestSaltSubset(t *testing.T) {
	tr := momtest.Shared(t)
	got := tr.Run(Command(), "top", "*", "test.ping,cmd.run", ",", "echo x", "--subset=2", "-s", "--out=json", "--show-jid")
	var results map[string]any
	if err := json.Unmarshal([]byte(got.Out), &results); err != nil || len(results) != 2 || got.Code != 0 || strings.Count(got.Err, "jid: ") != 1 {
		t.Errorf("%v: %v", err, got)
	}
	if got := tr.Run(Command(), "top", "-G", "id|web-01", "--delimiter=|", "test.ping", "--subset=5", "-b", "1", "--out=txt"); got.Code != 0 || !strings.HasSuffix(got.Out, "\nweb-01: True\n") {
		t.Errorf("with a batch: %v", got)
	}
	if got := tr.Run(Command(), "top", "*", "no.such", "--subset=2"); got.Code != 2 || !strings.HasPrefix(got.Out, "No minions matched the target.") {
		t.Errorf("an unknown function: %v", got)
	}
	got = tr.Run(Command(), "top", "*", "test.ping", "--subset=1", "--async")
	if got.Code != 0 || !momtest.JID.MatchString(got.Out) {
		t.Errorf("async: %v", got)
	}
}

func TestSaltInconsistent(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-b 1 -d", "--batch and --doc exclude each other"},
		{"-b 0", "Invalid batch data sent: 0\nData must be in the form of %10, 10% or 3"},
		{"-b abc", "Invalid batch data sent: abc"},
		{"-b 1 --batch-wait nan", "--subset and --batch-wait take numbers"},
		{"--subset -1", "--subset and --batch-wait take numbers"},
		{"--subset x", "option --subset: invalid integer value: 'x'"},
	} {
		got := momtest.Run(Command(), "", slices.Concat([]string{"*", "test.ping"}, strings.Fields(c.args))...)
		if got.Code != 64 || got.Out != "" || !strings.HasPrefix(got.Err, saltUsage+c.want) {
			t.Errorf("%s: %v", c.args, got)
		}
	}
}

// A waiting command's batch is shown by the runners of the master, and stopped by one of them.
func TestSaltBatch_ShownAndStopped(t *testing.T) {
	tr := momtest.Shared(t)
	ended := make(chan momtest.Ran, 1)
	gate := filepath.Join(t.TempDir(), "open")
	go func() {
		ended <- tr.Run(Command(), "top", "web*", "cmd.run", "while ! test -e "+gate+"; do sleep 0.05; done", "-b", "1", "--out=txt")
	}()
	var active []map[string]any
	waiting.Until(t, "the batch is shown", func() bool {
		got := tr.Run(saltrun.Command(), "top", "batch.list_active", "--out=json")
		return json.Unmarshal([]byte(got.Out), &active) == nil && len(active) == 1
	})
	jid := fmt.Sprint(active[0]["jid"])
	if a := active[0]; a["driver"] != "cli" || a["active"] != 1.0 || a["pending"] != 1.0 || a["tgt"] != "web*" || a["fun"] != "cmd.run" || a["batch_size"] != 1.0 {
		t.Errorf("shown as %v", a)
	}
	if got := tr.Run(saltrun.Command(), "top", "batch.stop", jid, "--out=json"); strings.TrimSpace(got.Out) != "true" {
		t.Errorf("batch.stop: %v", got)
	}
	var status map[string]any
	shown := func() bool {
		out := tr.Run(saltrun.Command(), "top", "batch.status", jid, "--out=json")
		return json.Unmarshal([]byte(out.Out), &status) == nil
	}
	// The master notes when it stopped the batch, and the command reports the state that it has.
	waiting.Until(t, "the command knows", func() bool {
		return shown() && status["halted"] == true && status["last_progress"] == active[0]["last_progress"]
	})
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got := <-ended
	if strings.Contains(got.Out, "web-02") || !strings.Contains(got.Err, "batch stopped, no further minion starts") {
		t.Errorf("the command: %v", got)
	}
	waiting.Until(t, "the end is shown", func() bool { return shown() && status["completed"] == 1.0 })
	if status["halted_reason"] != "stop" || status["pending"] != 1.0 {
		t.Errorf("ended as %v", status)
	}
	if got := tr.Run(saltrun.Command(), "top", "batch.list_active", "--out=json"); strings.TrimSpace(got.Out) != "[]" {
		t.Errorf("still listed: %v", got)
	}
}
