package config

import (
	"os"
	"path/filepath"
	"testing"
)

// In startup_states, False means none, as in Salt.
func TestStartupStates(t *testing.T) {
	for text, want := range map[string]string{"''": "", "False": "", "null": "", "highstate": "highstate", "sls": "sls", "True": "true"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "minion"), []byte("id: m1\nstartup_states: "+text+"\nsls_list: [a, b]\ntop_file: x.sls\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		m, warnings, err := ReadMinion(dir)
		if err != nil || len(warnings) > 0 || m.StartupStates != want || len(m.SlsList) != 2 || m.TopFile != "x.sls" {
			t.Errorf("%s: %v, %v, %q, %q, %q", text, err, warnings, m.StartupStates, m.SlsList, m.TopFile)
		}
	}
}
