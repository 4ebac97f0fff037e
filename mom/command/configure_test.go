package command_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/options"
)

type file map[string]any

func (f file) Get(name string) (any, bool) { v, ok := f[name]; return v, ok }

// TestConfigure checks that the configuration applies unless the command line says otherwise.
func TestConfigure(t *testing.T) {
	theme := filepath.Join(t.TempDir(), "theme")
	if err := os.WriteFile(theme, []byte("RED: '0;35'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	delim, yes := "  ", false
	for _, c := range []struct {
		name  string
		line  string
		conf  file
		want  output.Options
		warns string
	}{
		{"nothing", "", file{}, output.Options{}, ""},
		{
			"the file", "",
			file{"state_output": "terse", "state_verbose": false, "state_output_profile": false, "state_output_pct": true, "state_compress_ids": true, "state_tabular": "true", "state_output_exclude": "True,None", "out.table.delim": delim, "out.table.separate_rows": yes, "color_theme": theme},
			output.Options{
				States: output.States{Output: "terse", Brief: true, NoTimes: true, Percent: true, CompressIDs: true, Exclude: []string{"True", "None"}, Tabular: output.Aligned},
				Table:  output.TableForm{Delim: &delim, SeparateRows: &yes}, Theme: output.Theme{"RED": "0;35"},
			},
			"",
		},
		{"the line", "--state-output=mixed_id --state-verbose=True --output-diff", file{"state_output": "terse", "state_verbose": false}, output.Options{States: output.States{Output: "mixed_id", Diff: true}}, ""},
		{"in colours wherever it goes", "", file{"color": "true"}, output.Options{Color: true}, ""},
		{"the line has none", "--no-color", file{"color": "true"}, output.Options{}, ""},
		{"never in colours", "", file{"color": "false"}, output.Options{}, ""},
		{"the line has some", "--force-color", file{"color": "false"}, output.Options{Color: true}, ""},
		{"no outputter", "", file{"output": "dson"}, output.Options{}, "unknown outputter ignored"},
		{"no theme", "", file{"color_theme": filepath.Join(theme, "none")}, output.Options{}, "output theme ignored, using Salt's colours"},
		{"no form", "", file{"state_tabular": "{9}"}, output.Options{}, "state_output shown in Salt's form"},
	} {
		var f command.Output
		var s options.Set
		f.Register(&s)
		if _, err := s.Parse(strings.Fields(c.line)); err != nil {
			t.Fatal(err)
		}
		var logged bytes.Buffer
		f.Configure(c.conf, slog.New(slog.NewTextHandler(&logged, nil)))
		if d := cmp.Diff(c.want, f.Options(&bytes.Buffer{}), cmp.AllowUnexported(output.Tabular{})); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		if !strings.Contains(logged.String(), c.warns) || c.warns == "" && logged.Len() > 0 {
			t.Errorf("%s: logged %q", c.name, logged.String())
		}
	}
}

// The configuration sets the form and the file of results unless the command line does.
func TestConfigureOutput(t *testing.T) {
	for _, c := range []struct{ line, output, file, want, to string }{
		{"", "json", "/tmp/x", "json", "/tmp/x"},
		{"--out=txt --out-file=/tmp/y", "json", "/tmp/x", "txt", "/tmp/y"},
		{"", "text", "", "txt", ""},
		{"", "highstate", "", "", ""},
		{"", "", "", "", ""},
	} {
		var f command.Output
		var s options.Set
		f.Register(&s)
		if _, err := s.Parse(strings.Fields(c.line)); err != nil {
			t.Fatal(err)
		}
		f.Configure(file{"output": c.output, "output_file": c.file}, slog.New(slog.DiscardHandler))
		if f.Outputter != c.want || f.File != c.to {
			t.Errorf("%+v: %q to %q", c, f.Outputter, f.File)
		}
	}
}
