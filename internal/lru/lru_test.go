package lru

import (
	"fmt"
	"testing"
)

// The behaviour of the library that this program relies on.
func TestMaps(t *testing.T) {
	m := New[string, int](2)
	m.Add("a", 1)
	m.Add("b", 2)
	if v, ok := m.Peek("a"); !ok || v != 1 || !m.Contains("a") {
		t.Errorf("a is %d, %t", v, ok)
	}
	if known, gone := m.ContainsOrAdd("a", 9); !known || gone {
		t.Error("a is not known")
	}
	if v, known, gone := m.PeekOrAdd("a", 9); v != 1 || !known || gone {
		t.Errorf("a is %d, %t", v, known)
	}
	m.Add("c", 3) // none of these calls marked a as used
	if got := fmt.Sprint(m.Keys(), m.Values()); got != "[b c] [2 3]" {
		t.Errorf("remembered are %s", got)
	}
	m.Add("b", 4) // but this marks b
	m.Add("d", 5)
	if got := fmt.Sprint(m.Keys(), m.Values()); got != "[b d] [4 5]" {
		t.Errorf("remembered are %s", got)
	}
	if New[int, int](0).Add(1, 1) {
		t.Error("a map of no size forgets its first key")
	}
	var gone []string
	g := NewGuarded(1, func(k string, v int) { gone = append(gone, fmt.Sprint(k, v)) })
	g.Add("a", 1)
	g.Add("b", 2)
	g.Remove("b")
	if fmt.Sprint(gone) != "[a1 b2]" || g.Len() != 0 {
		t.Errorf("gone are %v", gone)
	}
	many := NewGuarded[int, int](Unbounded, nil)
	for i := range 1000 {
		many.Add(i, i)
	}
	if k, _, _ := many.GetOldest(); k != 0 || many.Len() != 1000 {
		t.Errorf("%d of them, the oldest %d", many.Len(), k)
	}
}
