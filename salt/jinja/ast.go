package jinja

// Expressions.
type (
	expr interface{ at() int }

	pos int

	constNode struct {
		pos
		val any
	}
	nameNode struct {
		pos
		name string
	}
	nsRefNode struct {
		pos
		name, attr string
	}
	tupleNode struct {
		pos
		items []expr
	}
	listNode struct {
		pos
		items []expr
	}
	dictNode struct {
		pos
		keys, vals []expr
	}
	condNode struct {
		pos
		test, yes, no expr
	}
	logicNode struct {
		pos
		and         bool
		left, right expr
	}
	notNode struct {
		pos
		x expr
	}
	unaryNode struct {
		pos
		minus bool
		x     expr
	}
	binaryNode struct {
		pos
		op          string
		left, right expr
	}
	concatNode struct {
		pos
		items []expr
	}
	compareNode struct {
		pos
		left expr
		ops  []string
		rest []expr
	}
	attrNode struct {
		pos
		x    expr
		name string
	}
	itemNode struct {
		pos
		x, key expr
	}
	sliceNode struct {
		pos
		start, stop, step expr
	}
	callNode struct {
		pos
		fn   expr
		args callArgs
	}
	filterNode struct {
		pos
		x    expr // nil: the content of the surrounding block
		name string
		args callArgs
	}
	testNode struct {
		pos
		x    expr
		name string
		args callArgs
	}

	callArgs struct {
		args          []expr
		names         []string
		vals          []expr
		star, starMap expr
	}
)

func (p pos) at() int { return int(p) }

// Statements.
type (
	stmt interface{ at() int }

	outputNode struct {
		pos
		text string // when x is nil
		x    expr
	}
	forNode struct {
		pos
		target     expr
		iter, test expr
		recursive  bool
		body, els  []stmt
	}
	ifNode struct {
		pos
		tests  []expr
		lines  []int
		bodies [][]stmt
		els    []stmt
	}
	setNode struct {
		pos
		target, val expr
	}
	setBlockNode struct {
		pos
		target expr
		filter expr
		body   []stmt
	}
	withNode struct {
		pos
		targets, vals []expr
		body          []stmt
	}
	scopeNode struct {
		pos
		body []stmt
	}
	blockNode struct {
		pos
		name             string
		scoped, required bool
		body             []stmt
	}
	extendsNode struct {
		pos
		tmpl expr
	}
	includeNode struct {
		pos
		tmpl                       expr
		ignoreMissing, withContext bool
	}
	importNode struct {
		pos
		tmpl        expr
		target      string
		withContext bool
		load        string // import_yaml: the filter that parses the imported text
	}
	fromNode struct {
		pos
		tmpl           expr
		names, aliases []string
		withContext    bool
	}
	macroNode struct {
		pos
		name     string
		params   []string
		defaults []expr
		body     []stmt
		caller   bool // uses the name caller
		kwargs   bool
		varargs  bool
	}
	callBlockNode struct {
		pos
		call  *callNode
		macro *macroNode
	}
	filterBlockNode struct {
		pos
		filter expr
		body   []stmt
	}
	doNode struct {
		pos
		x expr
	}
	loadNode struct {
		pos
		target expr
		filter string
		body   []stmt
	}
	breakNode    struct{ pos }
	continueNode struct{ pos }
)
