package runners

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/files"
	_ "github.com/momtree/mom/master/files/roots"
	"github.com/momtree/mom/value"
)

// fileStage is a stage with a file server.
type fileStage struct {
	*stage
	files *files.Server
}

func (f fileStage) Files() *files.Server { return f.files }

// TestFileserver compares the results with those of Salt's runners on the same directories.
func TestFileserver(t *testing.T) {
	dir := t.TempDir()
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, "a"), nil, 0o600), os.Mkdir(filepath.Join(dir, "d"), 0o700), os.Symlink("a", filepath.Join(dir, "l")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	c := config.DefaultMaster()
	c.FileRoots = map[string]any{"base": []any{dir}, "dev": []any{}}
	var fired []string
	c.FileserverEvents = true
	s, err := files.New(files.Options{Config: c, Log: slog.New(slog.DiscardHandler), Fire: func(tag string, d *value.Map) {
		fired = append(fired, fmt.Sprint(tag, " ", d.Bool("changed"), " ", d.String("backend")))
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, step := range []struct {
		fun  string
		args []any
		want string
	}{
		{"fileserver.envs", nil, `[]interface {}{"base", "dev"}`},
		{"fileserver.envs", []any{"-roots"}, `[]interface {}{}`},
		{"fileserver.envs", []any{nil, true}, `{roots: [base dev]}`},
		{"fileserver.file_list", nil, `[]interface {}{"a", "l"}`},
		{"fileserver.file_list", []any{"dev"}, `[]interface {}{}`},
		{"fileserver.dir_list", []any{"base", "roots"}, `[]interface {}{"d"}`},
		{"fileserver.empty_dir_list", nil, `[]interface {}{"d"}`},
		{"fileserver.symlink_list", nil, `{l: a}`},
		{"fileserver.update", nil, `true`},
		{"fileserver.clear_cache", nil, `"No cache was cleared"`},
		{"fileserver.clear_file_list_cache", []any{"base,none"}, `{roots: [base]}`},
		{"fileserver.clear_file_list_cache", []any{"base"}, `{}`},
	} {
		v, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: step.fun, Args: step.args, Kwargs: value.NewMap()}), Env: fileStage{&stage{}, s}})
		if err != nil {
			t.Errorf("%s: %v", step.fun, err)
			continue
		}
		got := fmt.Sprintf("%#v", v)
		if m, ok := v.(*value.Map); ok {
			var parts []string
			m.Range(func(k, e any) bool {
				parts = append(parts, fmt.Sprint(k, ": ", e))
				return true
			})
			got = "{" + strings.Join(parts, ", ") + "}"
		}
		if got != step.want {
			t.Errorf("%s%v: %s, want %s", step.fun, step.args, got, step.want)
		}
	}
	if got := fmt.Sprint(fired); got != "[salt/fileserver/roots/update false roots]" {
		t.Errorf("fired %s", got)
	}
	if _, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: "fileserver.envs", Kwargs: value.NewMap()}), Env: &stage{}}); err == nil {
		t.Error("no error without a file server")
	}
}
