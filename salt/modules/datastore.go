package modules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

func init() {
	key, val := Arg{Name: "key", Required: true}, Arg{Name: "value", Required: true}
	Register("data",
		Function{Name: "load", Run: dataItems, Doc: dataDoc("Return all of the data of this minion's store.", "load")},
		Function{Name: "items", Run: dataItems, Doc: dataDoc("Return all of the data of this minion's store.", "items")},
		Function{Name: "keys", Run: dataKeys, Doc: dataDoc("Return the keys of this minion's store.", "keys")},
		Function{Name: "values", Run: dataValues, Doc: dataDoc("Return the values of this minion's store.", "values")},
		Function{Name: "has_key", Args: []Arg{key}, Run: dataHas, Doc: dataDoc("Report whether the store has a key.", "has_key color")},
		Function{
			Name: "get", Args: []Arg{key, {Name: "default"}}, Run: dataGet,
			Doc: dataDoc("Return the value of a key, or default; of a list of keys a list of values, leaving\nout missing keys if default is None or not given.", "get '[color, size]'"),
		},
		Function{Name: "update", Args: []Arg{key, val}, Run: dataUpdate, Doc: dataDoc("Set a key of the store to a value.", "update color blue")},
		Function{
			Name: "cas", Args: []Arg{key, val, {Name: "old_value", Required: true}}, Run: dataSwap,
			Doc: dataDoc("Set a key of the store to a value if it has old_value; report whether it had.", "cas color green blue"),
		},
		Function{Name: "pop", Args: []Arg{key, {Name: "default"}}, Run: dataPop, Doc: dataDoc("Remove a key from the store and return its value, or default.", "pop color")},
		Function{Name: "dump", Args: []Arg{{Name: "new_data", Required: true}}, Run: dataDump, Doc: dataDoc("Replace the whole store by the mapping new_data.", "dump '{color: blue}'")},
		Function{Name: "clear", Run: dataClear, Doc: dataDoc("Remove the store with all of its data.", "clear")},
	)
}

func dataDoc(what, example string) string {
	return "\n" + what + "\n\nCLI Example:\n\n    salt '*' data." + example + "\n"
}

// maxDatastore is the largest file of the store, in bytes.
const maxDatastore = 16 << 20

// datastore serializes calls that read and change the store.
var datastore sync.Mutex

func (c *Call) datastorePath() string { return filepath.Join(c.cacheDir(), "datastore") }

// readData reads the store. As in Salt, a missing store is empty.
func (c *Call) readData() (*value.Map, error) {
	path := c.datastorePath()
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return value.NewMap(), nil
	}
	if err != nil {
		return nil, CommandErrorf("read the data store: %v", err)
	}
	if info.Size() > maxDatastore {
		return nil, CommandErrorf("data store %s has %d bytes, more than %d", path, info.Size(), maxDatastore)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, CommandErrorf("read the data store: %v", err)
	}
	m, err := wire.DecodeMap(b)
	if err != nil {
		return nil, CommandErrorf("data store %s: %v; data.clear removes it", path, err)
	}
	return m, nil
}

// writeData replaces the store in one step.
func (c *Call) writeData(m *value.Map) error {
	b, err := wire.Encode(m)
	if err != nil {
		return fmt.Errorf("write the data store: %w", err)
	}
	if len(b) > maxDatastore {
		return CommandErrorf("the data store would have %d bytes, more than %d", len(b), maxDatastore)
	}
	path := c.datastorePath()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path+".new", b, 0o600)); err != nil {
		return CommandErrorf("write the data store: %v", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return CommandErrorf("write the data store: %v", err)
	}
	return nil
}

// withData passes the store to f and writes it if f reports a change.
func (c *Call) withData(f func(m *value.Map) (result any, changed bool)) (any, error) {
	datastore.Lock()
	defer datastore.Unlock()
	m, err := c.readData()
	if err != nil {
		return nil, err
	}
	v, changed := f(m)
	if changed {
		err = c.writeData(m)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

func dataItems(_ context.Context, c *Call) (any, error) {
	return c.withData(func(m *value.Map) (any, bool) { return m, false })
}

func dataKeys(_ context.Context, c *Call) (any, error) {
	return c.withData(func(m *value.Map) (any, bool) { return append([]any{}, m.Keys()...), false })
}

func dataValues(_ context.Context, c *Call) (any, error) {
	return c.withData(func(m *value.Map) (any, bool) {
		out := []any{}
		m.Range(func(_, v any) bool {
			out = append(out, v)
			return true
		})
		return out, false
	})
}

func dataHas(_ context.Context, c *Call) (any, error) {
	return c.withData(func(m *value.Map) (any, bool) {
		_, ok := m.GetKey(c.Value("key"))
		return ok, false
	})
}

func dataGet(_ context.Context, c *Call) (any, error) {
	return c.withData(func(m *value.Map) (any, bool) {
		def := c.Value("default")
		keys, many := c.Value("key").([]any)
		if !many {
			if v, ok := m.GetKey(c.Value("key")); ok {
				return v, false
			}
			return def, false
		}
		out := []any{}
		for _, k := range keys {
			if v, ok := m.GetKey(k); ok {
				out = append(out, v)
			} else if def != nil {
				out = append(out, def)
			}
		}
		return out, false
	})
}

func dataUpdate(_ context.Context, c *Call) (any, error) {
	return c.withData(func(m *value.Map) (any, bool) {
		m.Set(c.Value("key"), c.Value("value"))
		return true, true
	})
}

func dataSwap(_ context.Context, c *Call) (any, error) {
	return c.withData(func(m *value.Map) (any, bool) {
		v, ok := m.GetKey(c.Value("key"))
		if !ok || !equal(v, c.Value("old_value")) {
			return false, false
		}
		m.Set(c.Value("key"), c.Value("value"))
		return true, true
	})
}

func dataPop(_ context.Context, c *Call) (any, error) {
	return c.withData(func(m *value.Map) (any, bool) {
		v, ok := m.GetKey(c.Value("key"))
		if !ok {
			return c.Value("default"), false
		}
		m.Delete(c.Value("key"))
		return v, true
	})
}

func dataDump(_ context.Context, c *Call) (any, error) {
	m, ok := c.Value("new_data").(*value.Map)
	if !ok {
		return false, nil
	}
	datastore.Lock()
	defer datastore.Unlock()
	if err := c.writeData(m); err != nil {
		return nil, err
	}
	return true, nil
}

func dataClear(_ context.Context, c *Call) (any, error) {
	datastore.Lock()
	defer datastore.Unlock()
	if err := os.Remove(c.datastorePath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, CommandErrorf("remove the data store: %v", err)
	}
	return true, nil
}
