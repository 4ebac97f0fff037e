package modules

import (
	"time"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// printer formats texts of this machine.
var printer = pyfmt.Printer{Surrogates: true}

// PyStr returns Python's str(v), as shown in Salt's texts.
func PyStr(v any) string { return printer.Str(v) }

// PyRepr returns Python's repr(v).
func PyRepr(v any) string { return printer.Repr(v) }

// pyTuple returns the repr of a Python tuple.
func pyTuple(vs []any) string {
	if len(vs) == 1 {
		return "(" + PyRepr(vs[0]) + ",)"
	}
	list := PyRepr(vs)
	return "(" + list[1:len(list)-1] + ")"
}

// pyType returns the name of a value's Python type.
func pyType(v any) string {
	switch v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case string:
		return "str"
	case []byte:
		return "bytes"
	case float32, float64:
		return "float"
	case []any, []string:
		return "list"
	case *value.Map, map[string]any:
		return "dict"
	case time.Time:
		return "datetime.datetime"
	}
	return "int"
}
