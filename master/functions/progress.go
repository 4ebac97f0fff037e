package functions

import (
	"strings"

	"github.com/momtree/mom/value"
)

// What a call tells while it works: the last part of the tag of its events.
const (
	ToldProgress = "progress" // how far it is: message, as Salt's runners tell it
	ToldPrint    = "print"    // text that Salt's would write to standard output
)

// Progress tells who waits for the call how far it is.
func (c *Call[E]) Progress(message string) { c.tell(ToldProgress, value.NewMap("message", message)) }

// printed bounds one event of a text, in bytes: an event that is too large would lose it.
const printed = 128 << 10

// Print gives lines of text to who waits for the call, beside what it returns. Long texts
// go line by line; a line that is too long by itself is broken.
func (c *Call[E]) Print(text string) {
	for len(text) > printed {
		at := strings.LastIndexByte(text[:printed], '\n')
		next := at + 1
		if at < 0 {
			at, next = printed, printed
		}
		c.tell(ToldPrint, value.NewMap("text", text[:at]))
		text = text[next:]
	}
	c.tell(ToldPrint, value.NewMap("text", text))
}

func (c *Call[E]) tell(what string, data *value.Map) {
	if c.Tell != nil {
		c.Tell(what, data)
	}
}
