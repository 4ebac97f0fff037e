package render_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// documented are examples with the results of real Salt (reference of states, section 8).
var documented = []struct{ source, want string }{
	{`{% set l = [] %}{% do l.append(1) %}{{ l }}`, `[1]`},
	{`{% load_yaml as y %}{a: 1, b: [x]}{% endload %}{{ y.b[0] }}`, `x`},
	{`{% load_json as y %}{"a": 1}{% endload %}{{ y.a }}`, `1`},
	{`{% load_text as y %}some {{ 1+1 }}{% endload %}{{ y }}`, `some 2`},
	{`{% import_yaml 'd.yaml' as y %}{{ y.b }}`, `['x', 'y']`},
	{`{% import_json 'd.json' as y %}{{ y.j }}`, `2`},
	{`{% import_text 'd.txt' as y %}{{ y }}`, `plain text`},
	{`{% from 'lib.j2' import m, v with context %}{{ m(v) }}`, `<5>`},
	{`{% profile as 'x' %}a{% endprofile %}`, `a`},
	{`{{ 'no'|to_bool }}`, `False`},
	{`{{ 'x'|to_num }}`, `x`},
	{`{{ 'ab'|is_iter }}`, `False`},
	{`{{ [true,false,true]|exactly_n_true(2) }}`, `True`},
	{`{{ 'a b'|contains_whitespace }}`, `True`},
	{`{{ 'abc'|substring_in_list(['a','abcd']) }}`, `True`},
	{`{{ 'x'|check_whitelist_blacklist(whitelist=['x']) }}`, `True`},
	{`{{ 'A' is match('a', ignorecase=True) }}`, `True`},
	{`{{ "it's"|quote }}`, `'it'"'"'s'`},
	{`{{ 'a.c*'|regex_escape }}`, `a\.c\*`},
	{`{{ 'ab12'|regex_match('([a-z]+)([0-9]+)') }}`, `('ab', '12')`},
	{`{{ 'zz ab12'|regex_search('([a-z]+)([0-9]+)') }}`, `('ab', '12')`},
	{`{{ 'lets replace spaces'|regex_replace('\s+', '__') }}`, `lets__replace__spaces`},
	{`{{ 'hello_world'|to_camelcase }}`, `helloWorld`},
	{`{{ 'helloWorld'|to_snake_case }}`, `hello_world`},
	{`{{ 'ab'|to_bytes }}`, `b'ab'`},
	{`{{ 'abc'|method_call('upper') }}`, `ABC`},
	{`{{ [1,2,3,2]|unique|list }}`, `[1, 2, 3]`},
	{`{{ [1,2]|union([2,3])|list }}`, `[1, 2, 3]`},
	{`{{ [1,2]|intersect([2,3]) }}`, `[2]`},
	{`{{ [1,2]|difference([2,3]) }}`, `[1]`},
	{`{{ [1,2]|symmetric_difference([2,3]) }}`, `[1, 3]`},
	{`{{ [[1,[2,[3]]]]|flatten(levels=1) }}`, `[1, [2, [3]]]`},
	{`{{ 'abc'|sequence }}`, `['abc']`},
	{`{{ ['b','A','a','B']|sorted_ignorecase }}`, `['A', 'a', 'b', 'B']`},
	{`{{ [1,2]|combinations(2)|list }}`, `[(1, 2)]`},
	{`{{ [1,2]|product(['a'])|list }}`, `[(1, 'a'), (2, 'a')]`},
	{`{{ [1,0,2]|compress([1,0,1])|list }}`, `[1, 2]`},
	{`{{ [1,2]|zip(['a','b'])|list }}`, `[(1, 'a'), (2, 'b')]`},
	{`{{ [1]|zip_longest(['a','b'], fillvalue='-')|list }}`, `[(1, 'a'), ('-', 'b')]`},
	{`{{ {'a':{'b':[1,2]}}|traverse('a:b:1') }}`, `2`},
	{`{{ {'a':1}|compare_dicts({'a':2}) }}`, `{'a': {'old': 1, 'new': 2}}`},
	{`{{ {}|set_dict_key_value('a:b', 1) }}`, `{'a': {'b': 1}}`},
	{`{{ {'a':[1]}|append_dict_key_value('a', 2) }}`, `{'a': [1, 2]}`},
	{`{{ {'a':[1]}|extend_dict_key_value('a', [2,3]) }}`, `{'a': [1, 2, 3]}`},
	{`{{ {'a':{'x':1}}|update_dict_key_value('a', {'y':2}) }}`, `{'a': {'x': 1, 'y': 2}}`},
	{`{{ {'a':[{'b':1},{'b':2}]}|json_query('a[*].b') }}`, `[1, 2]`},
	{`{{ {'a':1,'b':[2]}|dict_to_sls_yaml_params }}`, "- a: 1\n- b:\n  - 2"},
	{`{{ {'a':'b'}|json_encode_dict }}`, `{b'a': b'b'}`},
	{`{{ {'a':[1,true,none,'x']}|json }}`, `{"a": [1, true, null, "x"]}`},
	{`{{ {'a':1}|json(sort_keys=True, indent=2) }}`, "{\n  \"a\": 1\n}"},
	{`{{ {'a':[1,true]}|yaml }}`, `{a: [1, true]}`},
	{`{{ {'a':[1,true]}|yaml(False) }}`, "a:\n- 1\n- true"},
	{`{{ {'a':[1,true,none]}|python }}`, `{'a': [1, True, None]}`},
	{`{{ {'a':{'b':1}}|xml }}`, "<?xml version=\"1.0\" ?>\n<a b=\"1\"/>\n"},
	{`{{ '{"a": 1}'|load_json }}`, `{'a': 1}`},
	{`{{ 'a: [1]'|load_yaml }}`, `{'a': [1]}`},
	{`{{ "it's \"q\""|yaml_squote }}`, `'it''s "q"'`},
	{`{{ 'x: "y"'|yaml_dquote }}`, `"x: \"y\""`},
	{`{{ 'x: y'|yaml_encode }}`, `"x: y"`},
	{`{{ 1457456400|date_format('%Y-%m-%d') }}`, `2016-03-08`},
	{`{{ '2k'|human_to_bytes }}`, `2048`},
	{`{{ '32 GiB'|human_to_bytes }}`, `34359738368`},
	{`{{ 'a'|uuid }}`, `930bc643-2dab-5870-b162-3a508543a092`},
	{`{{ 8|random_str|length }}`, `8`},
	{`{{ 'abc'|base64_encode }}`, `YWJj`},
	{`{{ 'abc'|md5 }}`, `900150983cd24fb0d6963f7d28e17f72`},
	{`{{ 'get salted'|hmac_compute('shared secret') }}`, `78159ff5bb2d5e0f8d88fe403b0a690791ccbd989830fcc433d5b960c9bf0264`},
	{`{{ 'get salted'|hmac('shared secret','eBWf9bstXg+NiP5AOwppB5HMvZiYMPzEM9W5YMm/AmQ=') }}`, `True`},
	{`{{ '/a'|path_join('b','c') }}`, `/a/b/c`},
	{`{{ '127.0.0.1'|is_ip }}`, `True`},
	{`{{ ['10.0.0.1','x','fe80::1']|ipaddr }}`, `['10.0.0.1', 'fe80::1']`},
	{`{{ '192.168.0.12/24'|ip_host }}`, `192.168.0.12/24`},
	{`{{ '192.168.0.0/30'|network_hosts }}`, `['192.168.0.1', '192.168.0.2']`},
	{`{{ ['10.1.1.1','192.168.1.1']|filter_by_networks(['10.0.0.0/8']) }}`, `['10.1.1.1']`},
	{`{{ 'fe80::1'|ipwrap }}`, `[fe80::1]`},
	{`{{ '00:11:22:33:44:55'|mac_str_to_bytes }}`, `b'\x00\x11"3DU'`},
}

func TestDocumented(t *testing.T) {
	loader := files{"d.yaml": "a: 1\nb: [x, y]\n", "d.json": `{"j": 2}`, "d.txt": "plain text\n", "lib.j2": "{% macro m(x) %}<{{ x }}>{% endmacro %}{% set v = 5 %}"}
	e, err := render.New(render.Options{Loader: loader})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documented {
		got, err := e.Text(t.Context(), render.Template{Source: []byte(d.source), Vars: value.NewMap()})
		if err != nil || got != d.want {
			t.Errorf("%s: %q, %v; want %q", d.source, got, err, d.want)
		}
	}
}

func TestFilesOfTheMachine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "d.txt")
	if err := os.WriteFile(name, []byte("plain text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := render.New(render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"{{ f|file_hashsum }}":        "c30a92f9ef889c07c781a7cf99f5b71415d4d1289e84473d1b9e6f01feffc62d",
		"{{ f|is_text_file }}":        "True",
		"{{ f|is_bin_file }}":         "False",
		"{{ f|is_empty }}":            "False",
		"{{ f|list_files|length }}":   "1",
		"{{ 'sh'|which is none }}":    "False",
		"{{ 'no such thing'|which }}": "None",
		"{{ ['a','b']|random_shuffle(seed='x') == ['a','b']|random_shuffle(seed='x') }}": "True",
	} {
		got, err := e.Text(t.Context(), render.Template{Source: []byte(source), Vars: value.NewMap("f", name)})
		if err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", source, got, err, want)
		}
	}
}
