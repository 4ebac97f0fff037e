package channel

import (
	"errors"
	"testing"
)

// A text is parsed once, until another one comes; errors are not cached.
func TestParsed(t *testing.T) {
	var p parsed[*string]
	made, broken := 0, errors.New("broken")
	get := func(text string) (*string, error) {
		m, err := p.get(text, func(text string) (*string, error) {
			made++
			if text == "bad" {
				return nil, broken
			}
			return &text, nil
		})
		return m.value, err
	}
	a, _ := get("a")
	if again, err := get("a"); again != a || err != nil || made != 1 {
		t.Errorf("made %d times", made)
	}
	for range 2 {
		if v, err := get("bad"); v != nil || !errors.Is(err, broken) {
			t.Errorf("got %v, %v", v, err)
		}
	}
	if again, _ := get("a"); again != a || made != 3 {
		t.Errorf("made %d times", made)
	}
	if b, _ := get("b"); *b != "b" {
		t.Errorf("got %q", *b)
	}
	if again, _ := get("a"); *again != "a" || again == a {
		t.Errorf("got %q", *again)
	}
}
