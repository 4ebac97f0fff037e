package localcluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
)

// plantStates starts three tiers of processes. Only the top has files, reactors and the right
// to read everybody's mine; all minions put their id into the mine.
func plantStates(ctx context.Context, t *testing.T) *stand {
	t.Helper()
	roots := t.TempDir()
	for name, text := range map[string]string{
		// The reaction is a job for the minion that sent the event.
		"react.sls": "again:\n  local.cmd.run:\n    - tgt: {{ data.id }}\n    - args:\n      - cmd: echo {{ data.data.word }} from {{ data.id }}\n",
		"site.sls":  "say:\n  cmd.run:\n    - name: echo site of {{ grains.id }}\n",
		"bad.sls":   "fails:\n  test.fail_without_changes:\n    - name: by order\n",
		"orch.sls": `all:
  salt.function: [{name: test.ping}, {tgt: '*'}, {expect_minions: true}]
deep:
  salt.state: [{tgt: 'db-*'}, {sls: [site]}, {require: [{salt: all}]}]
breaks:
  salt.state: [{tgt: db-02}, {sls: [bad]}, {require: [{salt: deep}]}]
after:
  salt.function: [{name: test.ping}, {tgt: db-01}, {require: [{salt: breaks}]}]
notify:
  salt.runner: [{name: event.send}, {tag: my/orchestrated}, {data: {done: true}}, {require: [{salt: deep}]}]
`,
	} {
		if err := os.WriteFile(filepath.Join(roots, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	top := fmt.Sprintf("file_roots: {base: [%s]}\nreactor: [{my/deploy: [%s]}]\n", roots, filepath.Join(roots, "react.sls"))
	below := "fileserver_backend: [roots, upstream]\nupstream_check: 1\n"
	minion := "mine_functions: {me: [{mine_function: grains.get}, id]}\n"
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	spec := staying(localcluster.Spec{ID: "top", Master: top, Minion: minion, Minions: []string{"top-01"}, Nodes: []localcluster.Spec{
		{ID: "mid", Master: below, Minion: minion, Minions: []string{"web-01"}, Nodes: []localcluster.Spec{
			{ID: "low", Master: below, Minion: minion, Minions: []string{"db-01", "db-02"}},
		}},
	}})
	if err := s.plant(ctx, t, spec); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	return s
}

// reaction makes a minion send an event and waits for the reaction's job. It returns what each
// minion returned to that job.
func (s *stand) reaction(ctx context.Context, t *testing.T, id, word string) map[string]string {
	t.Helper()
	events := s.hear(ctx, t)
	if shown, err := s.publish(ctx, client.Job{Tgt: id, Fun: []string{"event.send"}, Args: []any{"my/deploy", map[string]any{"word": word}}}); err != nil {
		t.Fatal(err, shown)
	}
	jobs := map[string]bool{} // that contain the word
	got := map[string]string{}
	for {
		e, err := events.Next(ctx)
		if err != nil {
			s.dump(t)
			t.Fatalf("the reaction to %q of %s: %v", word, id, err)
		}
		data, err := e.Data.Map()
		if err != nil {
			t.Fatal(err)
		}
		jid := data.String("jid")
		switch {
		case strings.HasPrefix(e.Tag, "salt/job/") && strings.HasSuffix(e.Tag, "/new") && data.String("fun") == "cmd.run":
			jobs[jid] = true
		case strings.HasPrefix(e.Tag, "salt/job/"+jid+"/ret/") && jobs[jid]:
			got[data.String("id")] += data.String("return")
		case strings.HasSuffix(e.Tag, "/complete") && jobs[strings.Split(e.Tag, "/")[2]]:
			if len(jobs) != 1 {
				t.Errorf("%d reactions to one event", len(jobs))
			}
			return got
		}
	}
}

// TestReactorOverThreeTiers: a minion two nodes below the top sends an event, to which the
// top's reactor reacts with a job for it: once for each event, even after the node between was
// killed and restarted.
func TestReactorOverThreeTiers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s := plantStates(ctx, t)
	for _, id := range []string{"db-01", "web-01", "top-01"} {
		if got := s.reaction(ctx, t, id, "first"); !maps.Equal(got, map[string]string{id: "first from " + id}) {
			t.Errorf("%s: %v", id, got)
		}
	}
	for _, how := range []string{"crash", "heal"} {
		if err := s.change(ctx, how, "mid"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.settle(ctx); err != nil {
		t.Fatal(err)
	}
	if got := s.reaction(ctx, t, "db-02", "second"); !maps.Equal(got, map[string]string{"db-02": "second from db-02"}) {
		t.Errorf("after the death of a node: %v", got)
	}
}

// TestOrchestrationOverThreeTiers runs an orchestration at the top whose states run on minions
// two nodes below, with files that only the top has. It waits for all; a state that fails there
// fails its step, and steps that require it do not start. If the node between is dead, the
// orchestration names the minions behind it, and does not wait for a timeout.
func TestOrchestrationOverThreeTiers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s := plantStates(ctx, t)
	steps := s.orchestrate(ctx, t)
	for step, want := range map[string]bool{"all": true, "deep": true, "breaks": false, "after": false, "notify": true} {
		if steps[step].Result != want {
			t.Errorf("%s: %+v", step, steps[step])
		}
	}
	for step, minions := range map[string][]string{"all": {"db-01", "db-02", "top-01", "web-01"}, "deep": {"db-01", "db-02"}, "breaks": {"db-02"}, "after": nil} {
		if got := steps[step].minions(); !slices.Equal(got, minions) {
			t.Errorf("%s changed %v, want %v: %s, %s", step, got, minions, steps[step].Comment, steps[step].Changes)
		}
	}
	if text := string(steps["deep"].Changes); !strings.Contains(text, "site of db-01") || !strings.Contains(text, "site of db-02") {
		t.Errorf("deep: %s", text)
	}
	if !strings.Contains(steps["after"].Comment, "requisite failed: orch.breaks") {
		t.Errorf("after: %+v", steps["after"])
	}
	if err := s.change(ctx, "crash", "mid"); err != nil {
		t.Fatal(err)
	}
	steps = s.orchestrate(ctx, t)
	if steps["all"].Result || !strings.Contains(steps["all"].Comment, "failed on minions: db-01, db-02, web-01") || !strings.Contains(string(steps["all"].Changes), `"top-01": true`) {
		t.Errorf("with the node between dead: %s, %s", steps["all"].Comment, steps["all"].Changes)
	}
}

// step is the result of a state of an orchestration.
type step struct {
	Result  bool            `json:"result"`
	Comment string          `json:"comment"`
	Changes json.RawMessage `json:"changes"`
}

// minions returns the minions in the changes, in order.
func (s step) minions() []string {
	var c struct {
		Ret map[string]json.RawMessage `json:"ret"`
	}
	if json.Unmarshal(s.Changes, &c) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(c.Ret))
}

// orchestrate runs orch.sls at the top and returns the steps by id.
func (s *stand) orchestrate(ctx context.Context, t *testing.T) map[string]step {
	t.Helper()
	v, err := s.client.Runner(ctx, "state.orchestrate", "orch")
	var failed *client.RunnerError
	if errors.As(err, &failed) { // a step failed: the steps are its value
		v = failed.Value
	} else if err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	var out struct {
		Data map[string]map[string]step `json:"data"`
	}
	if err := json.Unmarshal([]byte(v.String()), &out); err != nil || len(out.Data) != 1 {
		t.Fatalf("%v: %s", err, v)
	}
	steps := map[string]step{}
	for _, states := range out.Data {
		for key, st := range states {
			// module_|-id_|-name_|-function
			steps[strings.Split(key, "_|-")[1]] = st
		}
	}
	return steps
}

// TestMineOverThreeTiers: minions of all tiers read the mine data of all, then again while the
// node between is dead, which leaves the data that were known before.
func TestMineOverThreeTiers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s := plantStates(ctx, t)
	if shown, err := s.publish(ctx, client.Job{Tgt: "*", Fun: []string{"mine.update"}}); err != nil || !strings.Contains(shown, "missing=0") {
		t.Fatal(err, shown)
	}
	all := "{'db-01': 'db-01', 'db-02': 'db-02', 'top-01': 'top-01', 'web-01': 'web-01'}"
	ask := client.Job{Tgt: "*", Fun: []string{"mine.get"}, Args: []any{"*", "me"}}
	shown, err := s.publish(ctx, ask)
	if err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	for _, id := range []string{"db-01", "db-02", "top-01", "web-01"} {
		if !strings.Contains(shown, id+" "+all+"\n") {
			t.Errorf("%s does not see %s:\n%s", id, all, shown)
		}
	}
	if err := s.change(ctx, "crash", "low"); err != nil {
		t.Fatal(err)
	}
	if shown, err = s.publish(ctx, client.Job{Tgt: "web-01", Fun: []string{"mine.get"}, Args: []any{"*", "me"}}); err != nil || !strings.Contains(shown, "web-01 "+all+"\n") {
		t.Errorf("with the lowest node dead: %v\n%s", err, shown)
	}
}
