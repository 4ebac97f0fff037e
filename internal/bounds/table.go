package bounds

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bound is one row of the table.
type Bound struct {
	Name    string
	Default string // in the form of [Bounds.Set]
	Low     string // the ends of the small range, in the same form
	High    string
	Most    string // "" means no maximum
	Help    string

	index int
}

type value struct{ reflect.Value }

var durationType = reflect.TypeFor[time.Duration]()

var table = sync.OnceValue(func() []Bound {
	t := reflect.TypeFor[Bounds]()
	out := make([]Bound, 0, t.NumField())
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		low, high, ok := strings.Cut(tag.Get("small"), "..")
		if !ok || tag.Get("bound") == "" || tag.Get("help") == "" {
			panic("bounds: " + t.Field(i).Name + " lacks a name, a small range or a help text")
		}
		out = append(out, Bound{Name: tag.Get("bound"), Default: tag.Get("default"), Low: low, High: high, Most: tag.Get("most"), Help: tag.Get("help"), index: i})
	}
	return out
})

// All returns the bounds in the order of the fields of [Bounds].
func All() []Bound { return table() }

// Set sets the bound name from text: a whole number, or a duration such as 300ms (a plain
// number means seconds). The value must be positive and not above the maximum of the bound.
func (b *Bounds) Set(name, text string) error {
	for _, x := range table() {
		if x.Name != name {
			continue
		}
		typ := reflect.TypeFor[Bounds]().Field(x.index).Type
		n, err := parse(typ, text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if x.Most != "" {
			if most, err := parse(typ, x.Most); err != nil || n > most {
				return fmt.Errorf("%s: is at most %s, has %s", name, x.Most, text)
			}
		}
		reflect.ValueOf(b).Elem().Field(x.index).SetInt(n)
		return nil
	}
	return fmt.Errorf("there is no bound %q; docs/design/bounds.md names them", name)
}

// Text returns the bound name in the form that [Bounds.Set] reads; "" if the name is unknown.
func (b Bounds) Text(name string) string {
	for _, x := range table() {
		if x.Name == name {
			return fmt.Sprint(reflect.ValueOf(b).Field(x.index).Interface())
		}
	}
	return ""
}

func parse(t reflect.Type, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if t == durationType {
		if err == nil {
			n *= int64(time.Second)
		} else if d, derr := time.ParseDuration(text); derr == nil {
			n, err = int64(d), nil
		} else {
			err = fmt.Errorf("wants a duration such as 300ms, has %q", text)
		}
	} else if err != nil {
		err = fmt.Errorf("wants a whole number, has %q", text)
	}
	if err != nil {
		return 0, err
	}
	if n <= 0 {
		return 0, errors.New("has to be above 0")
	}
	return n, nil
}

// each calls f for each field of two Bounds.
func each(a, b *Bounds, f func(a, b value)) {
	va, vb := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range va.NumField() {
		f(value{va.Field(i)}, value{vb.Field(i)})
	}
}
