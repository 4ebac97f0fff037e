package modules

import (
	"testing"
)

// Variables are set, emptied and removed as in Salt.
func TestEnviron(t *testing.T) {
	t.Setenv("MOM_TEST_A", "1")
	t.Setenv("MOM_TEST_B", "2")
	calls(t, newEnv(), []callCase{
		{"environ.get", []any{"MOM_TEST_A"}, "1"},
		{"environ.get", []any{"MOM_TEST_NONE", "else"}, "else"},
		{"environ.get", []any{5}, false},
		{"environ.item", []any{[]any{"MOM_TEST_A", "MOM_TEST_NONE"}, nil}, m{"MOM_TEST_A": "1", "MOM_TEST_NONE": nil}},
		{"environ.has_value", []any{"MOM_TEST_A"}, true},
		{"environ.has_value", []any{"MOM_TEST_A", "2"}, false},
		{"environ.setval", []any{"MOM_TEST_A", "x"}, "x"},
		{"environ.setval", []any{"MOM_TEST_A", 5}, false},
		{"environ.setval", []any{"MOM_TEST_A", false}, ""},
		{"environ.setval", []any{"a=b", "x"}, false},
		{"environ.setval", []any{"a\x00b", "x"}, false},
		{"environ.has_value", []any{"MOM_TEST_A", ""}, true},
		{"environ.setval", []any{"MOM_TEST_A", false, true}, nil},
		{"environ.has_value", []any{"MOM_TEST_A"}, false},
		{"environ.setenv", []any{m{"MOM_TEST_A": "y", "MOM_TEST_B": false}, true}, m{"MOM_TEST_A": "y", "MOM_TEST_B": nil}},
		{"environ.setenv", []any{m{"MOM_TEST_A": "z", "MOM_TEST_B": 5}}, false},
		{"environ.setenv", []any{"MOM_TEST_A"}, false},
		{"environ.get", []any{"MOM_TEST_A"}, "y"},
	})
	if items := result(t, newEnv(), "environ.items").(m); items["MOM_TEST_A"] != "y" || items["MOM_TEST_B"] != nil {
		t.Errorf("%v", items)
	}
}
