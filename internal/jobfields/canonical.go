package jobfields

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// header begins the signed bytes of every order, so that they cannot be mistaken for anything
// else that the same key signs.
const header = "mom order 1\n"

// field is one part of a publication that a signature covers.
type field struct {
	name  string
	value any
}

// canonical returns the bytes to sign: the header, then each field that is not empty, in the
// order of this list, as its name and its value. Issued and expires are seconds since 1970.
//
// The signature covers everything that determines what a minion does, so that a node cannot
// change it. It does not cover the fields of one hop (to, serial, master_id, auth_list).
func canonical(p wire.Publication, issued, expires int64) ([]byte, error) {
	tgtType, delimiter := p.TgtType, p.Delimiter
	if tgtType == "" {
		tgtType = "glob"
	}
	if delimiter == "" {
		delimiter = ":"
	}
	out := []byte(header)
	for _, f := range []field{
		{"jid", p.JID},
		{"fun", p.Fun},
		{"arg", p.Arg},
		{"tgt", p.Tgt},
		{"tgt_type", tgtType},
		{"delimiter", delimiter},
		{"user", p.User},
		{"id", p.ID},
		{"ret", p.Ret},
		{"ret_config", p.RetConfig},
		{"ret_kwargs", p.RetKwargs},
		{"metadata", p.Metadata},
		{"module_executors", p.ModuleExecutors},
		{"executor_opts", p.ExecutorOpts},
		{"issued", issued},
		{"expires", expires},
	} {
		v := f.value
		if raw, ok := v.(wire.Raw); ok {
			if len(raw) == 0 {
				continue
			}
			var err error
			if v, err = wire.Decode(raw); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
		}
		if empty(v) {
			continue
		}
		out = appendText(out, f.name)
		var err error
		if out, err = appendValue(out, v); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return out, nil
}

// empty reports whether a value is the same as a missing field.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []byte:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case *wire.Map:
		return v.Len() == 0
	}
	return false
}

func appendText(out []byte, s string) []byte {
	out = append(out, 's')
	out = strconv.AppendInt(out, int64(len(s)), 10)
	out = append(out, ':')
	return append(out, s...)
}

func appendCount(out []byte, kind byte, n int) []byte {
	out = append(out, kind)
	out = strconv.AppendInt(out, int64(n), 10)
	return append(out, ':')
}

// appendValue encodes a value so that two have the same bytes exactly if they mean the same to
// a minion. Text and bytes are the same, as in Salt, because a node may convert one to the
// other.
func appendValue(out []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(out, 'n'), nil
	case bool:
		if v {
			return append(out, 't'), nil
		}
		return append(out, 'f'), nil
	case int64:
		return append(strconv.AppendInt(append(out, 'i'), v, 10), ';'), nil
	case uint64:
		return append(strconv.AppendUint(append(out, 'i'), v, 10), ';'), nil
	case float64:
		return fmt.Appendf(out, "d%016x", math.Float64bits(v)), nil
	case string:
		return appendText(out, v), nil
	case []byte:
		return appendText(out, string(v)), nil
	case time.Time:
		return appendText(append(out, 'z'), v.UTC().Format("20060102T15:04:05.000000")), nil
	case wire.Const:
		return appendValue(appendText(append(out, 'c'), v.Name), v.Value)
	case wire.Ext:
		out = append(strconv.AppendInt(append(out, 'x'), int64(v.Type), 10), ';')
		return appendText(out, string(v.Data)), nil
	case []any:
		out = appendCount(out, 'l', len(v))
		var err error
		for _, e := range v {
			if out, err = appendValue(out, e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case *wire.Map:
		return appendMap(out, v)
	}
	return nil, fmt.Errorf("a %T cannot be signed", v)
}

// appendMap encodes the entries in the order of their keys' bytes.
func appendMap(out []byte, m *wire.Map) ([]byte, error) {
	type entry struct{ key, value string }
	entries := make([]entry, 0, m.Len())
	var failed error
	m.Range(func(k, v any) bool {
		kb, err := appendValue(nil, k)
		if err == nil {
			var vb []byte
			if vb, err = appendValue(nil, v); err == nil {
				entries = append(entries, entry{string(kb), string(vb)})
			}
		}
		failed = err
		return err == nil
	})
	if failed != nil {
		return nil, failed
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if c := strings.Compare(a.key, b.key); c != 0 {
			return c
		}
		return strings.Compare(a.value, b.value)
	})
	out = appendCount(out, 'm', len(entries))
	for _, e := range entries {
		out = append(append(out, e.key...), e.value...)
	}
	return out, nil
}
