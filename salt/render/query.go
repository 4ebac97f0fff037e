package render

import (
	"encoding/json"
	"strings"

	"github.com/jmespath/go-jmespath"

	"github.com/momtree/mom/salt/jinja"
)

// query runs a JMESPath expression. The library cannot be interrupted, so its worst-case
// cost is counted in advance.
func query(r *jinja.Run, expr string, v any) (any, error) {
	r.Scratch(64 * len(expr))
	size, longest := 0, len(expr)
	measure(r, v, &size, &longest)
	grown := queryGrowth(expr, float64(size+len(expr)), float64(longest))
	if grown > 1<<40 {
		grown = 1 << 40
	}
	r.Alloc(int(min(grown, 1<<33)) * 2)
	r.Work(int(grown) * min(len(expr), 64) / 4)
	return jmespath.Search(wordLiterals(r, expr), v)
}

// wordLiterals quotes the literals of an expression that are not JSON: `word` is the string
// "word", as in Python's jmespath.
func wordLiterals(r *jinja.Run, expr string) string {
	var out strings.Builder
	r.Scratch(2 * len(expr))
	for i := 0; i < len(expr); i++ {
		c := expr[i]
		_ = out.WriteByte(c)
		if c != '`' && c != '\'' && c != '"' {
			continue
		}
		end := i + 1
		for end < len(expr) && expr[end] != c {
			if expr[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(expr) {
			out.WriteString(expr[i+1:])
			break
		}
		inner := expr[i+1 : end]
		if c == '`' && !json.Valid([]byte(strings.ReplaceAll(inner, "\\`", "`"))) {
			if word := `"` + strings.TrimLeft(inner, " \t\r\n") + `"`; json.Valid([]byte(strings.ReplaceAll(word, "\\`", "`"))) {
				inner = word
			}
		}
		out.WriteString(inner)
		_ = out.WriteByte(c)
		i = end
	}
	return out.String()
}

// measure adds the size of a value, in bytes plus 48 for each part, and finds its longest
// string.
func measure(r *jinja.Run, v any, size, longest *int) {
	r.Walk(1)
	*size += 48
	switch v := v.(type) {
	case string:
		*size += len(v)
		*longest = max(*longest, len(v))
	case []any:
		for _, e := range v {
			measure(r, e, size, longest)
		}
	case map[string]any:
		for k, e := range v {
			*size += 96 + len(k)
			*longest = max(*longest, len(k))
			measure(r, e, size, longest)
		}
	}
}

// queryGrowth bounds the size of the values of an expression: a list or hash of several
// expressions repeats its input, and a join inserts a separator between all elements.
func queryGrowth(expr string, size, longest float64) float64 {
	var commas []int
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; c {
		case '\'', '"', '`':
			for i++; i < len(expr) && expr[i] != c; i++ {
				if expr[i] == '\\' {
					i++
				}
			}
		case '[', '{', '(':
			commas = append(commas, 0)
		case ',':
			if len(commas) > 0 {
				commas[len(commas)-1]++
			}
		case ']', '}', ')':
			if n := len(commas); n > 0 {
				if c != ')' {
					size *= float64(commas[n-1] + 1)
				}
				commas = commas[:n-1]
			}
		case 'j', 't':
			switch rest := expr[i:]; {
			case strings.HasPrefix(rest, "join"):
				size *= 1 + longest/48
				longest = size
			case strings.HasPrefix(rest, "to_string"):
				size *= 2
				longest = size
			}
		}
	}
	return size
}
