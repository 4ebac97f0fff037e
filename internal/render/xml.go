package render

import (
	"strings"

	"github.com/momtree/mom/internal/jinja"
)

// xmlNode is one element as Salt's filter xml builds it.
type xmlNode struct {
	tag   string
	attrs [][2]string
	text  string
	kids  []*xmlNode
}

// xmlPairs are the pairs of tag and contents of a value.
func xmlPairs(v any) [][2]any {
	var out [][2]any
	switch v := v.(type) {
	case *jinja.Dict:
		v.Range(func(k, e any) bool { out = append(out, [2]any{k, e}); return true })
	case *jinja.List, jinja.Tuple:
		items := jinja.Iterate(v)
		if len(items) == 0 {
			fail("list index out of range")
		}
		if _, ok := items[0].(string); !ok {
			return nil
		}
		for _, e := range items {
			pair := jinja.Iterate(e)
			if len(pair) != 2 {
				fail("not enough values to unpack (expected 2, got %d)", len(pair))
			}
			out = append(out, [2]any{pair[0], pair[1]})
		}
	default:
		jinja.Throw(jinja.Fault("Value is not a dict or list. Cannot render as XML"))
	}
	return out
}

// xmlTree builds the elements of the pairs under a parent and gives the last one.
func xmlTree(pairs [][2]any, parent *xmlNode, depth int) *xmlNode {
	if depth > 200 {
		fail("values are nested more than 200 deep")
	}
	var sub *xmlNode
	for _, p := range pairs {
		tag := text(p[0], "xml")
		if !xmlName(tag) {
			fail("%s is no name of an XML element", jinja.Repr(tag))
		}
		if l, ok := p[1].(*jinja.List); ok {
			for _, e := range l.Items {
				xmlTree([][2]any{{tag, e}}, parent, depth+1)
			}
			sub = &xmlNode{tag: tag}
			if parent != nil {
				continue
			}
		} else {
			sub = &xmlNode{tag: tag}
			if parent != nil {
				parent.kids = append(parent.kids, sub)
			}
		}
		switch v := p[1].(type) {
		case string, int64, bool, float64:
			sub.text = jinja.Str(v)
			continue
		case *jinja.Dict:
			v.Range(func(k, e any) bool {
				switch e.(type) {
				case *jinja.Dict, *jinja.List:
				default:
					sub.attrs = append(sub.attrs, [2]string{text(k, "xml"), jinja.Str(e)})
				}
				return true
			})
			for _, kid := range xmlPairs(v) {
				switch kid[1].(type) {
				case *jinja.Dict, *jinja.List:
					xmlTree([][2]any{kid}, sub, depth+1)
				}
			}
		case *jinja.List:
		default:
			jinja.Throw(jinja.Fault("Value is not a dict or list. Cannot render as XML"))
		}
	}
	return sub
}

func xmlName(s string) bool {
	return s != "" && !strings.ContainsAny(s, " \t\r\n<>&\"'/=") && (s[0] < '0' || s[0] > '9') && s[0] != '-' && s[0] != '.'
}

var (
	xmlText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
)

func (n *xmlNode) write(b *strings.Builder, indent string) {
	b.WriteString(indent + "<" + n.tag)
	for _, a := range n.attrs {
		b.WriteString(" " + a[0] + `="` + xmlText.Replace(a[1]) + `"`)
	}
	switch {
	case n.text != "":
		b.WriteString(">" + xmlText.Replace(n.text) + "</" + n.tag + ">\n")
	case len(n.kids) > 0:
		b.WriteString(">\n")
		for _, k := range n.kids {
			k.write(b, indent+" ")
		}
		b.WriteString(indent + "</" + n.tag + ">\n")
	default:
		b.WriteString("/>\n")
	}
}

func xmlFilter(r *jinja.Run, v any) any {
	root := xmlTree(xmlPairs(v), nil, 0)
	if root == nil {
		fail("there is nothing to write as XML")
	}
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" ?>\n")
	root.write(&b, "")
	r.Charge(b.Len())
	return b.String()
}
