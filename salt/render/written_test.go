package render_test

import (
	"testing"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// Values of templates that package value lacks are written as in Salt 3006.27: tuples,
// undefined names, bytes, and a list that occurs more than once.
func TestTemplateValuesAreWrittenAsInSalt(t *testing.T) {
	e := engine(t, render.Options{})
	for source, want := range map[string]string{
		"{{ nothing|yaml }}":                                                  "NULL",
		"{{ {'a': nothing}|yaml(False) }}":                                    "a: NULL",
		"{{ {(1, 2): [3]}|yaml(False) }}":                                     "? - 1\n  - 2\n: - 3",
		"{{ {(1, 2): [3]}|yaml }}":                                            "{? [1, 2] : [3]}",
		"{% set l = ['a', {}] %}{{ {'a': l, 'b': l, 'c': [l]}|yaml(False) }}": "a: &id001\n- a\n- {}\nb: *id001\nc:\n- *id001",
		"{% set l = ['a', {}] %}{{ {'a': l, 'b': l, 'c': [l]}|yaml }}":        "{a: &id001 [a, {}], b: *id001, c: [*id001]}",
		"{{ ['ab'.encode(), (1, (2,))]|yaml(False) }}":                        "- !!binary |\n  YWI=\n- - 1\n  - - 2",
		"{{ {'k': ['word '*30, ('x',)]}|python }}": "{'k': ['word word word word word word word word word word word word word word '\n" +
			"       'word word word word word word word word word word word word word word '\n       'word word ',\n       ('x',)]}",
		"{{ ('b'*30, ('x'*60,))|pprint }}": "('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',\n ('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',))",
	} {
		got, err := e.Text(t.Context(), render.Template{Source: []byte(source), Path: "t.sls", Vars: value.NewMap()})
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n got %q\nwant %q", source, err, got, want)
		}
	}
}

// The output of a dict is read by YAML, so line ends and tabs in its values are quoted as YAML
// quotes them; everything else is Python's repr. The texts are those of Salt 3006.27 and
// 3008.2.
func TestPrintedDictsAreReadByYAML(t *testing.T) {
	e := engine(t, render.Options{})
	for source, want := range map[string]string{
		`{{ {'a': 'x\ny', 'b': 'plain'} }}`:               `{'a': "x\ny", 'b': 'plain'}`,
		`{{ {'a': {'b': 'tab\there'}} }}`:                 `{'a': {'b': "tab\there"}}`,
		`{{ [{'a': 'x\n'}, 'y\n'] }}`:                     `[{'a': "x\n"}, 'y\n']`,
		`{{ {'a': ['x\n'], 'b': ('z\n', {'c': '\r'})} }}`: `{'a': ['x\n'], 'b': ('z\n', {'c': "\r"})}`,
		`{{ {'a': 'it\'s \"so\"\n\\ é ☃ 😀 \x07\x85'} }}`:  `{'a': "it's \"so\"\n\\ é ☃ \U0001F600 \a\N"}`,
		`{{ {'k\n': '\n' * 2 ~ 'w ' * 60} }}`:             `{'k\n': "\n\nw w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w "}`,
		`{{ {'a': 'x\n'}|string }}`:                       `{'a': 'x\n'}`,
		`{{ {'a': 'x\n'} ~ '' }}`:                         `{'a': 'x\n'}`,
		`{{ {'a': 'x\n'}.items() }}`:                      `dict_items([('a', 'x\n')])`,
		`{{ {'a': 'x\n'}.items()|list }}`:                 `[('a', 'x\n')]`,
		`{{ {'a': 1, 'b': '\n'}.values()|list }}`:         `[1, '\n']`,
		`{{ ({'a': '\n'},) }}`:                            `({'a': "\n"},)`,
		`{{ [{'a': {'b': '\n'}}] }}`:                      `[{'a': {'b': "\n"}}]`,
		`{{ {'a': '\n...'} }}`:                            `{'a': "\n..."}`,
		`{{ {'a': 'x\n'}|pprint }}`:                       `{'a': 'x\n'}`,
		`{{ '%s' % {'a': 'x\n'} }}`:                       `{'a': 'x\n'}`,
	} {
		got, err := textOf(t, e, source)
		if err != nil || got != want {
			t.Errorf("%s: %v\n got %s\nwant %s", source, err, got, want)
		}
	}
}
