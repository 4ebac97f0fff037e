package main

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// readLogins returns the options of the login services that dir registers.
func readLogins(dir string) ([]option, error) {
	files, err := parse(dir)
	if err != nil {
		return nil, err
	}
	var out []option
	var fault error
	for _, path := range slices.Sorted(maps.Keys(files)) {
		ast.Inspect(files[path], func(n ast.Node) bool {
			list, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if a, ok := list.Type.(*ast.ArrayType); !ok || typeName(a) != "[]Option" {
				return true
			}
			for _, e := range list.Elts {
				o := loginOption(e)
				if o.name == "" || o.meaning == "" {
					fault = fmt.Errorf("%s: option %q of a login service needs literals for its name and documentation", path, o.name)
				}
				out = append(out, o)
			}
			return false
		})
	}
	if fault == nil && len(out) == 0 {
		fault = fmt.Errorf("no options of login services in %s", dir)
	}
	return out, fault
}

// loginOption reads Option{Name: "...", Type: "...", ...}.
func loginOption(e ast.Expr) option {
	o := option{}
	l, ok := e.(*ast.CompositeLit)
	if !ok {
		return o
	}
	for _, e := range l.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch text := literal(kv.Value); typeName(kv.Key) {
		case "Name":
			o.name = text
		case "Type":
			o.kind = text
		case "Default":
			o.def = text
		case "Doc":
			o.meaning, o.ours = strings.CutSuffix(text, notInSalt)
		}
	}
	return o
}
