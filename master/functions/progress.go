package functions

import (
	"strings"

	"github.com/momtree/mom/value"
)

// Kinds of progress: the last part of the tag of a progress event.
const (
	KindProgress = "progress" // a message about the progress, as Salt's runners fire it
	KindPrint    = "print"    // text that Salt's would write to standard output
)

// Progress reports the progress of the call to its client.
func (c *Call[E]) Progress(message string) { c.report(KindProgress, value.NewMap("message", message)) }

// printed limits the text of one event, in bytes. A larger event would lose it.
const printed = 128 << 10

// Print sends lines of text to the client, besides the result. Long texts are split at line ends,
// and long lines anywhere.
func (c *Call[E]) Print(text string) {
	for len(text) > printed {
		at := strings.LastIndexByte(text[:printed], '\n')
		next := at + 1
		if at < 0 {
			at, next = printed, printed
		}
		c.report(KindPrint, value.NewMap("text", text[:at]))
		text = text[next:]
	}
	c.report(KindPrint, value.NewMap("text", text))
}

func (c *Call[E]) report(kind string, data *value.Map) {
	if c.Report != nil {
		c.Report(kind, data)
	}
}
