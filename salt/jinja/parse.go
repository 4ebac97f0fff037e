package jinja

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
)

// maxSyntax is the deepest nesting of statements and expressions.
const maxSyntax = 150

// parser builds the nodes of one template.
type parser struct {
	lex     *lexer
	cur     token
	ahead   []token
	tags    []string
	ends    [][]string
	blocks  map[string]*blockNode
	depth   int
	loops   int
	extends bool

	ctx    context.Context
	tokens int
	left   int // remaining bytes for nodes
}

// tokenBytes is the approximate memory of the nodes of one token. lookTokens is how many
// tokens are read between two checks of the context.
const (
	tokenBytes = 160
	lookTokens = 1 << 12
)

func newParser(src string, s Syntax) *parser {
	p := &parser{lex: newLexer(src, s), blocks: map[string]*blockNode{}, ctx: context.Background(), left: math.MaxInt}
	p.next()
	return p
}

// next advances one token and returns the previous one.
func (p *parser) next() token {
	t := p.cur
	if len(p.ahead) > 0 {
		p.cur, p.ahead = p.ahead[0], p.ahead[1:]
		return t
	}
	p.count()
	p.cur = p.lex.next()
	if p.cur.kind == tEOF {
		p.cur.line = max(t.line, 1)
	}
	return t
}

// count counts one more token.
func (p *parser) count() {
	if p.tokens++; p.tokens%lookTokens != 0 {
		return
	}
	if p.tokens > p.left/tokenBytes {
		panic(&Error{Kind: KindLimit, Text: "the template has too many parts for the memory of one rendering", Line: p.cur.line})
	}
	if err := p.ctx.Err(); err != nil {
		Throw(fmt.Errorf("reading the template took too long: %w", err))
	}
}

func (p *parser) look() token {
	if len(p.ahead) == 0 {
		p.ahead = append(p.ahead, p.lex.next())
	}
	return p.ahead[0]
}

func (p *parser) fail(line int, format string, args ...any) {
	var e *Error
	errors.As(Fault(format, args...), &e)
	e.Line = line
	panic(e)
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxSyntax {
		e := &Error{Kind: KindLimit, Text: "statements and expressions are nested too deeply", Line: p.cur.line}
		panic(e)
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) skipIf(kind string) bool {
	if p.cur.kind == kind {
		p.next()
		return true
	}
	return false
}

func (p *parser) skipName(name string) bool {
	if p.cur.isName(name) {
		p.next()
		return true
	}
	return false
}

func (p *parser) unexpected(want string) {
	if p.cur.kind == tEOF {
		p.fail(p.cur.line, "unexpected end of template, expected %s.", Repr(want))
	}
	p.fail(p.cur.line, "expected token %s, got %s", Repr(want), Repr(p.cur.describe()))
}

func (p *parser) expect(kind string) token {
	if p.cur.kind != kind {
		p.unexpected(describeKind(kind))
	}
	return p.next()
}

func (p *parser) expectName(name string) token {
	if !p.cur.isName(name) {
		p.unexpected(name)
	}
	return p.next()
}

// failTag reports an unknown tag, or an end tag in the wrong place.
func (p *parser) failTag(name string, end []string, line int) {
	ends := p.ends
	if end != nil {
		ends = append(append([][]string(nil), ends...), end)
	}
	looking, known := "", false
	for _, e := range ends {
		for _, n := range e {
			known = known || n == name
		}
	}
	if len(ends) > 0 {
		var q []string
		for _, n := range ends[len(ends)-1] {
			q = append(q, Repr(n))
		}
		looking = strings.Join(q, " or ")
	}
	text := "Unexpected end of template."
	if name != "" {
		text = "Encountered unknown tag " + Repr(name) + "."
	}
	switch {
	case looking == "":
	case name != "" && known:
		text += " You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for " + looking + "."
	default:
		text += " Jinja was looking for the following tags: " + looking + "."
	}
	if len(p.tags) > 0 {
		text += " The innermost block that needs to be closed is " + Repr(p.tags[len(p.tags)-1]) + "."
	}
	p.fail(line, "%s", text)
}

// statements reads up to one of the end tags, which stays the current token unless drop.
func (p *parser) statements(drop bool, ends ...string) []stmt {
	p.skipIf(":")
	p.expect(tBlockEnd)
	body := p.subparse(ends)
	if p.cur.kind == tEOF {
		p.failTag("", ends, p.cur.line)
	}
	if drop {
		p.next()
	}
	return body
}

// subparse reads text and statements until one of the end tags.
func (p *parser) subparse(ends []string) []stmt {
	p.enter()
	defer p.leave()
	if ends != nil {
		p.ends = append(p.ends, ends)
		defer func() { p.ends = p.ends[:len(p.ends)-1] }()
	}
	var body []stmt
	for {
		switch p.cur.kind {
		case tEOF:
			return body
		case tData:
			body = append(body, &outputNode{pos: pos(p.cur.line), text: p.cur.text})
			p.next()
		case tVarBegin:
			p.next()
			x := p.tuple(tupleMode{})
			body = append(body, &outputNode{pos: pos(x.at()), x: x})
			p.expect(tVarEnd)
		case tBlockBegin:
			p.next()
			if p.cur.kind == tName {
				for _, e := range ends {
					if p.cur.text == e {
						return body
					}
				}
			}
			body = append(body, p.statement()...)
			p.expect(tBlockEnd)
		default:
			p.fail(p.cur.line, "unexpected %s", Repr(p.cur.describe()))
		}
	}
}

func (p *parser) statement() []stmt {
	t := p.cur
	if t.kind != tName {
		p.fail(t.line, "tag name expected")
	}
	read, ok := tags[t.text]
	if !ok {
		p.failTag(t.text, nil, t.line)
	}
	p.tags = append(p.tags, t.text)
	defer func() { p.tags = p.tags[:len(p.tags)-1] }()
	return read(p)
}

// tags maps tags to their parsers. It is filled here because they refer to each other.
var tags map[string]func(*parser) []stmt

func init() {
	one := func(f func(*parser) stmt) func(*parser) []stmt {
		return func(p *parser) []stmt { return []stmt{f(p)} }
	}
	tags = map[string]func(*parser) []stmt{
		"for": one((*parser).forTag), "if": one((*parser).ifTag), "set": one((*parser).setTag),
		"with": one((*parser).withTag), "autoescape": one((*parser).autoescapeTag),
		"block": one((*parser).blockTag), "extends": one((*parser).extendsTag),
		"include": one((*parser).includeTag), "import": one((*parser).importTag),
		"from": one((*parser).fromTag), "macro": one((*parser).macroTag),
		"call": one((*parser).callTag), "filter": one((*parser).filterTag),
		"print": (*parser).printTag, "do": one((*parser).doTag),
		"break": one((*parser).breakTag), "continue": one((*parser).continueTag),
		"load_yaml": one((*parser).loadTag), "load_json": one((*parser).loadTag), "load_text": one((*parser).loadTag),
		"import_yaml": one((*parser).importDataTag), "import_json": one((*parser).importDataTag),
		"import_text": one((*parser).importDataTag), "profile": (*parser).profileTag,
	}
}

// assignTarget parses the left side of an assignment.
func (p *parser) assignTarget(namespace bool, end string) expr {
	x := p.tuple(tupleMode{simple: true, namespace: namespace, end: end})
	p.checkTarget(x)
	return x
}

func (p *parser) checkTarget(x expr) {
	switch x := x.(type) {
	case *nameNode:
		switch x.name {
		case "true", "false", "none", "True", "False", "None":
			p.fail(x.at(), "can't assign to 'name'")
		}
		return
	case *nsRefNode:
		return
	case *tupleNode:
		for _, e := range x.items {
			p.checkTarget(e)
		}
		return
	case *constNode:
		p.fail(x.at(), "can't assign to 'const'")
	case *listNode:
		p.fail(x.at(), "can't assign to 'list'")
	case *dictNode:
		p.fail(x.at(), "can't assign to 'dict'")
	}
	p.fail(x.at(), "can't assign to this")
}

func (p *parser) nameTarget() token {
	t := p.expect(tName)
	switch t.text {
	case "true", "false", "none", "True", "False", "None":
		p.fail(t.line, "can't assign to 'name'")
	}
	return t
}
