package functions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("file",
		Function{Name: "cached", Run: fileCached, Spec: states.Spec{Args: args(onlyName, "source_hash", "", "source_hash_name", nil,
			"skip_verify", false, "saltenv", "base", "use_etag", false)}, Doc: `
Caches a file (a salt:// or http address) on the minion.

source_hash, source_hash_name, skip_verify, use_etag
    A source by http needs its hash (TYPE=HEX, or a file with hashes),
    skip_verify or use_etag.
saltenv : base
    The environment of the file.
`},
		Function{Name: "not_cached", Run: fileNotCached, Spec: states.Spec{Args: args(onlyName, "saltenv", "base")}, Doc: `
Removes a file (a salt:// or http address) from the cache of the minion.

saltenv : base
    The environment of the file.
`},
	)
}

// localPath returns the path of a file of this host, "" for an address.
func localPath(name string) string {
	scheme := schemeOf(name)
	if scheme != "" && scheme != "file" {
		return ""
	}
	path := expand(strings.TrimPrefix(name, "file://"))
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// sum is the expected hash of a file; hex is "" if not given.
type sum struct{ kind, hex string }

func fileCached(ctx context.Context, c *Call) (*states.Result, error) {
	name := c.Name()
	verify := !c.Truth("skip_verify")
	scheme := schemeOf(name)
	if verify && !c.Truth("source_hash") && !c.Truth("use_etag") && scheme != "" && scheme != "file" && scheme != "salt" {
		return bad(name, "Unable to verify upstream hash of source file %s, please set source_hash or set skip_verify or use_etag to True",
			fileclient.Redact(name)), nil
	}
	want := sum{kind: pystr(c.Env.Option("hash_type"))}
	if c.Truth("source_hash") {
		kind, hex, err := c.sourceSum(ctx, name, c.Str("source_hash"))
		if err != nil {
			return bad(name, "%s", err.Error()), ctx.Err()
		}
		want = sum{kind, hex}
	}
	if c.Test {
		return c.wouldCache(name, want)
	}
	if !verify {
		want.hex = ""
	}
	if path := localPath(name); path != "" {
		return localCached(name, path, want)
	}
	return c.cache(ctx, name, want)
}

// wouldCache returns the result of a test run, which in Salt is always None.
func (c *Call) wouldCache(name string, want sum) (*states.Result, error) {
	res := &states.Result{Name: name, Changes: value.NewMap(), Comment: "File will be cached: " + name}
	if localPath(name) != "" {
		return res, nil
	}
	path, err := c.Env.Files().Cached(name, c.Saltenv)
	switch {
	case err != nil:
		return bad(name, "%s", err.Error()), nil
	case path == "":
		return res, nil
	case want.hex == "":
		res.Comment = "No hash found. File will be cached: " + name
		return res, nil
	}
	is, err := hashOf(path, pystr(c.Env.Option("hash_type")))
	if err != nil {
		return nil, err
	}
	if res.Comment = "File already cached: " + name; is != want.hex {
		res.Comment = "Hashes don't match.\nFile will be cached: " + name
	}
	return res, nil
}

// localCached checks a file of this host, which needs no cache.
func localCached(name, path string, want sum) (*states.Result, error) {
	switch {
	case !exists(path):
		return bad(name, "File %s is not present on the minion", path), nil
	case want.hex == "":
		return good(name, fmt.Sprintf("File %s is present on the minion", path)), nil
	}
	is, err := hashOf(path, want.kind)
	if err != nil {
		return nil, err
	}
	if is == want.hex {
		return good(name, fmt.Sprintf("File %s is present on the minion and has hash %s", path, is)), nil
	}
	return bad(name, "File %s is present on the minion, but the hash (%s) does not match the specified hash (%s)", path, is, want.hex), nil
}

// cache fetches a file into the cache.
func (c *Call) cache(ctx context.Context, name string, want sum) (*states.Result, error) {
	var before any
	files := c.Env.Files()
	if path, err := files.Cached(name, c.Saltenv); err == nil && path != "" {
		if before, err = hashOf(path, want.kind); err != nil {
			return nil, err
		}
	}
	w := c.want()
	if want.hex != "" {
		w.SourceHash = want.kind + "=" + want.hex
	}
	path, err := files.Cache(ctx, name, w)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return bad(name, "Failed to cache %s, check minion log for more information", fileclient.Redact(name)), nil
	case err != nil:
		return bad(name, "%s", fileclient.Redact(err.Error())), nil
	}
	after, err := hashOf(path, want.kind)
	if err != nil {
		return nil, err
	}
	res := good(name, fmt.Sprintf("File is cached to %s", path))
	if before != after {
		res.Changes.Set("hash", value.NewMap("old", before, "new", after))
	}
	switch {
	case want.hex == "":
	case after == want.hex:
		res.Comment = fmt.Sprintf("File is already cached to %s with hash %s", path, after)
	default:
		res.Result = false
		res.Comment = fmt.Sprintf("File is cached to %s, but the hash (%s) does not match the specified hash (%s)", path, after, want.hex)
	}
	return res, nil
}

func fileNotCached(_ context.Context, c *Call) (*states.Result, error) {
	name := c.Name()
	if path := localPath(name); path != "" {
		return good(name, fmt.Sprintf("File %s is a local path, no action taken", path)), nil
	}
	path, err := c.Env.Files().Cached(name, c.Saltenv)
	switch {
	case err != nil:
		return bad(name, "%s", err.Error()), nil
	case path == "":
		return good(name, fmt.Sprintf("%s is not cached", name)), nil
	}
	if err := os.Remove(path); err != nil {
		return bad(name, "Failed to delete %s: %s", path, osError(err)), nil
	}
	res := good(name, path+" was deleted")
	res.Changes.Set("deleted", true)
	return res, nil
}
