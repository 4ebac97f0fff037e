package jinja

// The kinds of tokens, with their names in Jinja's messages unless they are operators.
const (
	tEOF        = "eof"
	tData       = "data"
	tBlockBegin = "block_begin"
	tBlockEnd   = "block_end"
	tVarBegin   = "variable_begin"
	tVarEnd     = "variable_end"
	tName       = "name"
	tString     = "string"
	tInt        = "integer"
	tFloat      = "float"
)

type token struct {
	kind string // one of those above, or the operator itself
	text string
	val  any // of numbers
	line int
}

// describe returns the name of a token in a message.
func (t token) describe() string {
	if t.kind == tName {
		return t.text
	}
	return describeKind(t.kind)
}

func describeKind(kind string) string {
	switch kind {
	case tBlockBegin:
		return "begin of statement block"
	case tBlockEnd:
		return "end of statement block"
	case tVarBegin:
		return "begin of print statement"
	case tVarEnd:
		return "end of print statement"
	case tData:
		return "template data / text"
	case tEOF:
		return "end of template"
	}
	return kind
}

func (t token) isName(name string) bool { return t.kind == tName && t.text == name }

// Syntax holds the delimiters of templates. The zero value means Jinja's defaults;
// [Environment.Parse] fills them in.
type Syntax struct {
	BlockStart, BlockEnd                       string // {% %}
	VariableStart, VariableEnd                 string // {{ }}
	CommentStart, CommentEnd                   string // {# #}
	LineStatement, LineComment                 string // prefixes; "" for none
	TrimBlocks, LstripBlocks, KeepTrailingLine bool
	Newline                                    string // the form of line ends in the output, "\n"
}

func (s Syntax) filled() Syntax {
	def := func(p *string, v string) {
		if *p == "" {
			*p = v
		}
	}
	def(&s.BlockStart, "{%")
	def(&s.BlockEnd, "%}")
	def(&s.VariableStart, "{{")
	def(&s.VariableEnd, "}}")
	def(&s.CommentStart, "{#")
	def(&s.CommentEnd, "#}")
	def(&s.Newline, "\n")
	return s
}
