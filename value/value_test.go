package value_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/value"
)

func TestMapOrder(t *testing.T) {
	m := value.NewMap()
	for i := range 40 {
		m.Set(i, i)
	}
	m.Set("x", "first")
	m.Set(3, "three")
	m.Set("x", "again")
	m.Delete(0)
	m.Delete("nobody")
	if m.Len() != 40 || m.String("x") != "again" || m.Keys()[0] != int64(1) || m.Keys()[39] != "x" {
		t.Errorf("%#v", m)
	}
	if v, ok := m.GetKey(uint64(3)); !ok || v != "three" {
		t.Errorf("key 3 is %v", v)
	}
	c := m.Clone()
	c.Set("x", "copy")
	if m.String("x") != "again" || c.String("x") != "copy" {
		t.Error("a clone shares its values' places")
	}
	n := 0
	m.Range(func(_, _ any) bool { n++; return n < 5 })
	if n != 5 {
		t.Errorf("Range went on: %d", n)
	}
}

// number is decoded when somebody looks.
type number int

func (n number) Value() (any, error) {
	if n < 0 {
		return nil, errors.New("not to be decoded")
	}
	return int64(n), nil
}

func TestLazyValues(t *testing.T) {
	m := value.NewMap("n", number(7), "bad", number(-1), "l", []string{"a", "b"})
	if m.Int("n") != 7 || m.Int("bad") != 0 || m.String("n") != "" {
		t.Errorf("%d, %d", m.Int("n"), m.Int("bad"))
	}
	if v, _ := m.Get("n"); v != number(7) {
		t.Errorf("Get decodes: %v", v)
	}
	if d := cmp.Diff([]any{"a", "b"}, m.List("l")); d != "" {
		t.Error(d)
	}
}

func TestPlain(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var none *value.Map
	deep := value.NewMap("b", []any{value.NewMap(1, "x"), number(3), number(-1)}, "a", none, "t", at, "raw", []byte("z"))
	want := map[string]any{"a": nil, "b": []any{map[string]any{"1": "x"}, int64(3), nil}, "t": at, "raw": []byte("z")}
	if d := cmp.Diff(want, value.Plain(deep)); d != "" {
		t.Error(d)
	}
	if deep.Map("a") != nil || deep.List("b")[1] != number(3) {
		t.Error("what was given has been changed")
	}
}

func ExampleMap() {
	pillar := value.NewMap("vhosts", []any{"a", "b"}, "port", 80)
	pillar.Set("tls", true)
	pillar.Range(func(key, val any) bool {
		fmt.Println(key, val)
		return true
	})
	fmt.Println(pillar.Int("port"), pillar.Bool("tls"), pillar.String("nothing") == "")
	// Output:
	// vhosts [a b]
	// port 80
	// tls true
	// 80 true true
}
