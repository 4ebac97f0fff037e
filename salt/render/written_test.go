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
