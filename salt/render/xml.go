package render

import (
	"strings"

	"github.com/momtree/mom/salt/jinja"
)

// xmlNode is one element as Salt's filter xml builds it.
type xmlNode struct {
	tag   string
	attrs [][2]string
	text  string
	kids  []*xmlNode
}

// xmlPairs returns the pairs of tag and content of a value.
func xmlPairs(r *jinja.Run, v any) [][2]any {
	var out [][2]any
	switch v := v.(type) {
	case *jinja.Dict:
		v.Range(func(k, e any) bool { r.Alloc(96); out = append(out, [2]any{k, e}); return true })
	case *jinja.List, jinja.Tuple:
		items := r.Iterate(v)
		if len(items) == 0 {
			fail("list index out of range")
		}
		if _, ok := items[0].(string); !ok {
			return nil
		}
		for _, e := range items {
			pair := r.Iterate(e)
			if len(pair) != 2 {
				fail("not enough values to unpack (expected 2, got %d)", len(pair))
			}
			r.Alloc(96)
			out = append(out, [2]any{pair[0], pair[1]})
		}
	default:
		jinja.Throw(jinja.Fault("Value is not a dict or list. Cannot render as XML"))
	}
	return out
}

// xmlTree builds the elements of the pairs below a parent and returns the last one.
func xmlTree(r *jinja.Run, pairs [][2]any, parent *xmlNode, depth int) *xmlNode {
	if depth > 200 {
		fail("values are nested more than 200 deep")
	}
	var sub *xmlNode
	for _, p := range pairs {
		r.Walk(4)
		r.Alloc(256)
		tag := text(r, p[0], "xml")
		if !xmlName(tag) {
			fail("%s is not an XML element name", jinja.Repr(tag))
		}
		if l, ok := p[1].(*jinja.List); ok {
			for _, e := range l.Items {
				xmlTree(r, [][2]any{{tag, e}}, parent, depth+1)
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
			sub.text = r.Str(v)
			continue
		case *jinja.Dict:
			v.Range(func(k, e any) bool {
				switch e.(type) {
				case *jinja.Dict, *jinja.List:
				default:
					r.Alloc(96)
					sub.attrs = append(sub.attrs, [2]string{text(r, k, "xml"), r.Str(e)})
				}
				return true
			})
			for _, kid := range xmlPairs(r, v) {
				switch kid[1].(type) {
				case *jinja.Dict, *jinja.List:
					xmlTree(r, [][2]any{kid}, sub, depth+1)
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

var xmlText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func (n *xmlNode) write(b *jinja.Builder, indent string) {
	put := func(s string) { _, _ = b.WriteString(s) }
	put(indent + "<" + n.tag)
	for _, a := range n.attrs {
		put(" " + a[0] + `="` + escapedXML(b, a[1]) + `"`)
	}
	switch {
	case n.text != "":
		put(">" + escapedXML(b, n.text) + "</" + n.tag + ">\n")
	case len(n.kids) > 0:
		put(">\n")
		for _, k := range n.kids {
			k.write(b, indent+" ")
		}
		put(indent + "</" + n.tag + ">\n")
	default:
		put("/>\n")
	}
}

// escapedXML returns a text with XML's special characters escaped.
func escapedXML(b *jinja.Builder, s string) string {
	b.Count(6 * len(s))
	return xmlText.Replace(s)
}

func xmlFilter(r *jinja.Run, v any) any {
	root := xmlTree(r, xmlPairs(r, v), nil, 0)
	if root == nil {
		fail("nothing to write as XML")
	}
	b := r.Builder()
	_, _ = b.WriteString("<?xml version=\"1.0\" ?>\n")
	root.write(b, "")
	return b.String()
}
