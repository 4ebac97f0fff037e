package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/value"
)

// content opens the copy of a file, and fetches the file first if needed. If the file has changed
// meanwhile, the next request looks it up again.
func (b *backend) content(ctx context.Context, env, path, key string, sum files.Sum, size int64) (*os.File, error) {
	f, err := b.copies.Get(ctx, sum, size, func(ctx context.Context, w io.Writer) error { return b.fetch(ctx, env, path, w) })
	if errors.Is(err, files.ErrHash) || errors.Is(err, files.ErrSize) || errors.Is(err, errGone) {
		b.answers.Remove(key)
	}
	if err != nil {
		return nil, fmt.Errorf("fetch salt://%s in %s from the master above: %w", path, env, err)
	}
	return f, nil
}

// errGone is returned if a file was removed after the request for its hash.
var errGone = errors.New("it is not there any more")

// fetch gets a file from the parent chunk by chunk.
func (b *backend) fetch(ctx context.Context, env, path string, w io.Writer) error {
	for at := int64(0); ; {
		data, err := b.piece(ctx, env, path, at)
		if err != nil || len(data) == 0 {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
		at += int64(len(data))
	}
}

func (b *backend) piece(ctx context.Context, env, path string, at int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	v, err := b.above.Call(ctx, value.NewMap("cmd", "_serve_file", "path", path, "saltenv", env, "loc", at))
	if err != nil {
		return nil, err
	}
	m, ok := v.(*value.Map)
	if !ok || !m.Has("data") {
		return nil, unread(v)
	}
	if m.String("dest") == "" {
		return nil, errGone
	}
	return m.Bytes("data"), nil
}
