package tops

import (
	"os"
	"path/filepath"
	"testing"
)

// Attack: a minion whose id is an option of the ext_nodes program. The program does not run; any
// other id is its last argument.
func TestExtNodes_DashID(t *testing.T) {
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	program := filepath.Join(dir, "nodes")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\" > "+ran+"\necho 'classes: [web]'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	top, err := newExtNodes(program + " --of")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"-x", "--config=/tmp/evil", "-"} {
		if _, err := top.States(t.Context(), id); err == nil {
			t.Errorf("the program receives id %q", id)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Fatalf("the program ran for %q", id)
		}
	}
	if got, err := top.States(t.Context(), "web-1"); err != nil || len(got["base"]) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}
