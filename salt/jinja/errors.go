package jinja

import (
	"context"
	"errors"
	"fmt"
)

// Kind tells errors apart as the exceptions of Jinja are.
type Kind int

const (
	// KindOther is any other exception: of Python's operators, of functions.
	KindOther Kind = iota
	// KindUndefined is an UndefinedError.
	KindUndefined
	// KindSyntax is a TemplateSyntaxError, TemplateRuntimeError or SecurityError.
	KindSyntax
	// KindFunction is what a function refused by name: SaltInvocationError and
	// CommandExecutionError in Salt.
	KindFunction
	// KindLimit is a bound of [Limits] or the end of the run's context.
	KindLimit
)

// Error is why a template could not be parsed or run.
type Error struct {
	Kind Kind
	Text string
	// Name is the file with the fault, as it was loaded; "" for the template itself.
	Name string
	// Line counts from 1 in that file; 0 when it is not known.
	Line int
	// Source is the text of that file.
	Source string
	// Err is the error of a function, a loader or a context behind it; may be nil.
	Err error
}

// Error is the text with the place.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	if e.Name == "" {
		return fmt.Sprintf("%s; line %d", e.Text, e.Line)
	}
	return fmt.Sprintf("%s; line %d of %s", e.Text, e.Line, e.Name)
}

// Unwrap gives the error behind it.
func (e *Error) Unwrap() error { return e.Err }

// Fault makes an error of a filter or function that is told as [KindSyntax], as
// Jinja's TemplateRuntimeError.
func Fault(format string, args ...any) error {
	return &Error{Kind: KindSyntax, Text: fmt.Sprintf(format, args...)}
}

// A fault inside the engine travels as a panic with an *Error to the run that began
// it: expressions nest deeply, and each of their parts may fail.

func throw(format string, args ...any) {
	panic(&Error{Kind: KindOther, Text: fmt.Sprintf(format, args...)})
}

func throwKind(k Kind, format string, args ...any) {
	panic(&Error{Kind: k, Text: fmt.Sprintf(format, args...)})
}

// Throw fails the run of the filter or function that calls it, as an exception does
// in Python. An *Error keeps its kind.
func Throw(err error) {
	var e *Error
	switch {
	case errors.As(err, &e):
		c := *e
		panic(&c)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		panic(&Error{Kind: KindLimit, Text: "the template took too long: " + err.Error(), Err: err})
	}
	panic(&Error{Kind: KindOther, Text: err.Error(), Err: err})
}

// catch turns the panic of a fault into *err; other panics go on.
func catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Error:
		*err = p
	default:
		panic(p)
	}
}
