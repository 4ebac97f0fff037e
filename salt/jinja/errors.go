package jinja

import (
	"context"
	"errors"
	"fmt"
)

// Kind classifies errors by Jinja's exceptions.
type Kind int

const (
	// KindOther is any other exception, as of Python's operators or of functions.
	KindOther Kind = iota
	// KindUndefined is an UndefinedError.
	KindUndefined
	// KindSyntax is a TemplateSyntaxError, TemplateRuntimeError or SecurityError.
	KindSyntax
	// KindFunction is an error that a function raises itself: SaltInvocationError and
	// CommandExecutionError in Salt.
	KindFunction
	// KindLimit is an exceeded limit of [Limits], or the end of the run's context.
	KindLimit
)

// Error is an error of parsing or running a template.
type Error struct {
	Kind Kind
	Text string
	// Name is the file with the fault, as it was loaded; "" for the main template.
	Name string
	// Line is the line in that file, from 1; 0 if unknown.
	Line int
	// Source is the text of that file.
	Source string
	// Err is the underlying error of a function, a loader or a context; may be nil.
	Err error
}

// Error returns the message with the position.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	if e.Name == "" {
		return fmt.Sprintf("%s; line %d", e.Text, e.Line)
	}
	return fmt.Sprintf("%s; line %d of %s", e.Text, e.Line, e.Name)
}

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

// Fault returns an error of a filter or function that becomes [KindSyntax], as Jinja's
// TemplateRuntimeError.
func Fault(format string, args ...any) error {
	return &Error{Kind: KindSyntax, Text: fmt.Sprintf(format, args...)}
}

// Inside the engine, a fault is a panic with an *Error up to the run that began it:
// expressions nest deeply, and each part may fail.

func throw(format string, args ...any) {
	panic(&Error{Kind: KindOther, Text: fmt.Sprintf(format, args...)})
}

func throwKind(k Kind, format string, args ...any) {
	panic(&Error{Kind: k, Text: fmt.Sprintf(format, args...)})
}

// Throw fails the run of the calling filter or function, like an exception in Python. An
// *Error keeps its kind.
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

// catch converts the panic of a fault to *err. It re-panics on other values.
func catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Error:
		*err = p
	default:
		panic(p)
	}
}
