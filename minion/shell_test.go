package minion

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/value"
)

// The functions of a job, of a job of several functions and of a schedule have a shell, as in
// Salt; functions called by a job's states and by the mine have none.
func TestShell_OfJobsAndSchedules(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	made := filepath.Join(t.TempDir(), "made")
	cfg.Schedule = map[string]any{"o": map[string]any{
		"function": "cmd.run", "args": []any{"echo x | cat > " + made}, "hours": int64(2), "run_on_start": true,
	}}
	start(t, cfg)
	m.AwaitSubscribers(t, 1)
	returned := func(job *value.Map) any {
		t.Helper()
		m.Publish(job)
		v, _ := m.AwaitReturn(t, job.String("jid")).Get("return")
		return value.Plain(v)
	}
	if d := cmp.Diff(any("a"), returned(channeltest.Job(newJID(), "m1", "cmd.run", "echo a | cat"))); d != "" {
		t.Errorf("a job (-want +got):\n%s", d)
	}
	two := channeltest.Job(newJID(), "m1", "cmd.run")
	two.Set("fun", []any{"cmd.run", "test.cross_test"})
	two.Set("arg", []any{[]any{"echo a | cat"}, []any{"cmd.run", []any{"echo a | cat"}}})
	if d := cmp.Diff(any(map[string]any{"cmd.run": "a", "test.cross_test": "a | cat"}), returned(two)); d != "" {
		t.Errorf("a job of two functions (-want +got):\n%s", d)
	}
	waiting.Until(t, "the schedule's command has run", func() bool {
		b, err := os.ReadFile(made)
		return err == nil && string(b) == "x\n"
	})
}
