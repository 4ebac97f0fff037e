package text

import (
	"fmt"
	"slices"
	"strings"
)

// Edit is what an engine made of a text.
type Edit struct {
	text          string
	before, after []string
	changed       bool
}

// Changed tells whether there is anything to write.
func (e Edit) Changed() bool { return e.changed }

// Text is the text as it is wanted.
func (e Edit) Text() string { return e.text }

// Diff is the difference as Salt shows it, "" when it has nothing to show.
func (e Edit) Diff() string { return strings.Join(UnifiedDiff(e.before, e.after), "") }

func edited(before, after []string) Edit {
	return Edit{text: strings.Join(after, ""), before: before, after: after, changed: !slices.Equal(before, after)}
}

// Error is an edit that its options or the text do not allow.
type Error struct {
	Msg string
	// Usage says that the options contradict each other, whatever the text.
	Usage bool
}

func (e *Error) Error() string { return e.Msg }

func refuse(format string, a ...any) error { return &Error{Msg: fmt.Sprintf(format, a...)} }

func misuse(format string, a ...any) error {
	return &Error{Msg: fmt.Sprintf(format, a...), Usage: true}
}
