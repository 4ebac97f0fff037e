package modules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/value"
)

// ErrNotAvailable is wrapped by the error of [Execute] for a function that does
// not exist or is disabled.
var ErrNotAvailable = errors.New("is not available")

// ArgumentError is a call that does not fit the function: too many or too few
// arguments, or a value of the wrong kind. Users read it as "Passed invalid
// arguments to FUN: …".
type ArgumentError struct{ Msg string }

func (e *ArgumentError) Error() string { return e.Msg }

// InvocationError is a call the function refuses, such as an unknown keyword.
// Users read it as "ERROR executing 'FUN': …".
type InvocationError struct{ Msg string }

func (e *InvocationError) Error() string { return e.Msg }

// CommandError is work that failed. Users read it as "ERROR: …".
type CommandError struct{ Msg string }

func (e *CommandError) Error() string { return e.Msg }

// InfoError is work that failed, with data about it. Users read it as a
// [CommandError] with the data below.
type InfoError struct {
	Msg  string
	Info *value.Map
}

func (e *InfoError) Error() string { return e.text(e.Info) }

// WithoutChanges is the text without what was changed all the same, which a state
// tells elsewhere.
func (e *InfoError) WithoutChanges() string {
	rest := e.Info.Clone()
	rest.Delete("changes")
	if rest.Len() == 0 {
		rest = e.Info
	}
	return e.text(rest)
}

func (e *InfoError) text(info *value.Map) string {
	head := e.Msg
	if head != "" && !strings.ContainsAny(head[len(head)-1:], ".?!") {
		head += "."
	}
	if info.Len() == 0 {
		return e.Msg
	}
	text, err := output.Text("nested", info, output.Options{})
	if err != nil {
		text = PyRepr(info)
	}
	return head + " Additional info follows:\n\n" + strings.TrimRight(text, "\n")
}

// NotFoundError is a program that the function needs and the host lacks. Users
// read it as "Command required for 'FUN' not found: …".
type NotFoundError struct{ Msg string }

func (e *NotFoundError) Error() string { return e.Msg }

// ExceptionError is an error named as Python names it, "Type: message".
type ExceptionError struct{ Type, Msg string }

func (e *ExceptionError) Error() string {
	if e.Msg == "" {
		return e.Type
	}
	return e.Type + ": " + e.Msg
}

func argErrorf(format string, a ...any) error {
	return &ArgumentError{fmt.Sprintf(format, a...)}
}

// InvocationErrorf formats an [InvocationError].
func InvocationErrorf(format string, a ...any) error {
	return &InvocationError{fmt.Sprintf(format, a...)}
}

// CommandErrorf formats a [CommandError].
func CommandErrorf(format string, a ...any) error {
	return &CommandError{fmt.Sprintf(format, a...)}
}

// explain turns the error of a function into the text a user reads.
func explain(fun string, err error) string {
	var (
		arg  *ArgumentError
		inv  *InvocationError
		cmd  *CommandError
		miss *NotFoundError
		info *InfoError
	)
	switch {
	case errors.Is(err, ErrNotAvailable):
		return fmt.Sprintf("'%s' is not available.", fun)
	case errors.As(err, &arg):
		return fmt.Sprintf("Passed invalid arguments to %s: %v", fun, err)
	case errors.As(err, &inv):
		return fmt.Sprintf("ERROR executing '%s': %v", fun, err)
	case errors.As(err, &miss):
		return fmt.Sprintf("Command required for '%s' not found: %v", fun, err)
	case errors.As(err, &cmd), errors.As(err, &info):
		return fmt.Sprintf("ERROR: %v", err)
	}
	return fmt.Sprintf("The minion function caused an exception: %v", err)
}
