package render_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// hostile generates templates from a grammar of expensive things: values that contain each
// other many times, long texts, large lists and numbers, and every operation on them.
type hostile struct {
	r     *rand.Rand
	names []string // variables of the template
	depth int
	// Everything that can be called.
	filters, tests, functions []string
}

func (h *hostile) pick(of ...string) string { return of[h.r.IntN(len(of))] }

func (h *hostile) size() string {
	return h.pick("2", "7", "100", "1000", "30000", "100000", "1000000", "9000000", "60000000", "4000000000", "10**9", "2**40", "10**18")
}

// seed returns an expression whose value is or becomes large.
func (h *hostile) seed() string {
	switch h.r.IntN(16) {
	case 0:
		return "('a'*" + h.size() + ")"
	case 1:
		return "('é <b>'*" + h.size() + ")"
	case 2:
		return "('a b-c,d\\n'*" + h.size() + ")"
	case 3:
		return "([1]*" + h.size() + ")"
	case 4:
		return "([[1,'x']]*" + h.size() + ")"
	case 5:
		return "(range(100000)|list)"
	case 6:
		return "((range(100000)|list)*" + h.pick("1", "7", "10") + ")"
	case 7:
		return "(7**" + h.pick("99", "9999", "20000", "10**9") + ")"
	case 8:
		return "('9'*" + h.size() + ")"
	case 9:
		return "dict(range(" + h.pick("100", "30000", "100000") + ")|list|zip(range(100000)|list))"
	case 10:
		return "('[0,'*" + h.size() + ")"
	case 11:
		return "('- a: &x [*x,1]\\n'*" + h.size() + ")"
	case 12:
		return "(('%d {} '*" + h.pick("5", "3000", "1000000") + "))"
	case 13:
		return "range(" + h.pick("10", "100000") + ")"
	case 14:
		return "('x' ~ 'y'*" + h.size() + " ~ 'z')"
	}
	return h.pick("1", "'a'", "''", "[]", "{}", "()", "none", "true", "1.5", "-1", "{'a': 1}", "[1,2,3]", "'0.0.0.0/0'", "'::/40'", "'10.0.0.0/14'", "grains", "pillar")
}

func (h *hostile) expr() string {
	h.depth++
	defer func() { h.depth-- }()
	if h.depth > 4 {
		return h.leaf()
	}
	switch h.r.IntN(15) {
	case 0, 1:
		return h.leaf()
	case 2, 3, 4, 5:
		return h.filtered()
	case 6:
		return "(" + h.expr() + h.pick("+", "-", "*", "~", "%", "//", "**", "/") + h.expr() + ")"
	case 7:
		return "(" + h.expr() + h.pick("==", "!=", "<", "<=", " in ", " not in ", ">") + h.expr() + ")"
	case 8:
		return h.expr() + "[" + h.pick("0", "-1", "1:", ":-1", "::2", "::-1", "100000", "'a'", "1:2") + "]"
	case 9, 10:
		return h.method()
	case 11:
		return "(" + h.expr() + " is " + h.pick(h.tests...) + h.arguments(1) + ")"
	case 12:
		return h.pick(
			"["+h.expr()+","+h.expr()+"]", "("+h.expr()+","+h.expr()+")", "{"+h.expr()+":"+h.expr()+"}", "{'k':"+h.expr()+"}", "namespace(a="+h.expr()+")",
			"dict("+h.expr()+")", "cycler("+h.expr()+","+h.expr()+").next()", "joiner("+h.expr()+")")
	case 13:
		return "salt['" + h.pick(h.functions...) + "']" + h.arguments(1+h.r.IntN(3))
	}
	return "(" + h.expr() + " if " + h.expr() + " else " + h.expr() + ")"
}

func (h *hostile) leaf() string {
	if h.r.IntN(3) > 0 && len(h.names) > 0 {
		return h.pick(h.names...)
	}
	return h.seed()
}

func (h *hostile) arguments(n int) string {
	var out []string
	for range n {
		out = append(out, h.argument())
	}
	return "(" + strings.Join(out, ",") + ")"
}

func (h *hostile) argument() string {
	switch h.r.IntN(4) {
	case 0:
		return h.expr()
	case 1:
		return h.leaf()
	}
	return h.pick("1", "0", "2", "-1", "100000", "1000000", "'a'", "'b'", "''", "'a|b'", "'(a*)*b'", "'(a|aa)+$'", "'\\\\1'", "'0:0:0'", "'%A'", "true", "none",
		"'[*].[@,@][].[@,@]'", "'[@,@]|[@,@]|[@,@]|[@,@]|to_string(@)'", "attribute='a'", "width=1", "'upper'", "'reverse'", "'string'", "default=1", "sort_keys=true",
		"indent=60", "start=[]", "'md5'", "'sort'", "':'", "','", "' '", "repeat=5", "case_sensitive=true")
}

func (h *hostile) filtered() string {
	name := h.pick(h.filters...)
	switch h.r.IntN(3) {
	case 0:
		return h.expr() + "|" + name
	case 1:
		return "(" + h.leaf() + "|" + name + h.arguments(1+h.r.IntN(2)) + ")"
	}
	return "(" + h.expr() + "|" + name + h.arguments(1) + ")"
}

var hostileMethods = strings.Fields(`upper lower title capitalize swapcase strip lstrip rstrip startswith endswith find rfind index center ljust rjust
	isdigit isalpha isspace islower istitle zfill count replace split rsplit splitlines partition rpartition join format format_map encode expandtabs removeprefix
	decode hex append extend insert pop remove reverse sort copy clear get setdefault popitem update keys values items fromkeys move_to_end add discard union
	intersection difference symmetric_difference issubset issuperset bit_length isidentifier casefold`)

func (h *hostile) method() string {
	return h.expr() + "." + h.pick(hostileMethods...) + h.arguments(h.r.IntN(3))
}

// doubling declares a variable that contains itself twice, n times over.
func (h *hostile) doubling() string {
	v := h.name()
	n := h.pick("10", "17", "22", "30", "60", "150", "1000")
	grow := h.pick("[V,V]", "(V,V)", "{'a':V,'b':V}", "[V]", "(V,)", "{'a':V}", "V+V", "V~V", "V*V", "V|string", "V|json", "V|tojson", "[V,V]|yaml", "V|list", "V*2", "[V,V,V]", "V|pprint")
	from := h.pick("1", "[1]", "(1,)", "()", "[]", "{}", "'ab'", "3", "{'x': 1}", h.seed())
	return fmt.Sprintf("{%% set %s = namespace(v=%s) %%}{%% for i in range(%s) %%}{%% set %s.v = %s %%}{%% endfor %%}{%% set %s = %s.v %%}",
		v, from, n, v, strings.ReplaceAll(grow, "V", v+".v"), v, v)
}

func (h *hostile) name() string {
	n := "v" + string(rune('a'+len(h.names)%26))
	h.names = append(h.names, n)
	return n
}

func (h *hostile) body() string {
	return h.pick("{{ "+h.expr()+" }}", "{% set y = "+h.expr()+" %}", "{% do "+h.method()+" %}", "{% if "+h.expr()+" %}x{% endif %}")
}

func (h *hostile) statement() string {
	h.depth++
	defer func() { h.depth-- }()
	switch h.r.IntN(13) {
	case 0, 1:
		return h.doubling()
	case 2:
		v := h.expr()
		return "{% set " + h.name() + " = " + v + " %}"
	case 3, 4:
		return "{{ " + h.expr() + " }}"
	case 5, 6:
		return "{% for i in range(" + h.pick("3", "1000", "90000") + ") %}" + h.body() + "{% endfor %}"
	case 7:
		return "{% for i in " + h.expr() + " %}" + h.body() + "{% endfor %}"
	case 8:
		return "{% set " + h.name() + " %}" + h.body() + h.body() + "{% endset %}"
	case 9:
		return "{% filter " + h.pick(h.filters...) + " %}" + h.body() + "{% endfilter %}"
	case 10:
		return h.pick(
			"{% macro m(x) %}{{ m(x) }}{{ m(x) }}{% endmacro %}{{ m("+h.expr()+") }}",
			"{% macro m(x, n=9) %}{% if n > 0 %}{{ m([x,x], n-1) }}{{ x }}{% endif %}{% endmacro %}{{ m("+h.expr()+") }}",
			"{% macro c() %}{% for i in range(90000) %}{{ caller() }}{% endfor %}{% endmacro %}{% call c() %}"+h.body()+"{% endcall %}",
			"{% for i in ["+h.expr()+"] recursive %}{{ loop([i,i]) }}{% endfor %}",
			"{% from 'macros.jinja' import twice, rec %}{{ twice("+h.expr()+") }}{{ rec("+h.pick("3", "60")+") }}",
			"{% include 'self.jinja' %}", "{% import_yaml 'data.yaml' as d %}{{ d }}",
			"{% for i in range(90000) %}{% include 'text.txt' %}{% endfor %}",
			"{% for i in range(90000) %}{% import 'macros.jinja' as q with context %}{% endfor %}")
	case 11:
		return "{% load_yaml as " + h.name() + " %}" + h.pick("\na: &a [1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d]\n",
			"{{ "+h.expr()+" }}", "\na: &a {x: 1, y: 2}\nb: &b {<<: *a, z: *a}\nc: {<<: [*a, *b], d: *b}\n") + "{% endload %}"
	}
	list := h.name()
	return "{% set " + list + " = [] %}{% for i in range(" + h.pick("1000", "90000") + ") %}{% do " + list + "." + h.pick("append", "extend", "insert") + "(" + h.argument() + ") %}{% endfor %}"
}

// kinds are values by their type; V is the variable that holds one.
var kinds = map[string][]string{
	"text":   {"('a'*N)", "('é <b>'*N)", "('a b-c,d\\n'*N)", "('9'*N)", "('<!--<a>'*N)", "(' '*N)", "('a_b '*N)", "('%d {} '*N)", "('YWJj'*N)", "(('ab '*N) ~ 'z')", "('\\t'*N)", "('- x\\n'*N)", "('[0,'*N)", "('[],'*N)"},
	"list":   {"([1]*N)", "(['b','a']*N)", "(range(100000)|list)", "(range(100000)|map('string')|list)", "([[1,'x'],[2,'y']]*N)", "([{'a': 1},{'a': 'b'}]*N)", "([('a'*1000)]*N)", "[[1]*N]", "[('a'*N),('b'*N)]", "([('a','b')]*N)", "(['10.0.0.1/30']*N)"},
	"dict":   {"dict(range(90000)|zip(range(90000)))", "{'a': ('x'*N), 'b': [1]*N}", "{'a': [1]*N}", "dict([['a',1],['b','x'*N]])", "{'a': {'b': [[1]*N]}}"},
	"number": {"(7**20000)", "(2**65000)", "(-(3**30000))", "N", "1.5e300", "(9**9)"},
}

var wides = []string{"[V,V]", "(V,V)", "{'a':V,'b':V}", "[V,V,V]", "{'a':[V,V]}", "(V,[V])", "[V]", "(V,)", "{'a':V}"}

// value declares a variable with a large value, and returns its name and kind.
func (h *hostile) value() (declared, name, kind string) {
	name = h.name()
	if h.r.IntN(4) == 0 {
		from := h.pick("1", "[1]", "(1,)", "'ab'", "{'x': 1}", "none")
		return fmt.Sprintf("{%% set %s = namespace(v=%s) %%}{%% for i in range(%s) %%}{%% set %s.v = %s %%}{%% endfor %%}{%% set %s = %s.v %%}",
			name, from, h.pick("9", "16", "22", "40", "150"), name, strings.ReplaceAll(h.pick(wides...), "V", name+".v"), name, name), name, "wide"
	}
	kind = h.pick("text", "text", "list", "list", "dict", "number")
	v := strings.ReplaceAll(h.pick(kinds[kind]...), "N", h.pick("3", "1000", "30000", "100000", "500000", "1000000", "6000000"))
	return "{% set " + name + " = " + v + " %}", name, kind
}

// operation returns one operation on v, with valid arguments.
func (h *hostile) operation(v, kind string) string {
	arg := func() string {
		return h.pick(v, v, "w", "w", "1", "2", "'a'", "'b'", "' '", "','", "''", "['a']", "{'a': 1}", "[v]", "'a|b'", "'(a|aa)+$'", "'(a*)*b'", "'.'", "'a:b'", "'b' * 100000", "100000", "true", "'[*].[@,@][].[@,@][]'", "'join(`,`, @)'", "'to_string([@,@])'")
	}
	if kind == "wide" && h.r.IntN(3) > 0 {
		return h.pick(v+" == w", v+" < w", v+" in [w]", "{"+v+": 1}", v+" in {1: 2}", "["+v+"]|unique|list", v+"|string", v+"|json", v+"|tojson", v+"|yaml", v+"|yaml(false)", v+"|pprint", v+"|python", v+"|flatten", v+"|xml",
			"["+v+",w]|sort", "["+v+",w]|min", "["+v+"]|union([w])", "["+v+"]|intersect([w])", "["+v+"]|difference([w])", "[{'a':"+v+"},{'a':w}]|groupby('a')", "{'a':"+v+"}|compare_dicts({'a':w})", "["+v+"]|compare_lists([w])",
			"["+v+"].index(w)", "["+v+"].count(w)", "salt['slsutil.merge']({'a':"+v+"},{'a':w})", "salt['defaults.deepcopy']("+v+")", "salt['slsutil.update']({'a':"+v+"},{'a':w},true,true)", "'%s' % (["+v+"],)", "'{0}'.format("+v+")", "'{0!r}'.format("+v+")",
			v+"|json_query('[0][0]')", "salt['test.args']("+v+")", "("+v+"|string)|md5", "show_full_context()", v+"|json_encode_list", "{'a':"+v+"}|json_encode_dict", v+" ~ w", "{'a':"+v+",'b':w}|dictsort(by='value')", v+"|traverse('0:0:a:b')", "["+v+"]|join", "["+v+"]|map('string')|list", v+"|list|reverse|list")
	}
	args := func(n int) string {
		var out []string
		for range n {
			out = append(out, arg())
		}
		if len(out) == 0 {
			return ""
		}
		return "(" + strings.Join(out, ",") + ")"
	}
	switch h.r.IntN(10) {
	case 0, 1, 2:
		return v + "|" + h.pick(h.filters...) + args(h.r.IntN(3))
	case 3:
		return "[" + v + "]|map('" + h.pick(h.filters...) + "'" + h.pick("", ", 'a'", ", 1", ", w", ", 'a', 'b'") + ")|list"
	case 4, 5, 6:
		methods := map[string]string{
			"text": "upper lower title capitalize swapcase strip lstrip rstrip startswith endswith find rfind index center ljust rjust isdigit isalpha isspace islower istitle zfill count replace split rsplit splitlines partition rpartition join format encode expandtabs removeprefix removesuffix casefold isidentifier isprintable",
			"list": "append extend insert pop remove reverse sort copy clear index count", "dict": "get setdefault pop popitem update keys values items fromkeys move_to_end copy",
			"number": "bit_length is_integer", "wide": "index count copy get keys",
		}[kind]
		n := h.r.IntN(3)
		a := args(n)
		if n == 0 {
			a = "()"
		}
		return v + "." + h.pick(strings.Fields(methods)...) + a
	case 7:
		return "(" + v + h.pick(" + ", " * ", " % ", " ~ ", " == ", " < ", " in ", " - ", " // ", " ** ") + h.pick(v, "w", "[w]", "2", "7", "1000", "'a'", "[1]") + ")"
	case 8:
		return v + "[" + h.pick("0", "-1", "1:", ":-1", "::2", "::-1", "1:2", ":1", "99999") + "]"
	}
	return h.pick("("+v+" is "+h.pick(h.tests...)+args(1)+")", "("+v+" is "+h.pick(h.tests...)+")", "salt['"+h.pick(h.functions...)+"']("+v+","+arg()+")", "dict(a="+v+")", "'%s%r' % ("+v+",w)", "'{0:>60000}{0!r}'.format("+v+")", "namespace(a="+v+")")
}

// one returns a template with one operation on a large value, once or many times.
func (h *hostile) one() string {
	declared, v, kind := h.value()
	other := strings.ReplaceAll(declared, v+" ", "w ")
	other = strings.ReplaceAll(strings.ReplaceAll(other, v+".", "w."), "set "+v, "set w")
	use := h.operation(v, kind)
	switch h.r.IntN(4) {
	case 0:
		return declared + other + "{{ " + use + " }}"
	case 1:
		return declared + other + "{% set y = " + use + " %}{{ " + strings.ReplaceAll(h.operation(v, kind), v, "y") + " }}"
	case 2:
		return declared + other + "{% set l = [] %}{% for i in range(90000) %}{% do l.append(" + use + ") %}{% endfor %}"
	}
	return declared + other + "{% for i in range(90000) %}{% set y = " + use + " %}{% endfor %}"
}

// template returns one template.
func (h *hostile) template() string {
	if h.r.IntN(4) > 0 {
		return h.one()
	}
	var b strings.Builder
	for range 1 + h.r.IntN(4) {
		b.WriteString(h.statement())
	}
	// Sometimes the output is parsed as a document.
	if h.r.IntN(6) == 0 {
		b.WriteString("\na: " + "{{ " + h.expr() + " }}\n")
	}
	return b.String()
}

// generated returns the hostile template of a seed.
func generated(seed uint64) string {
	h := &hostile{r: rand.New(rand.NewPCG(seed, 77)), filters: hostileFilters, tests: hostileTests, functions: append(pureNames, "test.args")}
	return h.template()
}
