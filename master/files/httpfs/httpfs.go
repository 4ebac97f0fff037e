// Package httpfs is a backend of the file server that serves files of web servers, each with a
// given hash: {ENV: {PATH: {url: URL, sha256: HEX}}} in httpfs_files.
//
// A file is fetched by https on the first request, and stored by its hash (master/files/copies).
// Content with another hash is neither served nor stored. So minions get large files, such as
// archives, without access to the web server, and only the operator decides what they get.
package httpfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"time"

	"github.com/momtree/mom/master/files"
)

func init() { files.Register("httpfs", open, "http") }

const (
	// patience limits one download, connectPatience the wait for its first byte.
	patience        = 30 * time.Minute
	connectPatience = 30 * time.Second
	maxRedirects    = 5
)

// source is the origin of a file.
type source struct {
	url *url.URL
	sum files.Sum
}

type backend struct {
	envs   map[string]map[string]source
	lists  map[string]*files.List
	copies *files.Copies
	client *http.Client
}

func open(e files.Env) (files.Backend, error) {
	envs, err := read(e.Config.HttpfsFiles)
	if err != nil {
		return nil, err
	}
	store, err := e.Copies()
	if err != nil {
		return nil, err
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout, t.TLSHandshakeTimeout = connectPatience, connectPatience
	return newBackend(envs, store, t), nil
}

func newBackend(envs map[string]map[string]source, store *files.Copies, t http.RoundTripper) *backend {
	b := &backend{envs: envs, lists: map[string]*files.List{}, copies: store}
	b.client = &http.Client{Transport: t, Timeout: patience, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return secure(r.URL)
	}}
	for env, of := range envs {
		l := &files.List{Files: slices.Sorted(maps.Keys(of)), Links: map[string]string{}}
		dirs := map[string]bool{}
		for _, f := range l.Files {
			for d := path.Dir(f); d != "."; d = path.Dir(d) {
				dirs[d] = true
			}
		}
		l.Dirs = slices.Sorted(maps.Keys(dirs))
		b.lists[env] = l
	}
	return b
}

// secure refuses URLs whose content others could change in transit.
func secure(u *url.URL) error {
	//mutant:files-http-plain
	if u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%s is not an https address", u.Redacted())
	}
	return nil
}

// Envs lists the environments that httpfs_files names.
func (b *backend) Envs(context.Context) ([]string, error) {
	return slices.Sorted(maps.Keys(b.envs)), nil
}

// List lists the files that httpfs_files names.
func (b *backend) List(_ context.Context, env string) (*files.List, error) {
	l, ok := b.lists[env]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return l, nil
}

// Find finds a file, and fetches it if there is no copy.
func (b *backend) Find(ctx context.Context, env string, p files.Path) (*files.File, error) {
	s, ok := b.envs[env][p.Rel]
	if !ok || p.Index > 0 {
		return nil, fs.ErrNotExist
	}
	open := func(ctx context.Context) (files.Content, error) {
		f, err := b.copies.Get(ctx, s.sum, -1, func(ctx context.Context, w io.Writer) error { return b.fetch(ctx, s.url, w) })
		if err != nil {
			return nil, fmt.Errorf("fetch %s: %w", s.url.Redacted(), err)
		}
		return f, nil
	}
	c, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	info, err := c.(fs.File).Stat()
	if err != nil {
		return nil, err
	}
	const regular = 0o100644
	at := info.ModTime().Unix()
	return &files.File{
		Path: s.url.Redacted(), Rel: p.Rel, Size: info.Size(), Key: s.sum.Type + ":" + s.sum.Hex, HashType: s.sum.Type, Sum: s.sum.Hex, Open: open,
		Stat: []int64{regular, 0, 0, 1, 0, 0, info.Size(), at, at, at},
	}, nil
}

// fetch downloads a file.
func (b *backend) fetch(ctx context.Context, from *url.URL, w io.Writer) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return err
	}
	resp, err := b.client.Do(r)
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err // without the URL, which may contain a password
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	_, err = io.Copy(w, resp.Body)
	return err
}

// ClearCache removes the copies.
func (b *backend) ClearCache(context.Context) error { return b.copies.Clear() }
