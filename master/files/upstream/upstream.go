package upstream

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/master/above"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/value"
)

func init() { files.Register("upstream", open) }

const (
	// keptAnswers limits the cached answers about files, including missing ones, of about 400 bytes
	// each.
	keptAnswers = 50_000
	// maxKey limits the length of the strings in a cache key, in bytes.
	maxKey = 200
	// keptLists limits the environments whose lists are cached for times without the parent.
	keptLists = 32
	// awayFor is the time without an answer after which the parent counts as unreachable.
	awayFor = 10 * time.Second
	// patience limits one request, which several callers may wait for.
	patience = time.Minute
)

// asker sends requests to the parent.
type asker interface {
	Call(ctx context.Context, load *value.Map) (any, error)
}

type backend struct {
	above  asker
	copies *files.Copies
	check  time.Duration
	log    *slog.Logger
	now    func() time.Time
	away   logs.Throttle[string]

	awaySince atomic.Int64 // time of the last unanswered request; 0 after an answer

	group   singleflight.Group
	answers *lru.Map[string, answer]
	lists   *lru.Map[string, answer]
}

// answer is an answer of the parent and the time it arrived.
type answer struct {
	val any
	at  time.Time
}

func open(e files.Env) (files.Backend, error) {
	store, err := e.Copies()
	if err != nil {
		return nil, err
	}
	return newBackend(e, e.Above, store), nil
}

func newBackend(e files.Env, a asker, store *files.Copies) *backend {
	return &backend{
		above: a, copies: store, check: e.Config.UpstreamCheck, log: e.Log, now: e.Now,
		answers: lru.New[string, answer](keptAnswers), lists: lru.New[string, answer](keptLists),
	}
}

// isAway reports whether a request went unanswered for awayFor. Callers with a cached answer need
// not wait that long again.
func (b *backend) isAway() bool {
	since := b.awaySince.Load()
	age := b.now().UnixNano() - since
	return since != 0 && age >= 0 && age < int64(awayFor)
}

// ask returns an answer of the parent: a cached one younger than upstream_check, a new one, or the
// last one while no parent answers. read checks and decodes an answer.
func (b *backend) ask(ctx context.Context, in *lru.Map[string, answer], key string, load *value.Map, read func(v any) (any, error)) (any, error) {
	if v, ok := b.known(in, key); ok {
		return v, nil
	}
	done := b.group.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		return b.question(ctx, in, key, load, read)
	})
	select {
	case r := <-done:
		return r.Val, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// known returns a cached answer that is still valid.
func (b *backend) known(in *lru.Map[string, answer], key string) (any, bool) {
	a, ok := in.Get(key)
	if !ok {
		return nil, false
	}
	age := b.now().Sub(a.at)
	return a.val, age >= 0 && age < b.check || b.isAway()
}

// question sends the request that all concurrent callers share.
func (b *backend) question(ctx context.Context, in *lru.Map[string, answer], key string, load *value.Map, read func(v any) (any, error)) (any, error) {
	// Another request may have stored the answer meanwhile.
	//mutant:files-upstream-overtaken
	if v, ok := b.known(in, key); ok {
		return v, nil
	}
	at := b.now()
	v, err := b.above.Call(ctx, load)
	if err == nil {
		b.awaySince.Store(0)
		if v, err = read(v); err == nil {
			//mutant:files-upstream-once
			in.Add(key, answer{v, at})
			return v, nil
		}
	}
	if errors.Is(err, above.ErrAway) {
		b.awaySince.Store(b.now().UnixNano())
	}
	if a, ok := in.Get(key); ok && errors.Is(err, above.ErrAway) {
		if n := b.away.Note("", b.now()); n > 0 {
			b.log.Warn("parent unreachable for files, serving cached answers", "err", err, "times", n)
		}
		return a.val, nil
	}
	return nil, err
}

// Envs asks the parent for its environments.
func (b *backend) Envs(ctx context.Context) ([]string, error) {
	v, err := b.ask(ctx, b.answers, "envs", value.NewMap("cmd", "_file_envs"), readTexts)
	if err != nil {
		return nil, err
	}
	return v.([]string), nil
}

// info is the parent's answer about a file.
type info struct {
	sum  files.Sum
	stat []int64
}

// Find asks the parent for hash and stat of a file.
func (b *backend) Find(ctx context.Context, env string, p files.Path) (*files.File, error) {
	path := p.Rel
	if strings.Contains(path, "?") || path[0] == '|' {
		path = "|" + path
		if p.Index >= 0 {
			return nil, fs.ErrNotExist // it cannot be said in one path
		}
	} else if p.Index >= 0 {
		path += "?index=" + strconv.Itoa(p.Index)
	}
	key := short("file\x00" + env + "\x00" + path)
	v, err := b.ask(ctx, b.answers, key, value.NewMap("cmd", "_file_hash_and_stat", "path", path, "saltenv", env), readInfo)
	if err != nil {
		return nil, err
	}
	i, ok := v.(info)
	if !ok {
		return nil, fmt.Errorf("salt://%s in %s: %w", p.Rel, env, fs.ErrNotExist)
	}
	f := &files.File{
		Path: "salt://" + p.Rel, Rel: p.Rel, Stat: i.stat, Size: -1, Key: i.sum.Type + ":" + i.sum.Hex, HashType: i.sum.Type, Sum: i.sum.Hex,
	}
	if i.stat != nil {
		f.Size = i.stat[6]
	}
	f.Open = func(ctx context.Context) (files.Content, error) { return b.content(ctx, env, path, key, i.sum, f.Size) }
	if f.Size < 0 { // it has to be here to be known
		c, err := b.content(ctx, env, path, key, i.sum, -1)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		at, err := c.Seek(0, io.SeekEnd)
		if err != nil {
			return nil, err
		}
		f.Size = at
	}
	return f, nil
}

// List asks the master above for the lists of an environment.
func (b *backend) List(ctx context.Context, env string) (*files.List, error) {
	out := &files.List{Links: map[string]string{}}
	for _, q := range []struct {
		cmd  string
		into *[]string
	}{{"_file_list", &out.Files}, {"_dir_list", &out.Dirs}, {"_file_list_emptydirs", &out.EmptyDirs}} {
		v, err := b.ask(ctx, b.lists, q.cmd+"\x00"+env, value.NewMap("cmd", q.cmd, "saltenv", env, "prefix", ""), readTexts)
		if err != nil {
			return nil, err
		}
		*q.into = v.([]string)
	}
	v, err := b.ask(ctx, b.lists, "_symlink_list\x00"+env, value.NewMap("cmd", "_symlink_list", "saltenv", env, "prefix", ""), readLinks)
	if err != nil {
		return nil, err
	}
	out.Links = v.(map[string]string)
	return out, nil
}

// ClearCache forgets the copies, and what the master above has said.
func (b *backend) ClearCache(context.Context) error {
	b.answers.Purge()
	b.lists.Purge()
	return b.copies.Clear()
}

// unread says that the master above has answered something else than its commands do.
func unread(v any) error { return fmt.Errorf("the master above answered %.80v", value.Plain(v)) }

// short is what a question is known by: minions ask for paths of any length, and what is said
// of them is remembered.
func short(key string) string {
	//mutant:files-upstream-long-names
	if len(key) <= maxKey {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return string(sum[:])
}
