package saltcp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// errNobody is returned for a target that matches no minion.
var errNobody = errors.New("No minions matched the target.")

// errLocal marks errors of a local file.
var errLocal = errors.New("read the file")

// results holds the result of each file at each minion, by minion id and path there: true, or a
// text.
type results map[string]map[string]any

func (r results) put(id, path string, v any) {
	if r[id] == nil {
		r[id] = map[string]any{}
	}
	r[id][path] = v
}

// good reports whether all files were copied.
func (r results) good() bool {
	for _, files := range r {
		for _, v := range files {
			if v != true {
				return false
			}
		}
	}
	return true
}

// value returns the results for output.
func (r results) value() *value.Map {
	m := value.NewMap()
	for _, id := range slices.Sorted(maps.Keys(r)) {
		files := value.NewMap()
		for _, path := range slices.Sorted(maps.Keys(r[id])) {
			files.Set(path, r[id][path])
		}
		m.Set(id, files)
	}
	return m
}

// ask runs a job and returns the result of each minion, or a text for one that did not return.
func (c *copying) ask(ctx context.Context, j client.Job) (map[string]any, error) {
	o, err := c.client.Run(ctx, j)
	if errors.Is(err, client.ErrNoMatch) {
		return nil, errNobody
	}
	if err != nil {
		return nil, err
	}
	c.log.Debug("job complete", "jid", o.JID, "fun", j.Fun[0], "returned", len(o.Returns))
	out := map[string]any{}
	for id, ret := range o.Returns {
		if out[id], err = ret.Value.Decode(); err != nil {
			out[id] = fmt.Sprintf("the result cannot be read: %v", err)
		}
	}
	for id, m := range o.Account.Missing {
		if _, back := out[id]; back {
			continue
		}
		text := "Minion did not return. [" + m.Reason + "]"
		if m.Path != "" {
			text += " (behind " + m.Path + ")"
		}
		out[id] = text
	}
	if len(out) == 0 {
		return nil, errNobody
	}
	return out, nil
}

// whole sends texts in one job, as Salt does.
func (c *copying) whole(ctx context.Context) error {
	files := value.NewMap()
	for _, path := range slices.Sorted(maps.Keys(c.texts)) {
		files.Set(path, c.texts[path])
	}
	all, err := c.ask(ctx, c.f.job(c.l.target, "cp.recv", files, c.l.dest))
	if err != nil {
		return err
	}
	for id, v := range all {
		m, ok := v.(*value.Map)
		if !ok {
			c.results.put(id, c.l.dest, v)
			continue
		}
		m.Range(func(k, v any) bool {
			path, _ := k.(string)
			c.results.put(id, path, v)
			return true
		})
	}
	return nil
}

// inChunks sends a file chunk by chunk. Each later chunk goes only to the minions that accepted all
// earlier ones.
func (c *copying) inChunks(ctx context.Context, f file) (err error) {
	if f.folder {
		return c.put(ctx, f.to, c.f.job(c.l.target, "cp.recv_chunked", f.to, nil))
	}
	from, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("%w: %w", errLocal, err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	buf := make([]byte, c.chunk)
	for first := true; ; first = false {
		n, err := io.ReadFull(from, buf)
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return fmt.Errorf("%w: %w", errLocal, err)
		}
		if n == 0 && !first {
			return nil
		}
		chunk, err := c.encoded(buf[:n])
		if err != nil {
			return err
		}
		args := []any{f.to, chunk, !first, !c.f.plain, f.mode}
		j := c.f.job(c.l.target, "cp.recv_chunked", args...)
		if !first {
			takers := c.takers(f.to)
			if len(takers) == 0 {
				return nil // the results have the reason
			}
			j.Tgt, j.TgtType, j.Extra = takers, "list", nil
		}
		if err := c.put(ctx, f.to, j); err != nil {
			return err
		}
		if last {
			return nil
		}
	}
}

// takers returns the minions that have accepted all chunks of a file so far.
func (c *copying) takers(path string) (ids []string) {
	for id, files := range c.results {
		if files[path] == true {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// put runs a job for one file and records the results.
func (c *copying) put(ctx context.Context, path string, j client.Job) error {
	all, err := c.ask(ctx, j)
	if err != nil {
		return err
	}
	for id, v := range all {
		c.results.put(id, path, v)
	}
	return nil
}

// encoded returns a chunk in the form of cp.recv_chunked.
func (c *copying) encoded(chunk []byte) (string, error) {
	if c.f.plain {
		return base64.StdEncoding.EncodeToString(chunk), nil
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(chunk); err != nil {
		return "", fmt.Errorf("compress a chunk: %w", err)
	}
	if err := z.Close(); err != nil {
		return "", fmt.Errorf("compress a chunk: %w", err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
