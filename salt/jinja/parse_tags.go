package jinja

import "strings"

func (p *parser) forTag() stmt {
	n := &forNode{pos: pos(p.next().line)}
	n.target = p.assignTarget(false, "in")
	p.expectName("in")
	n.iter = p.tuple(tupleMode{noCond: true, end: "recursive"})
	if p.skipName("if") {
		n.test = p.expression()
	}
	n.recursive = p.skipName("recursive")
	p.loops++
	n.body = p.statements(false, "endfor", "else")
	p.loops--
	if p.next().text == "else" {
		n.els = p.statements(true, "endfor")
	}
	return n
}

func (p *parser) ifTag() stmt {
	n := &ifNode{pos: pos(p.next().line)}
	line := n.at()
	for {
		n.lines = append(n.lines, line)
		n.tests = append(n.tests, p.tuple(tupleMode{noCond: true}))
		n.bodies = append(n.bodies, p.statements(false, "elif", "else", "endif"))
		switch t := p.next(); t.text {
		case "elif":
			line = p.cur.line
			continue
		case "else":
			n.els = p.statements(true, "endif")
		}
		return n
	}
}

func (p *parser) setTag() stmt {
	line := pos(p.next().line)
	target := p.assignTarget(true, "")
	if p.skipIf("=") {
		return &setNode{line, target, p.tuple(tupleMode{})}
	}
	var filter expr
	if p.cur.kind == "|" {
		filter = p.filter(nil, false)
	}
	return &setBlockNode{line, target, filter, p.statements(true, "endset")}
}

func (p *parser) withTag() stmt {
	n := &withNode{pos: pos(p.next().line)}
	for p.cur.kind != tBlockEnd {
		if len(n.targets) > 0 {
			p.expect(",")
		}
		n.targets = append(n.targets, p.assignTarget(false, ""))
		p.expect("=")
		n.vals = append(n.vals, p.expression())
	}
	n.body = p.statements(true, "endwith")
	return n
}

// autoescapeTag: Salt's files are never escaped, whatever the tag says.
func (p *parser) autoescapeTag() stmt {
	line := pos(p.next().line)
	x := p.expression()
	if c, ok := x.(*constNode); !ok || Truth(c.val) {
		p.fail(int(line), "autoescape is not done here: text for HTML has to go through the filter e")
	}
	return &scopeNode{line, p.statements(true, "endautoescape")}
}

func (p *parser) blockTag() stmt {
	n := &blockNode{pos: pos(p.next().line)}
	n.name = p.expect(tName).text
	n.scoped = p.skipName("scoped")
	n.required = p.skipName("required")
	if p.cur.kind == "-" {
		p.fail(p.cur.line, "Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.")
	}
	if p.blocks[n.name] != nil {
		p.fail(n.at(), "block %s defined twice", Repr(n.name))
	}
	p.blocks[n.name] = n
	n.body = p.statements(true, "endblock")
	if n.required {
		for _, s := range n.body {
			if o, ok := s.(*outputNode); !ok || o.x != nil || strings.TrimSpace(o.text) != "" {
				p.fail(p.cur.line, "Required blocks can only contain comments or whitespace")
			}
		}
	}
	p.skipName(n.name)
	return n
}

func (p *parser) extendsTag() stmt {
	line := pos(p.next().line)
	p.extends = true
	return &extendsNode{line, p.expression()}
}

// importContext parses "with context" and "without context".
func (p *parser) importContext(with *bool) bool {
	if (p.cur.isName("with") || p.cur.isName("without")) && p.look().isName("context") {
		*with = p.next().text == "with"
		p.next()
		return true
	}
	return false
}

func (p *parser) includeTag() stmt {
	n := &includeNode{pos: pos(p.next().line), withContext: true}
	n.tmpl = p.expression()
	if p.cur.isName("ignore") && p.look().isName("missing") {
		n.ignoreMissing = true
		p.next()
		p.next()
	}
	p.importContext(&n.withContext)
	return n
}

func (p *parser) importTag() stmt {
	n := &importNode{pos: pos(p.next().line)}
	n.tmpl = p.expression()
	p.expectName("as")
	n.target = p.nameTarget().text
	p.importContext(&n.withContext)
	return n
}

func (p *parser) importDataTag() stmt {
	load := "load_" + strings.TrimPrefix(p.cur.text, "import_")
	n := p.importTag().(*importNode)
	n.load = load
	return n
}

func (p *parser) fromTag() stmt {
	n := &fromNode{pos: pos(p.next().line)}
	n.tmpl = p.expression()
	p.expectName("import")
	for {
		if len(n.names) > 0 {
			p.expect(",")
		}
		if p.cur.kind != tName {
			p.expect(tName)
		}
		if p.importContext(&n.withContext) {
			return n
		}
		t := p.nameTarget()
		if strings.HasPrefix(t.text, "_") {
			p.fail(t.line, "names starting with an underline can not be imported")
		}
		alias := t.text
		if p.skipName("as") {
			alias = p.nameTarget().text
		}
		n.names, n.aliases = append(n.names, t.text), append(n.aliases, alias)
		if p.importContext(&n.withContext) || p.cur.kind != "," {
			return n
		}
	}
}

func (p *parser) signature(n *macroNode) {
	p.expect("(")
	for p.cur.kind != ")" {
		if len(n.params) > 0 {
			p.expect(",")
		}
		n.params = append(n.params, p.nameTarget().text)
		if p.skipIf("=") {
			n.defaults = append(n.defaults, p.expression())
		} else if len(n.defaults) > 0 {
			p.fail(p.cur.line, "non-default argument follows default argument")
		}
	}
	p.expect(")")
}

func (p *parser) macroTag() stmt {
	n := &macroNode{pos: pos(p.next().line)}
	n.name = p.nameTarget().text
	p.signature(n)
	p.macroBody(n, "endmacro")
	return n
}

func (p *parser) macroBody(n *macroNode, end string) {
	loops := p.loops
	p.loops = 0
	n.body = p.statements(true, end)
	p.loops = loops
	used := map[string]bool{}
	walkStmts(n.body, func(x any) {
		if name, ok := x.(*nameNode); ok {
			used[name.name] = true
		}
	})
	for _, x := range n.defaults {
		walkExpr(x, func(x any) {
			if name, ok := x.(*nameNode); ok {
				used[name.name] = true
			}
		})
	}
	n.caller, n.kwargs, n.varargs = used["caller"], used["kwargs"], used["varargs"]
}

func (p *parser) callTag() stmt {
	line := p.next().line
	m := &macroNode{pos: pos(line), name: "caller"}
	if p.cur.kind == "(" {
		p.signature(m)
	}
	call, ok := p.expression().(*callNode)
	if !ok {
		p.fail(line, "expected call")
	}
	p.macroBody(m, "endcall")
	return &callBlockNode{pos(line), call, m}
}

func (p *parser) filterTag() stmt {
	line := pos(p.next().line)
	f := p.filter(nil, true)
	return &filterBlockNode{line, f, p.statements(true, "endfilter")}
}

func (p *parser) printTag() []stmt {
	p.next()
	var out []stmt
	for p.cur.kind != tBlockEnd {
		if len(out) > 0 {
			p.expect(",")
		}
		x := p.expression()
		out = append(out, &outputNode{pos: pos(x.at()), x: x})
	}
	return out
}

func (p *parser) doTag() stmt {
	line := pos(p.next().line)
	return &doNode{line, p.tuple(tupleMode{})}
}

func (p *parser) breakTag() stmt {
	line := p.next().line
	if p.loops == 0 {
		p.fail(line, "'break' outside loop")
	}
	return &breakNode{pos(line)}
}

func (p *parser) continueTag() stmt {
	line := p.next().line
	if p.loops == 0 {
		p.fail(line, "'continue' not properly in loop")
	}
	return &continueNode{pos(line)}
}

func (p *parser) loadTag() stmt {
	t := p.next()
	n := &loadNode{pos: pos(t.line), filter: t.text}
	p.expectName("as")
	n.target = p.assignTarget(false, "")
	loops := p.loops
	p.loops = 0
	n.body = p.statements(true, "endload")
	p.loops = loops
	return n
}

// profileTag runs the body; the time that Salt logs is not measured.
func (p *parser) profileTag() []stmt {
	line := pos(p.next().line)
	p.expectName("as")
	label := p.expression()
	body := p.statements(true, "endprofile")
	return append([]stmt{&doNode{line, label}}, body...)
}
