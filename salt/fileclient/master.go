package fileclient

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/momtree/mom/value"
)

// maxPiece is the most bytes of one piece of a file, after decompression.
const maxPiece = 64 << 20

// pieceTries is how often a piece is requested while the answer is empty.
const pieceTries = 3

// Asker sends a load encrypted to the master and returns the decoded answer. Requests have
// a deadline.
type Asker interface {
	Ask(ctx context.Context, load *value.Map) (any, error)
}

// Master is the [Source] for files of the master (Salt wire reference §8.2).
type Master struct {
	Asker Asker
	ID    string // of this minion
}

var _ Source = Master{}

// BadAnswer is an answer of the master in an unexpected form.
type BadAnswer struct{ Cmd, Want, Got string }

func (e *BadAnswer) Error() string {
	return fmt.Sprintf("the master answered %s with %s, not with %s: look at its log", e.Cmd, e.Got, e.Want)
}

func (m Master) ask(ctx context.Context, cmd string, kv ...any) (any, error) {
	load := value.NewMap(kv...)
	load.Set("id", m.ID)
	load.Set("cmd", cmd)
	return m.Asker.Ask(ctx, load)
}

// Envs returns the environments of the master. The load holds the command only: a master of
// Salt 3006.0 passes other fields to its function, which fails.
func (m Master) Envs(ctx context.Context) ([]string, error) {
	v, err := m.Asker.Ask(ctx, value.NewMap("cmd", "_file_envs"))
	if err != nil {
		return nil, err
	}
	return texts("_file_envs", v)
}

// List lists the paths of an environment.
func (m Master) List(ctx context.Context, kind Kind, saltenv, prefix string) ([]string, error) {
	v, err := m.ask(ctx, string(kind), "saltenv", saltenv, "prefix", prefix)
	if err != nil {
		return nil, err
	}
	names, err := texts(string(kind), v)
	slices.Sort(names)
	return names, err
}

func texts(cmd string, v any) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, &BadAnswer{cmd, "a list", fmt.Sprintf("%.80v", v)}
	}
	out := make([]string, 0, len(list))
	for _, e := range list {
		name, ok := text(e)
		if !ok {
			return nil, &BadAnswer{cmd, "texts in a list", fmt.Sprintf("%.80v", e)}
		}
		out = append(out, name)
	}
	return out, nil
}

func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}

// Symlinks maps links to their targets.
func (m Master) Symlinks(ctx context.Context, saltenv, prefix string) (*value.Map, error) {
	v, err := m.ask(ctx, "_symlink_list", "saltenv", saltenv, "prefix", prefix)
	if err != nil {
		return nil, err
	}
	links, ok := v.(*value.Map)
	if !ok || links == nil {
		return nil, &BadAnswer{"_symlink_list", "a map", fmt.Sprintf("%.80v", v)}
	}
	return links, nil
}

// Hash returns the hash that the master computes for a file.
func (m Master) Hash(ctx context.Context, saltenv, path string) (Hash, error) {
	v, err := m.ask(ctx, "_file_hash", "path", path, "saltenv", saltenv)
	if err != nil {
		return Hash{}, err
	}
	h, _ := v.(*value.Map)
	if missing, isText := v.(string); isText && missing == "" || h != nil && h.Len() == 0 {
		return Hash{}, absent(saltenv, path)
	}
	if h == nil || h.String("hsum") == "" {
		return Hash{}, &BadAnswer{"_file_hash", "a hash", fmt.Sprintf("%.80v", v)}
	}
	return Hash{h.String("hash_type"), h.String("hsum")}, nil
}

func absent(saltenv, path string) error {
	return fmt.Errorf("salt://%s in the environment %s: %w", path, saltenv, fs.ErrNotExist)
}

// Stat returns the fields of os.stat for a file on the master.
func (m Master) Stat(ctx context.Context, saltenv, path string) ([]int64, error) {
	v, err := m.ask(ctx, "_file_find", "path", path, "saltenv", saltenv)
	if err != nil {
		return nil, err
	}
	found, ok := v.(*value.Map)
	if !ok {
		return nil, &BadAnswer{"_file_find", "a map", fmt.Sprintf("%.80v", v)}
	}
	if found.String("path") == "" {
		return nil, absent(saltenv, path)
	}
	var stat []int64
	for i := range found.List("stat") {
		one := value.NewMap("n", found.List("stat")[i])
		stat = append(stat, one.Int("n"))
	}
	return stat, nil
}

// Read returns a piece of a file.
func (m Master) Read(ctx context.Context, saltenv, path string, offset int64, level int) ([]byte, error) {
	kv := []any{"path", path, "saltenv", saltenv, "loc", offset}
	if level > 0 {
		kv = append(kv, "gzip", level)
	}
	var bad error
	for range pieceTries {
		v, err := m.ask(ctx, "_serve_file", kv...)
		if err != nil {
			return nil, err
		}
		reply, _ := v.(*value.Map)
		if !reply.Has("data") {
			bad = &BadAnswer{"_serve_file", "data", fmt.Sprintf("%.80v", v)}
			continue // it may be restarting
		}
		data := reply.Bytes("data")
		if len(data) == 0 && len(reply.Bytes("dest")) == 0 {
			return nil, absent(saltenv, path)
		}
		if len(data) > 0 && reply.Int("gzip") > 0 {
			return unpack(data)
		}
		return data, nil
	}
	return nil, bad
}

// unpack decompresses a piece.
func unpack(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("decompress piece: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(r, maxPiece+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("decompress piece: %w", err)
	case len(out) > maxPiece:
		return nil, fmt.Errorf("decompressed piece is larger than %d bytes", maxPiece)
	case len(out) == 0:
		// An empty piece marks the end of the file; a compressed piece is never empty.
		return nil, fmt.Errorf("a compressed piece is empty: %w", io.ErrUnexpectedEOF)
	}
	return out, nil
}
