package functions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/value"
)

// source is a resolved source.
type source struct {
	path      string // on this host; "" until needed
	cached    string // path if it is in the cache, to be removed later
	kind, sum string // its hash; "" if unknown
}

// sourceError means that a source is not available. Its text is for the user.
type sourceError struct {
	msg string
	// instead returns the message for a file that does not exist yet, if the hash of the
	// source is wrong.
	instead func(name string) string
}

func (e *sourceError) Error() string { return e.msg }

func sourceErrorf(format string, a ...any) error { return &sourceError{msg: fmt.Sprintf(format, a...)} }

// schemeOf returns the scheme of an address, "" for a path of this host.
func schemeOf(source string) string {
	u, err := url.Parse(source)
	if err != nil || !strings.Contains(source, "://") {
		return ""
	}
	return strings.ToLower(u.Scheme)
}

func (c *Call) want() fileclient.Want {
	w := fileclient.Want{Saltenv: c.Saltenv}
	if c.Args.Has("verify_ssl") {
		w.SkipVerify = !c.Truth("verify_ssl")
	}
	w.ETag = c.Truth("use_etag")
	return w
}

// choose returns the first existing source if the state names several.
func (c *Call) choose(ctx context.Context, sources any, hash string) (source, sum string, err error) {
	list, ok := sources.([]any)
	if !ok {
		if sources == nil {
			return "", hash, nil
		}
		return pystr(sources), hash, nil
	}
	for _, e := range list {
		one, sum := pystr(e), hash
		if m, ok := e.(*value.Map); ok {
			if m.Len() != 1 {
				continue
			}
			k := m.Keys()[0]
			one = pystr(k)
			if v, _ := m.GetKey(k); v != nil && v != "" {
				sum = pystr(v)
			}
		}
		there, err := c.there(ctx, one)
		if err != nil {
			return "", "", err
		}
		if there {
			return one, sum, nil
		}
	}
	return "", "", sourceErrorf("none of the specified sources were found")
}

// there reports whether a source exists.
func (c *Call) there(ctx context.Context, source string) (bool, error) {
	files := c.Env.Files()
	switch schemeOf(source) {
	case "salt":
		path, env := fileclient.Split(source)
		if env == "" {
			env = c.Saltenv
		}
		for _, kind := range []fileclient.Kind{fileclient.Files, fileclient.Folders} {
			names, err := files.List(ctx, kind, env, path)
			if err != nil {
				return false, err
			}
			if slices.Contains(names, path) {
				return true, nil
			}
		}
		return false, nil
	case "":
		return strings.HasPrefix(source, "/") && exists(source), nil
	case "file":
		return exists(strings.TrimPrefix(source, "file://")), nil
	}
	_, err := files.Cache(ctx, source, c.want())
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil, nil
}

// fetch finds a source and its hash. A salt:// file is fetched only when it is needed
// ([source.file]).
func (c *Call) fetch(ctx context.Context, src, hash string) (source, error) {
	files := c.Env.Files()
	switch schemeOf(src) {
	case "salt":
		h, err := files.Hash(ctx, src, c.Saltenv)
		if errors.Is(err, fs.ErrNotExist) {
			return source{}, sourceErrorf("Source file %s not found in saltenv '%s'", src, c.Saltenv)
		}
		return source{kind: h.Type, sum: strings.ToLower(h.Sum)}, err
	case "", "file":
		path := strings.TrimPrefix(src, "file://")
		if !exists(path) {
			return source{}, sourceErrorf("Local file source %s does not exist", path)
		}
		got := source{path: path, kind: "sha256"}
		if hash != "" {
			return c.verified(ctx, got, src, hash)
		}
		sum, err := hashOf(path, "sha256")
		got.sum = sum
		return got, err
	}
	if hash == "" && !c.Truth("skip_verify") && !c.Truth("use_etag") {
		return source{}, sourceErrorf("Unable to verify upstream hash of source file %s, please set source_hash or set skip_verify to True", fileclient.Redact(src))
	}
	w := c.want()
	var kind, sum string
	if hash != "" && !c.Truth("skip_verify") {
		var err error
		if kind, sum, err = c.sourceSum(ctx, src, hash); err != nil {
			return source{}, err
		}
		w.SourceHash = kind + "=" + sum
	}
	path, err := files.Cache(ctx, src, w)
	if ctx.Err() != nil {
		return source{}, ctx.Err()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return source{}, sourceErrorf("Source file '%s' not found", fileclient.Redact(src))
	}
	if err != nil {
		return source{}, sourceErrorf("Failed to cache %s: %v", fileclient.Redact(src), err)
	}
	got := source{path: path, cached: path, kind: "sha256"}
	if kind != "" {
		got.kind = kind
	}
	if got.sum, err = hashOf(path, got.kind); err != nil {
		return source{}, err
	}
	if sum != "" && got.sum != sum {
		return got.mismatch(src, sum)
	}
	return got, nil
}

// mismatch handles a source with a wrong hash. A test run continues with the wanted hash.
func (s source) mismatch(src, want string) (source, error) {
	is := s.sum
	s.sum = want
	text := func(what string) string {
		return fmt.Sprintf("Specified %s checksum for %s (%s) does not match actual checksum (%s)", s.kind, what, want, is)
	}
	return s, &sourceError{
		msg: text(src) + ". If the 'source_hash' value refers to a remote file with multiple possible matches, " +
			"then it may be necessary to set 'source_hash_name'.",
		instead: text,
	}
}

// verified checks the hash of a file of this host.
func (c *Call) verified(ctx context.Context, got source, src, hash string) (source, error) {
	if c.Truth("skip_verify") {
		sum, err := hashOf(got.path, got.kind)
		got.sum = sum
		return got, err
	}
	kind, sum, err := c.sourceSum(ctx, src, hash)
	if err != nil {
		return source{}, err
	}
	got.kind = kind
	if got.sum, err = hashOf(got.path, kind); err != nil {
		return source{}, err
	}
	if got.sum != sum {
		return got.mismatch(src, sum)
	}
	return got, nil
}

// file returns the path of the source on this host, and fetches it if needed.
func (s *source) file(ctx context.Context, c *Call, src string) (string, error) {
	if s.path != "" {
		return s.path, nil
	}
	path, err := c.Env.Files().Cache(ctx, src, c.want())
	if errors.Is(err, fs.ErrNotExist) {
		return "", sourceErrorf("Source file '%s' not found", src)
	}
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	s.path, s.cached = path, path
	return path, nil
}
