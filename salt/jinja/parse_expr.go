package jinja

import "strings"

// tupleMode says what a comma-separated list of expressions may hold.
type tupleMode struct {
	simple, noCond, parens, namespace bool
	end                               string // a word that ends it
}

func (p *parser) tuple(m tupleMode) expr {
	line := p.cur.line
	var items []expr
	isTuple := false
	for {
		if len(items) > 0 {
			p.expect(",")
		}
		if p.cur.kind == tVarEnd || p.cur.kind == tBlockEnd || p.cur.kind == ")" || m.end != "" && p.cur.isName(m.end) {
			break
		}
		switch {
		case m.simple:
			items = append(items, p.primary(m.namespace))
		case m.noCond:
			items = append(items, p.or())
		default:
			items = append(items, p.expression())
		}
		if p.cur.kind != "," {
			break
		}
		isTuple = true
		line = p.cur.line
	}
	if !isTuple {
		if len(items) > 0 {
			return items[0]
		}
		if !m.parens {
			p.fail(p.cur.line, "Expected an expression, got %s", Repr(p.cur.describe()))
		}
	}
	return &tupleNode{pos(line), items}
}

func (p *parser) expression() expr {
	p.enter()
	defer p.leave()
	line := pos(p.cur.line)
	x := p.or()
	for p.skipName("if") {
		n := &condNode{pos: line, yes: x, test: p.or()}
		if p.skipName("else") {
			n.no = p.expression()
		}
		x, line = n, pos(p.cur.line)
	}
	return x
}

func (p *parser) or() expr {
	line := pos(p.cur.line)
	x := p.and()
	for p.skipName("or") {
		x = &logicNode{line, false, x, p.and()}
		line = pos(p.cur.line)
	}
	return x
}

func (p *parser) and() expr {
	line := pos(p.cur.line)
	x := p.not()
	for p.skipName("and") {
		x = &logicNode{line, true, x, p.not()}
		line = pos(p.cur.line)
	}
	return x
}

func (p *parser) not() expr {
	if p.cur.isName("not") {
		p.enter()
		defer p.leave()
		line := pos(p.next().line)
		return &notNode{line, p.not()}
	}
	return p.comparison()
}

func (p *parser) comparison() expr {
	line := pos(p.cur.line)
	n := &compareNode{left: p.sum()}
	for {
		op := p.cur.kind
		switch {
		case op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=":
			p.next()
		case p.cur.isName("in"):
			op = "in"
			p.next()
		case p.cur.isName("not") && p.look().isName("in"):
			op = "not in"
			p.next()
			p.next()
		default:
			if len(n.ops) == 0 {
				return n.left
			}
			n.pos = line
			return n
		}
		n.ops = append(n.ops, op)
		n.rest = append(n.rest, p.sum())
		line = pos(p.cur.line)
	}
}

// chain parses operators of one precedence.
func (p *parser) chain(part func() expr, ops ...string) expr {
	line := pos(p.cur.line)
	x := part()
	// The depth of a chain is its length: recursion walks it.
	for n := 0; ; n++ {
		found := false
		for _, op := range ops {
			if p.cur.kind == op {
				p.next()
				x = &binaryNode{line, op, x, part()}
				line, found = pos(p.cur.line), true
				break
			}
		}
		if !found {
			return x
		}
		if n > 5000 {
			panic(&Error{Kind: KindLimit, Text: "an expression has more than 5000 operators", Line: p.cur.line})
		}
	}
}

func (p *parser) sum() expr     { return p.chain(p.concat, "+", "-") }
func (p *parser) product() expr { return p.chain(p.power, "*", "/", "//", "%") }
func (p *parser) power() expr {
	return p.chain(func() expr { return p.unary(true) }, "**")
}

func (p *parser) concat() expr {
	line := pos(p.cur.line)
	items := []expr{p.product()}
	for p.skipIf("~") {
		items = append(items, p.product())
	}
	if len(items) == 1 {
		return items[0]
	}
	return &concatNode{line, items}
}

func (p *parser) unary(filters bool) expr {
	p.enter()
	defer p.leave()
	line := pos(p.cur.line)
	var x expr
	switch {
	case p.skipIf("-"):
		x = &unaryNode{line, true, p.unary(false)}
	case p.skipIf("+"):
		x = &unaryNode{line, false, p.unary(false)}
	default:
		x = p.primary(false)
	}
	x = p.postfix(x)
	if filters {
		x = p.filtered(x)
	}
	return x
}

func (p *parser) primary(namespace bool) expr {
	t := p.cur
	line := pos(t.line)
	switch t.kind {
	case tName:
		p.next()
		switch t.text {
		case "true", "True":
			return &constNode{line, true}
		case "false", "False":
			return &constNode{line, false}
		case "none", "None":
			return &constNode{line, nil}
		}
		if namespace && p.skipIf(".") {
			return &nsRefNode{line, t.text, p.expect(tName).text}
		}
		return &nameNode{line, t.text}
	case tString:
		var b strings.Builder
		for p.cur.kind == tString {
			b.WriteString(p.next().text)
		}
		return &constNode{line, b.String()}
	case tInt, tFloat:
		p.next()
		return &constNode{line, t.val}
	case "(":
		p.next()
		p.enter()
		x := p.tuple(tupleMode{parens: true})
		p.leave()
		p.expect(")")
		return x
	case "[":
		p.next()
		return &listNode{line, p.list("]")}
	case "{":
		return p.dict()
	}
	p.fail(t.line, "unexpected %s", Repr(t.describe()))
	return nil
}

func (p *parser) list(end string) []expr {
	var items []expr
	for p.cur.kind != end {
		if len(items) > 0 {
			p.expect(",")
		}
		if p.cur.kind == end {
			break
		}
		items = append(items, p.expression())
	}
	p.expect(end)
	return items
}

func (p *parser) dict() expr {
	n := &dictNode{pos: pos(p.next().line)}
	for p.cur.kind != "}" {
		if len(n.keys) > 0 {
			p.expect(",")
		}
		if p.cur.kind == "}" {
			break
		}
		n.keys = append(n.keys, p.expression())
		p.expect(":")
		n.vals = append(n.vals, p.expression())
	}
	p.expect("}")
	return n
}

func (p *parser) postfix(x expr) expr {
	for n := 0; ; n++ {
		switch p.cur.kind {
		case ".", "[":
			x = p.subscript(x)
		case "(":
			x = p.call(x)
		default:
			return x
		}
		if n > 1000 {
			panic(&Error{Kind: KindLimit, Text: "an expression has more than 1000 subscripts", Line: p.cur.line})
		}
	}
}

func (p *parser) filtered(x expr) expr {
	for n := 0; ; n++ {
		switch {
		case p.cur.kind == "|":
			x = p.filter(x, false)
		case p.cur.isName("is"):
			x = p.test(x)
		case p.cur.kind == "(":
			x = p.call(x)
		default:
			return x
		}
		if n > 1000 {
			panic(&Error{Kind: KindLimit, Text: "an expression has more than 1000 filters", Line: p.cur.line})
		}
	}
}

func (p *parser) subscript(x expr) expr {
	t := p.next()
	line := pos(t.line)
	if t.kind == "." {
		a := p.next()
		switch a.kind {
		case tName:
			return &attrNode{line, x, a.text}
		case tInt:
			return &itemNode{line, x, &constNode{pos(a.line), a.val}}
		}
		p.fail(a.line, "expected name or number")
	}
	var keys []expr
	for p.cur.kind != "]" {
		if len(keys) > 0 {
			p.expect(",")
		}
		keys = append(keys, p.subscribed())
	}
	p.expect("]")
	if len(keys) == 1 {
		return &itemNode{line, x, keys[0]}
	}
	return &itemNode{line, x, &tupleNode{line, keys}}
}

// subscribed parses a key or a slice.
func (p *parser) subscribed() expr {
	n := &sliceNode{pos: pos(p.cur.line)}
	if !p.skipIf(":") {
		x := p.expression()
		if !p.skipIf(":") {
			return x
		}
		n.start = x
	}
	ends := func() bool { return p.cur.kind == ":" || p.cur.kind == "]" || p.cur.kind == "," }
	if !ends() {
		n.stop = p.expression()
	}
	if p.skipIf(":") && !ends() {
		n.step = p.expression()
	}
	return n
}

func (p *parser) call(fn expr) expr {
	line := pos(p.cur.line)
	return &callNode{line, fn, p.callArgs()}
}

func (p *parser) callArgs() callArgs {
	var a callArgs
	line := p.expect("(").line
	ensure := func(ok bool) {
		if !ok {
			p.fail(line, "invalid syntax for function call expression")
		}
	}
	for first := true; p.cur.kind != ")"; first = false {
		if !first {
			p.expect(",")
			if p.cur.kind == ")" {
				break
			}
		}
		switch {
		case p.cur.kind == "*":
			ensure(a.star == nil && a.starMap == nil)
			p.next()
			a.star = p.expression()
		case p.cur.kind == "**":
			ensure(a.starMap == nil)
			p.next()
			a.starMap = p.expression()
		case p.cur.kind == tName && p.look().kind == "=":
			ensure(a.starMap == nil)
			name := p.next().text
			p.next()
			a.names = append(a.names, name)
			a.vals = append(a.vals, p.expression())
		default:
			ensure(a.star == nil && a.starMap == nil && len(a.names) == 0)
			a.args = append(a.args, p.expression())
		}
	}
	p.expect(")")
	return a
}

// filter parses |a|b…; inline begins with a name, as in {% filter a %}.
func (p *parser) filter(x expr, inline bool) expr {
	for p.cur.kind == "|" || inline {
		if !inline {
			p.next()
		}
		inline = false
		n := &filterNode{x: x}
		n.pos, n.name = p.dotted()
		if p.cur.kind == "(" {
			n.args = p.callArgs()
		}
		x = n
	}
	return x
}

func (p *parser) dotted() (pos, string) {
	t := p.expect(tName)
	name := t.text
	for p.skipIf(".") {
		name += "." + p.expect(tName).text
	}
	return pos(t.line), name
}

func (p *parser) test(x expr) expr {
	line := pos(p.next().line)
	negated := p.skipName("not")
	n := &testNode{pos: line, x: x}
	_, n.name = p.dotted()
	switch k := p.cur.kind; {
	case k == "(":
		n.args = p.callArgs()
	case k == tName || k == tString || k == tInt || k == tFloat || k == "[" || k == "{":
		if p.cur.isName("else") || p.cur.isName("or") || p.cur.isName("and") {
			break
		}
		if p.cur.isName("is") {
			p.fail(p.cur.line, "You cannot chain multiple tests with is")
		}
		n.args.args = []expr{p.postfix(p.primary(false))}
	}
	if negated {
		return &notNode{line, n}
	}
	return n
}
