package modules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/value"
)

// ErrNotAvailable is wrapped by the error of [Execute] for a function that does not exist
// or is disabled.
var ErrNotAvailable = errors.New("is not available")

// ArgumentError means that a call has too many or too few arguments, or a value of the
// wrong type. Users read "Passed invalid arguments to FUN: …".
type ArgumentError struct{ Msg string }

func (e *ArgumentError) Error() string { return e.Msg }

// InvocationError means that the function rejects the call, for example for an unknown
// keyword. Users read "ERROR executing 'FUN': …".
type InvocationError struct{ Msg string }

func (e *InvocationError) Error() string { return e.Msg }

// CommandError means that the work failed. Users read "ERROR: …".
type CommandError struct{ Msg string }

func (e *CommandError) Error() string { return e.Msg }

// InfoError is a [CommandError] with data, which users read below its text.
type InfoError struct {
	Msg  string
	Info *value.Map
}

func (e *InfoError) Error() string { return e.text(e.Info) }

// WithoutChanges returns the text without the changes made before the error, which a state
// reports separately.
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

// NotFoundError means that the host lacks a program that the function needs. Users read
// "Command required for 'FUN' not found: …".
type NotFoundError struct{ Msg string }

func (e *NotFoundError) Error() string { return e.Msg }

// ExceptionError is an error with the name of a Python exception: "Type: message".
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

// explain converts the error of a function to the text for the user.
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
