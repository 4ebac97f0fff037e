package matrix

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// out returns the directory into which the states of a minion write.
func (w *world) out(k kind) string { return filepath.Join(w.dir, "out", ids[k]) }

func fileManaged(ctx context.Context, w *world) verdicts {
	got, err := w.job(ctx, "state.apply", "plain")
	return w.each(got, err, func(k kind, a answer) string {
		if said, _ := states(a.value, 1); said != "" {
			return said
		}
		return holds(filepath.Join(w.out(k), "plain.txt"), "plain text, ä and €\n")
	})
}

// formula applies the formula twice: the first run must create the files, the second must change nothing.
func formula(ctx context.Context, w *world) verdicts {
	got, err := w.job(ctx, "state.apply", "tool")
	v := w.each(got, err, func(k kind, a answer) string {
		if said, changed := states(a.value, 4); said != "" || changed != 4 {
			return fmt.Sprintf("%d states changed something, want 4; %s", changed, said)
		}
		for file, want := range map[string]string{
			"tool.conf": fmt.Sprintf("# %s of %s\nport = 8443\nflavour = linux\nuser = ANN\nuser = BOB\n", ids[k], w.low.ID),
			"users":     "ann\nbob\n",
			"count":     "2\n",
		} {
			if said := holds(filepath.Join(w.out(k), "tool", file), want); said != "" {
				return said
			}
		}
		return ""
	})
	got, err = w.job(ctx, "state.apply", "tool")
	return v.and(w.each(got, err, func(_ kind, a answer) string {
		if said, changed := states(a.value, 4); said != "" || changed != 0 {
			return fmt.Sprintf("a second run: %d states changed something; %s", changed, said)
		}
		return ""
	}))
}

// states checks the return of a state run with n states. It returns what is wrong, and how many
// states changed something.
func states(v any, n int) (wrong string, changed int) {
	m, ok := v.(map[string]any)
	if !ok || len(m) != n {
		return "returns " + short(fmt.Sprint(v)), 0
	}
	for name, s := range m {
		state, _ := s.(map[string]any)
		if state["result"] != true {
			return short(fmt.Sprintf("%s: %v", name, state["comment"])), changed
		}
		if c, _ := state["changes"].(map[string]any); len(c) > 0 {
			changed++
		}
	}
	return "", changed
}

// holds returns what is wrong with the text of a file, or "".
func holds(path, want string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	if string(text) != want {
		return fmt.Sprintf("%s contains %q, want %q", filepath.Base(path), text, want)
	}
	return ""
}
