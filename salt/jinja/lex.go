package jinja

import (
	"errors"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer splits a source into tokens, one at a time, so that the first of several faults is
// reported.
type lexer struct {
	syntax    Syntax
	src       string
	pos       int
	line      int // of counted
	counted   int
	state     string // "root", "block", "variable", "line"
	balance   []byte
	lineStart bool // the preceding text ended a line
	opens     []opener
	queue     []token
}

// opener is a delimiter that ends text.
type opener struct {
	text string
	kind string // "block", "variable", "comment", "line", "linecomment"
	// next is the known position of the next one, so that a missing delimiter is not
	// searched for after each of the others.
	next int
}

func newLexer(src string, s Syntax) *lexer {
	src = strings.ReplaceAll(src, "\r\n", "\n")
	src = strings.ReplaceAll(src, "\r", "\n")
	if !s.KeepTrailingLine {
		src = strings.TrimSuffix(src, "\n")
	}
	l := &lexer{syntax: s, src: src, line: 1, state: "root", lineStart: true}
	l.opens = []opener{{text: s.CommentStart, kind: "comment"}, {text: s.BlockStart, kind: "block"}, {text: s.VariableStart, kind: "variable"}}
	if s.LineStatement != "" {
		l.opens = append(l.opens, opener{text: s.LineStatement, kind: "line"})
	}
	if s.LineComment != "" {
		l.opens = append(l.opens, opener{text: s.LineComment, kind: "linecomment"})
	}
	for i := range l.opens {
		l.opens[i].next = -1
	}
	sort.SliceStable(l.opens, func(i, j int) bool { return len(l.opens[i].text) > len(l.opens[j].text) })
	return l
}

// lineAt returns the line of a position. Positions must not decrease.
func (l *lexer) lineAt(pos int) int {
	if pos > l.counted {
		l.line += strings.Count(l.src[l.counted:pos], "\n")
		l.counted = pos
	}
	return l.line
}

func (l *lexer) fail(pos int, format string, args ...any) {
	var e *Error
	errors.As(Fault(format, args...), &e)
	e.Line = l.lineAt(pos)
	panic(e)
}

// next returns the next significant token; at the end it keeps returning tEOF.
func (l *lexer) next() token {
	for {
		if len(l.queue) > 0 {
			t := l.queue[0]
			l.queue = l.queue[1:]
			return t
		}
		if l.pos >= len(l.src) {
			if l.state == "line" {
				l.state = "root"
				return token{kind: tBlockEnd, line: l.lineAt(l.pos)}
			}
			return token{kind: tEOF, line: l.lineAt(l.pos)}
		}
		if l.state == "root" {
			l.root()
			continue
		}
		if t, ok := l.inside(); ok {
			return t
		}
	}
}

// root reads text up to the next delimiter.
func (l *lexer) root() {
	at, op := l.findOpener()
	if at < 0 {
		l.text(l.pos, l.src[l.pos:])
		l.pos = len(l.src)
		return
	}
	text, begin := l.src[l.pos:at], at+len(op.text)
	if op.kind == "line" || op.kind == "linecomment" {
		begin = strings.Index(l.src[at:], op.text) + at + len(op.text)
	}
	sign := byte(0)
	if begin < len(l.src) && (l.src[begin] == '-' || l.src[begin] == '+') {
		sign = l.src[begin]
		begin++
	}
	switch {
	case sign == '-':
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	case sign != '+' && l.syntax.LstripBlocks && op.kind != "variable":
		from := strings.LastIndexByte(text, '\n') + 1
		if (from > 0 || l.lineStart) && strings.TrimSpace(text[from:]) == "" {
			text = text[:from]
		}
	}
	l.text(l.pos, text)
	line := l.lineAt(at)
	l.lineStart = false
	if op.kind == "block" {
		if end, ok := l.rawBegin(begin); ok {
			l.raw(end)
			return
		}
	}
	l.pos = begin
	switch op.kind {
	case "comment":
		l.comment()
	case "linecomment":
		if end := strings.IndexByte(l.src[begin:], '\n'); end >= 0 {
			l.pos = begin + end
		} else {
			l.pos = len(l.src)
		}
	case "variable":
		l.state = "variable"
		l.queue = append(l.queue, token{kind: tVarBegin, line: line})
	default:
		l.state = op.kind
		l.queue = append(l.queue, token{kind: tBlockBegin, line: line})
	}
}

// text queues a data token.
func (l *lexer) text(at int, s string) {
	if s == "" {
		return
	}
	l.lineStart = s[len(s)-1] == '\n'
	if l.syntax.Newline != "\n" {
		s = strings.ReplaceAll(s, "\n", l.syntax.Newline)
	}
	l.queue = append(l.queue, token{kind: tData, text: s, line: l.lineAt(at)})
}

// findOpener returns the position of the next delimiter; of several at one position, the
// longest.
func (l *lexer) findOpener() (int, opener) {
	best, found := -1, opener{}
	for i := range l.opens {
		o := &l.opens[i]
		var at int
		switch o.kind {
		case "line":
			at = l.findLinePrefix(o.text)
		case "linecomment":
			at = l.findLineComment(o.text)
		default:
			if o.next < l.pos {
				if o.next = strings.Index(l.src[l.pos:], o.text); o.next < 0 {
					o.next = len(l.src)
				} else {
					o.next += l.pos
				}
			}
			if at = o.next; at == len(l.src) {
				at = -1
			}
		}
		if at >= 0 && (best < 0 || at < best) {
			best, found = at, *o
		}
	}
	return best, found
}

// findLinePrefix returns the start of the next line that begins with blanks and the prefix.
func (l *lexer) findLinePrefix(prefix string) int {
	for at := l.pos; at < len(l.src); {
		if at == 0 || l.src[at-1] == '\n' {
			rest := strings.TrimLeft(l.src[at:], " \t\v")
			if strings.HasPrefix(rest, prefix) {
				return at
			}
		}
		n := strings.IndexByte(l.src[at:], '\n')
		if n < 0 {
			return -1
		}
		at += n + 1
	}
	return -1
}

// findLineComment returns the start of the blanks before a line comment.
func (l *lexer) findLineComment(prefix string) int {
	n := strings.Index(l.src[l.pos:], prefix)
	if n < 0 {
		return -1
	}
	from := l.pos + n
	for from > l.pos && (l.src[from-1] == ' ' || l.src[from-1] == '\t') {
		from--
	}
	return from
}

// rawBegin reports whether a block is "raw %}", and returns the position after it.
func (l *lexer) rawBegin(at int) (int, bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeftFunc(l.src[at:], unicode.IsSpace), "raw")
	if !ok {
		return 0, false
	}
	rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
	if r, ok := strings.CutPrefix(rest, "-"+l.syntax.BlockEnd); ok {
		return len(l.src) - len(strings.TrimLeftFunc(r, unicode.IsSpace)), true
	}
	if r, ok := strings.CutPrefix(rest, l.syntax.BlockEnd); ok {
		return len(l.src) - len(r), true
	}
	return 0, false
}

// raw reads up to endraw.
func (l *lexer) raw(from int) {
	for at := from; ; {
		n := strings.Index(l.src[at:], l.syntax.BlockStart)
		if n < 0 && from == len(l.src) {
			l.pos = from
			return
		}
		if n < 0 {
			l.fail(from, "Missing end of raw directive")
		}
		open := at + n
		at = open + len(l.syntax.BlockStart)
		rest, sign := l.src[at:], byte(0)
		if rest != "" && (rest[0] == '-' || rest[0] == '+') {
			sign, rest = rest[0], rest[1:]
		}
		rest, ok := strings.CutPrefix(strings.TrimLeftFunc(rest, unicode.IsSpace), "endraw")
		if !ok {
			continue
		}
		end, ok := l.blockEnd(len(l.src) - len(strings.TrimLeftFunc(rest, unicode.IsSpace)))
		if !ok {
			continue
		}
		text := l.src[from:open]
		if sign == '-' {
			text = strings.TrimRightFunc(text, unicode.IsSpace)
		} else if sign != '+' && l.syntax.LstripBlocks {
			if i := strings.LastIndexByte(text, '\n') + 1; i > 0 && strings.TrimSpace(text[i:]) == "" {
				text = text[:i]
			}
		}
		l.text(from, text)
		l.lineStart = l.src[end-1] == '\n'
		l.pos = end
		return
	}
}

// blockEnd reports whether a block ends at a position, and returns the position after it.
func (l *lexer) blockEnd(at int) (int, bool) {
	rest := l.src[at:]
	if r, ok := strings.CutPrefix(rest, "-"+l.syntax.BlockEnd); ok {
		return len(l.src) - len(strings.TrimLeftFunc(r, unicode.IsSpace)), true
	}
	if r, ok := strings.CutPrefix(rest, "+"+l.syntax.BlockEnd); ok {
		return len(l.src) - len(r), true
	}
	if r, ok := strings.CutPrefix(rest, l.syntax.BlockEnd); ok {
		if l.syntax.TrimBlocks {
			r = strings.TrimPrefix(r, "\n")
		}
		return len(l.src) - len(r), true
	}
	return 0, false
}

func (l *lexer) comment() {
	n := strings.Index(l.src[l.pos:], l.syntax.CommentEnd)
	if n < 0 {
		l.fail(l.pos, "Missing end of comment tag")
	}
	end := l.pos + n + len(l.syntax.CommentEnd)
	switch sign := l.src[max(l.pos, l.pos+n-1)]; {
	case n > 0 && sign == '-':
		end = len(l.src) - len(strings.TrimLeftFunc(l.src[end:], unicode.IsSpace))
	case n > 0 && sign == '+':
	case l.syntax.TrimBlocks && end < len(l.src) && l.src[end] == '\n':
		end++
	}
	l.lineStart = l.src[end-1] == '\n'
	l.pos = end
}

// inside reads one token of a statement or expression; ok is false for blanks.
func (l *lexer) inside() (token, bool) {
	if len(l.balance) == 0 {
		if t, ok := l.end(); ok {
			return t, true
		}
	}
	at := l.pos
	c, size := utf8.DecodeRuneInString(l.src[at:])
	if unicode.IsSpace(c) {
		rest := l.src[at:]
		l.pos = len(l.src) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
		return token{}, false
	}
	line := l.lineAt(at)
	switch {
	case c >= '0' && c <= '9':
		return l.number(line), true
	case c == '_' || unicode.IsLetter(c):
		end := at + size
		for end < len(l.src) {
			c, n := utf8.DecodeRuneInString(l.src[end:])
			if c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
				break
			}
			end += n
		}
		l.pos = end
		return token{kind: tName, text: l.src[at:end], line: line}, true
	case c == '"' || c == '\'':
		if t, ok := l.quoted(byte(c), line); ok {
			return t, true
		}
	}
	return l.operator(line), true
}

// end reads the delimiter that closes a statement or an expression.
func (l *lexer) end() (token, bool) {
	line := l.lineAt(l.pos)
	switch l.state {
	case "block":
		if end, ok := l.blockEnd(l.pos); ok {
			l.close(end)
			return token{kind: tBlockEnd, line: line}, true
		}
	case "variable":
		rest := l.src[l.pos:]
		if r, ok := strings.CutPrefix(rest, "-"+l.syntax.VariableEnd); ok {
			l.close(len(l.src) - len(strings.TrimLeftFunc(r, unicode.IsSpace)))
			return token{kind: tVarEnd, line: line}, true
		}
		if r, ok := strings.CutPrefix(rest, l.syntax.VariableEnd); ok {
			l.close(len(l.src) - len(r))
			return token{kind: tVarEnd, line: line}, true
		}
	case "line":
		rest := strings.TrimLeft(l.src[l.pos:], " \t\v\r\f")
		if r, ok := strings.CutPrefix(rest, "\n"); ok || rest == "" {
			l.close(len(l.src) - len(r))
			return token{kind: tBlockEnd, line: line}, true
		}
	}
	return token{}, false
}

func (l *lexer) close(pos int) {
	l.lineStart = l.src[pos-1] == '\n'
	l.pos, l.state = pos, "root"
}

var operators = []string{
	"//", "**", "==", "!=", ">=", "<=",
	"+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<", "=", ".", ":", "|", ",", ";",
}

func (l *lexer) operator(line int) token {
	at := l.pos
	for _, op := range operators {
		if !strings.HasPrefix(l.src[at:], op) {
			continue
		}
		switch op {
		case "(":
			l.balance = append(l.balance, ')')
		case "[":
			l.balance = append(l.balance, ']')
		case "{":
			l.balance = append(l.balance, '}')
		case ")", "]", "}":
			if len(l.balance) == 0 {
				l.fail(at, "unexpected '%s'", op)
			}
			want := l.balance[len(l.balance)-1]
			if l.balance = l.balance[:len(l.balance)-1]; want != op[0] {
				l.fail(at, "unexpected '%s', expected '%c'", op, want)
			}
		}
		l.pos += len(op)
		return token{kind: op, text: op, line: line}
	}
	c, _ := utf8.DecodeRuneInString(l.src[at:])
	l.fail(at, "unexpected char %s at %d", Repr(string(c)), utf8.RuneCountInString(l.src[:at]))
	return token{}
}
