package functions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// state runs another state function.
func (c *Call) state(ctx context.Context, fun, name string, given ...any) (*states.Result, error) {
	fn, _ := Lookup(fun)
	all := value.NewMap()
	for _, a := range fn.Args {
		all.Set(a.Name, a.Default)
	}
	value.NewMap(given...).Range(func(k, v any) bool {
		all.Set(k, v)
		return true
	})
	all.Set("name", name)
	inner := *c.Call
	inner.Fun, inner.Args, inner.Kwargs = fun, all, value.NewMap()
	return fn.Run(ctx, &Call{Call: &inner, Env: c.Env, Text: c.Text, JID: c.JID})
}

// get fetches the archive. It ends the state if the hash shows that nothing is to be done.
func (x *extracted) get(ctx context.Context) (bool, error) {
	if x.sum != "" {
		var err error
		if _, x.sum, err = x.sourceSum(ctx, x.source, x.sum); err != nil {
			return false, err
		}
	}
	if x.Truth("skip_files_list_verify") && x.sum != "" {
		path := x.source
		if !x.local {
			where, err := x.Module(ctx, "cp.is_cached", []any{x.source}, value.NewMap("saltenv", x.Saltenv))
			if err != nil {
				return false, err
			}
			path = pystr(where)
		}
		if x.keptSum(path) == x.sum {
			var verdict any = true
			if x.Test {
				verdict = nil
			}
			return x.ends(verdict, "Archive %s existing source sum is the same as the expected one and skip_files_list_verify argument was set to True. "+
				"Extraction is not needed", x.shown())
		}
	}
	if x.local {
		x.cached = x.source
		return x.changed()
	}
	if x.Test {
		return x.ends(nil, "Archive %s would be cached (if necessary) and checked to discover if extraction is needed", x.shown())
	}
	r, err := x.state(ctx, "file.cached", x.source, "source_hash", x.hashArgument(), "source_hash_name", x.Value("source_hash_name"),
		"skip_verify", x.Value("skip_verify"), "saltenv", x.Saltenv, "use_etag", x.Value("use_etag"))
	if err != nil {
		return x.ends(false, "Failed to cache %s: %v", x.shown(), err)
	}
	if r.Result != true {
		*x.r = *r
		return true, nil
	}
	where, err := x.Module(ctx, "cp.is_cached", []any{x.source}, value.NewMap("saltenv", x.Saltenv))
	if err != nil {
		return false, err
	}
	x.cached = pystr(where)
	return x.changed()
}

func (x *extracted) hashArgument() string {
	if v := x.Value("source_hash"); v != nil {
		return pystr(v)
	}
	return ""
}

// changed reports whether the hash of the archive differs from the last run, with
// source_hash_update.
func (x *extracted) changed() (bool, error) {
	if x.sum == "" || !x.Truth("source_hash_update") || x.Truth("skip_verify") {
		return false, nil
	}
	before := x.keptSum(x.cached)
	now, err := hashOf(x.cached, x.hashType())
	if err != nil {
		return false, err
	}
	x.hashed = before != "" && before != now
	if before == now {
		return false, nil
	}
	file := x.sumFile(x.cached)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return false, err
	}
	return false, os.WriteFile(file, []byte(x.hashType()+":"+now+"\n"), 0o644)
}

// hashType returns the minion option hash_type.
func (x *extracted) hashType() string {
	if v := x.Env.Option("hash_type"); v != nil && v != "" {
		return pystr(v)
	}
	return "sha256"
}

// sumFile returns the file with the saved hash of an archive.
func (x *extracted) sumFile(path string) string {
	cache := pystr(x.Env.Option("cachedir"))
	rel, err := filepath.Rel(cache, path)
	if err != nil || strings.HasPrefix(rel, "../") {
		rel = filepath.Join("local", path)
	} else {
		rel += ".hash"
	}
	return filepath.Join(cache, "archive_hash", rel)
}

// keptSum returns the hash of an archive in the last run, "" if unknown.
func (x *extracted) keptSum(path string) string {
	if path == "" {
		return ""
	}
	b, err := os.ReadFile(x.sumFile(path))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if kind, sum, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && kind == x.hashType() {
			return sum
		}
	}
	return ""
}

// forget removes a fetched archive from the cache unless it is kept.
func (x *extracted) forget(ctx context.Context) error {
	if x.local || x.keep {
		return nil
	}
	r, err := x.state(ctx, "file.not_cached", x.source, "saltenv", x.Saltenv)
	if err == nil && r.Result != true {
		x.r.Warnings = append(x.r.Warnings, r.Comment)
	}
	return err
}

// removed removes paths below the folder and reports them as changes.
func (x *extracted) removed(paths []string, about string) (bool, error) {
	var failed []string
	var gone []any
	for _, p := range paths {
		full := filepath.Join(x.name, p)
		if strings.HasSuffix(p, "/") {
			full += "/"
		}
		if !strings.HasPrefix(filepath.Clean(full), strings.TrimRight(x.name, "/")+"/") {
			failed = append(failed, full+": it is not below the folder")
			continue
		}
		_, err := os.Lstat(strings.TrimRight(full, "/"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.RemoveAll(strings.TrimRight(full, "/"))
		}
		if err != nil {
			failed = append(failed, err.Error())
			continue
		}
		gone = append(gone, full)
	}
	if gone != nil {
		x.r.Changes.Set("removed", append(x.r.Changes.List("removed"), gone...))
	}
	if failed != nil {
		return x.ends(false, "%s The following errors were observed:\n\n- %s", about, strings.Join(failed, "\n- "))
	}
	return false, nil
}
