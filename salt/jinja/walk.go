package jinja

// walkStmts calls fn for every node below the statements.
func walkStmts(body []stmt, fn func(node any)) {
	for _, s := range body {
		walkStmt(s, fn)
	}
}

func walkStmt(s stmt, fn func(any)) {
	fn(s)
	ex := func(xs ...expr) {
		for _, x := range xs {
			walkExpr(x, fn)
		}
	}
	switch s := s.(type) {
	case *outputNode:
		ex(s.x)
	case *forNode:
		ex(s.target, s.iter, s.test)
		walkStmts(s.body, fn)
		walkStmts(s.els, fn)
	case *ifNode:
		ex(s.tests...)
		for _, b := range s.bodies {
			walkStmts(b, fn)
		}
		walkStmts(s.els, fn)
	case *setNode:
		ex(s.target, s.val)
	case *setBlockNode:
		ex(s.target, s.filter)
		walkStmts(s.body, fn)
	case *withNode:
		ex(s.targets...)
		ex(s.vals...)
		walkStmts(s.body, fn)
	case *scopeNode:
		walkStmts(s.body, fn)
	case *blockNode:
		walkStmts(s.body, fn)
	case *extendsNode:
		ex(s.tmpl)
	case *includeNode:
		ex(s.tmpl)
	case *importNode:
		ex(s.tmpl)
	case *fromNode:
		ex(s.tmpl)
	case *macroNode:
		ex(s.defaults...)
		walkStmts(s.body, fn)
	case *callBlockNode:
		ex(s.call)
		ex(s.macro.defaults...)
		walkStmts(s.macro.body, fn)
	case *filterBlockNode:
		ex(s.filter)
		walkStmts(s.body, fn)
	case *doNode:
		ex(s.x)
	case *loadNode:
		ex(s.target)
		walkStmts(s.body, fn)
	}
}

func walkExpr(x expr, fn func(any)) {
	if x == nil {
		return
	}
	fn(x)
	ex := func(xs ...expr) {
		for _, x := range xs {
			walkExpr(x, fn)
		}
	}
	args := func(a callArgs) {
		ex(a.args...)
		ex(a.vals...)
		ex(a.star, a.starMap)
	}
	switch x := x.(type) {
	case *tupleNode:
		ex(x.items...)
	case *listNode:
		ex(x.items...)
	case *dictNode:
		ex(x.keys...)
		ex(x.vals...)
	case *condNode:
		ex(x.test, x.yes, x.no)
	case *logicNode:
		ex(x.left, x.right)
	case *notNode:
		ex(x.x)
	case *unaryNode:
		ex(x.x)
	case *binaryNode:
		ex(x.left, x.right)
	case *concatNode:
		ex(x.items...)
	case *compareNode:
		ex(x.left)
		ex(x.rest...)
	case *attrNode:
		ex(x.x)
	case *itemNode:
		ex(x.x, x.key)
	case *sliceNode:
		ex(x.start, x.stop, x.step)
	case *callNode:
		ex(x.fn)
		args(x.args)
	case *filterNode:
		ex(x.x)
		args(x.args)
	case *testNode:
		ex(x.x)
		args(x.args)
	}
}
