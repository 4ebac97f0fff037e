package jinja

import "fmt"

// fail raises the UndefinedError of u.
func (u *Undefined) fail() { throwKind(KindUndefined, "%s", u.text) }

// Text returns the message: "'x' is undefined".
func (u *Undefined) Text() string { return u.text }

func (r *Run) undefinedName(name string) *Undefined {
	return r.missing(Repr(name) + " is undefined")
}

func (r *Run) undefinedAttr(obj, name any) *Undefined {
	text := ""
	if s, ok := name.(string); ok {
		text = fmt.Sprintf("%s has no attribute %s", Repr(objectName(obj)), Repr(s))
	} else {
		text = fmt.Sprintf("%s has no element %s", objectName(obj), Repr(name))
	}
	return r.missing(text)
}

// missing returns an undefined value and counts its message.
func (r *Run) missing(text string) *Undefined {
	r.Alloc(len(text) + smallBytes)
	r.Work(8 * len(text))
	return &Undefined{text: text, strict: !r.env.AllowUndefined}
}

func (r *Run) undefined(format string, args ...any) *Undefined {
	return r.missing(fmt.Sprintf(format, args...))
}
