package hostile

import (
	"math/rand/v2"
	"strings"
)

// targeting is whom a call is for, as it travels.
type targeting struct {
	tgt             any
	kind, delimiter string
}

// honestTarget names minions one by one.
func honestTarget(r *rand.Rand, ids []string) targeting {
	switch {
	case len(ids) == 1 && chance(r, 50):
		return targeting{tgt: ids[0], kind: "glob"}
	case chance(r, 50):
		return targeting{tgt: strings.Join(ids, ","), kind: "list"}
	}
	list := make([]any, len(ids))
	for i, id := range ids {
		list[i] = id
	}
	return targeting{tgt: list, kind: "list"}
}

// targets writes targets that one reader may take otherwise than another. Some ids are likelier
// than others: those that a rule allows, and one that it does not.
type targets struct {
	r  *rand.Rand
	ok []string // allowed
	no string   // not allowed
}

// id is one of those that matter.
func (g targets) id() string {
	if chance(g.r, 40) {
		return g.no
	}
	return g.ok[g.r.IntN(len(g.ok))]
}

func (g targets) hostile() targeting {
	if chance(g.r, 50) {
		return g.decoy()
	}
	switch g.r.IntN(16) {
	case 0, 1, 12, 13:
		return targeting{tgt: g.pcre(), kind: "pcre"}
	case 2, 3, 4, 14, 15:
		return targeting{tgt: g.compound(), kind: "compound"}
	case 5:
		return targeting{tgt: g.words(), kind: "compound"}
	case 6:
		kind := pick(g.r, "grain", "grain_pcre", "pillar", "pillar_pcre", "pillar_exact")
		d := pick(g.r, "", "", ":", "|", "@")
		sep := d
		if sep == "" {
			sep = ":"
		}
		return targeting{tgt: g.data(sep, strings.HasSuffix(kind, "pcre"), strings.HasPrefix(kind, "pillar")), kind: kind, delimiter: d}
	case 7:
		return targeting{tgt: g.list(), kind: "list"}
	case 8:
		return targeting{tgt: g.glob(), kind: pick(g.r, "glob", "", "compound")}
	case 9:
		return targeting{tgt: g.address(), kind: "ipcidr"}
	case 10:
		return targeting{tgt: g.glob(), kind: pick(g.r, "pcre", "list", "grain", "nodegroup", "node", "range", "Glob", "glob ", "compound_pillar_exact", "bogus")}
	}
	return targeting{tgt: pick[any](g.r, int64(7), nil, "", wireText(g.id()), []any{g.id(), int64(3), nil}, []any{}, []any{[]any{g.id()}}), kind: pick(g.r, "glob", "list", "compound")}
}

// decoy names a minion that is allowed, and beside it, in a form that readers may differ on, one
// that is not.
func (g targets) decoy() targeting {
	ok := g.ok[g.r.IntN(len(g.ok))]
	switch g.r.IntN(10) {
	case 0, 1:
		parts := []string{ok, g.fragment() + g.no + pick(g.r, "", "", g.fragment())}
		if chance(g.r, 50) {
			parts[0], parts[1] = parts[1], parts[0]
		}
		return targeting{tgt: strings.Join(parts, "|"), kind: "pcre"}
	case 2, 3, 8, 9:
		b := func() string {
			if chance(g.r, 50) { // Python's alone
				return pick(g.r, "\x1c", "\x1d", "\x1e", "\x1f")
			}
			return blanks[g.r.IntN(len(blanks))]
		}
		return targeting{tgt: pick(g.r, ok+b()+"or"+b()+g.no, ok+" or x"+b()+"or"+b()+g.no, ok+" or x"+b()+"or"+b()+g.no,
			g.no+b()+"or"+b()+ok+" or "+ok, g.no+b()+"or"+b()+ok+" or "+ok, ok+" and not x"+b()+"or"+b()+g.no), kind: "compound"}
	case 4, 5, 6: // a mapping in grains or pillar
		word := pick(g.r, "P@ip4_interfaces:.*", "P@systemd:.*", "G@ip4_interfaces:e*", "G@systemd:v*", "P@systemd:ver.*", "J@keys:.*", "I@keys:d*")
		return targeting{tgt: ok + " or " + word, kind: "compound"}
	}
	return targeting{tgt: ok + " or E@" + g.fragment() + g.no, kind: "compound"}
}

// fragment is a piece of a regular expression that engines read differently.
func (g targets) fragment() string {
	return pick(g.r, "x{,1}", "{,2}", "x{,0}", "(?:x){,1}", "[^w]{,1}", "(?!d)", `\w{,2}`, "x{,}", "x{0,1}", `\Z?`, "(?i)", "(?x) ", "x??", "(?#x)", `\b`, "(?<=x)?", "[[:x:]]?", "(?P<n>x)?")
}

// wireText is a text as bytes, which MessagePack distinguishes and Python's peers do not.
func wireText(s string) any { return []byte(s) }

// pcre puts ids together with what may be in front of them, between them and behind them.
func (g targets) pcre() string {
	alternatives := make([]string, 1+g.r.IntN(3))
	for i := range alternatives {
		alternatives[i] = pick(g.r, "", "", "x{,1}", "{,2}", "x{,0}", "x?", "(?:x){,1}", "^", ".*", "[^w]{,1}", "(?!db)", `\w{,2}`, "x{,}", "x{0,1}") +
			g.id() + pick(g.r, "", "", "$", `\Z`, "x{,1}", ".*", "{,1}", `\n?`, "{1}")
	}
	return strings.Join(alternatives, "|")
}

// blanks part words: for Python, for Go, for both, or for neither.
var blanks = []string{"\t", "\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x1f", "\u0085", "\u00a0", "\u2003", "\u2028", "\u200b", "\u3000", "\ufeff", "\x00"}

func (g targets) blank() string {
	if chance(g.r, 70) {
		return " "
	}
	return blanks[g.r.IntN(len(blanks))]
}

func (g targets) compound() string {
	var b strings.Builder
	for i, w := range g.tokens() {
		if i > 0 {
			b.WriteString(g.blank())
		}
		b.WriteString(w)
	}
	return b.String()
}

// words are a compound target as a list.
func (g targets) words() any {
	var out []any
	for _, w := range g.tokens() {
		out = append(out, w)
	}
	if chance(g.r, 30) {
		out = append(out, g.id()+g.blank()+"or"+g.blank()+g.id())
	}
	return out
}

func (g targets) tokens() (out []string) {
	for i := range 1 + g.r.IntN(4) {
		if i > 0 {
			out = append(out, pick(g.r, "or", "or", "and", "not", "or not", "and not", ""))
		}
		switch g.r.IntN(12) {
		case 0:
			out = append(out, "(", g.word(), "or", g.word(), ")")
		case 1:
			out = append(out, "not", g.word())
		case 2:
			out = append(out, pick(g.r, "(", ")", "( )", "not"))
		default:
			out = append(out, g.word())
		}
	}
	return strings.Fields(strings.Join(out, " "))
}

func (g targets) word() string {
	delimiter := pick(g.r, "", "", "", "|", ":", "@")
	sep := delimiter
	if sep == "" {
		sep = ":"
	}
	switch g.r.IntN(10) {
	case 0:
		return "G" + delimiter + "@" + g.data(sep, false, false)
	case 1, 2:
		return "P" + delimiter + "@" + g.data(sep, true, false)
	case 3:
		return pick(g.r, "I", "J") + delimiter + "@" + g.data(sep, chance(g.r, 50), true)
	case 4:
		return "L@" + g.id() + "," + g.id()
	case 5:
		return "E@" + strings.ReplaceAll(g.pcre(), " ", "")
	case 6:
		return pick(g.r, "S@", "R@", "B@", "D@", "X@", "g@") + pick(g.r, g.address(), g.id(), "node1", "1")
	}
	return pick(g.r, g.glob(), g.id(), g.id(), g.id())
}

// data is a path through grains or pillar: to values, to mappings, and to nothing.
func (g targets) data(sep string, re, pillar bool) string {
	any := "*"
	if re {
		any = ".*"
	}
	paths := [][]string{
		{"os", "Debian"},
		{"os", any},
		{"role", "web"},
		{"role", "db"},
		{"id", g.id()},
		{"ip4_interfaces", any},
		{"ip4_interfaces", "lo"},
		{"ip4_interfaces", "eth.*"},
		{"ip4_interfaces", "lo", "127.0.0.1"},
		{"ip4_interfaces", "*", "10.0.0.2"},
		{"systemd", any},
		{"systemd", "ver" + any},
		{"systemd", "version", "252"},
		{"num_cpus", "2"},
		{"ipv4", any},
		{"*", g.id()},
		{"*", "db"},
		{"systemd", "*", "252"},
		{"OS", "debian"},
		{"ip4_interfaces", ""},
	}
	if pillar {
		paths = [][]string{{"team", "web"}, {"team", any}, {"team", "db"}, {"keys", any}, {"keys", "deploy"}, {"keys", "deploy", "k" + g.id()}, {"*", "db"}, {"keys", "dep" + any}, {"keys", "*", "k" + g.id()}}
	}
	return strings.Join(paths[g.r.IntN(len(paths))], sep)
}

func (g targets) list() any {
	if chance(g.r, 50) {
		return g.id() + pick(g.r, ",", ", ", ",,", "\x1f", "\n,", ",\t") + g.id() + pick(g.r, "", ",", "\n")
	}
	out := []any{g.id(), pick[any](g.r, g.id(), g.id()+",", g.id()+"\n", " "+g.id(), g.id()+","+g.id(), "*", "", "L@"+g.id(), wireText(g.id()))}
	if chance(g.r, 20) {
		out = append(out, pick[any](g.r, int64(1), nil, true, []any{g.id()}))
	}
	return out
}

func (g targets) glob() string {
	id := g.id()
	return pick(g.r, id, id[:len(id)-1]+"*", "*", "[wd]*", "[!w]*", id+"*", "*"+id[1:], "w[!a]b?", "[]w]*", "{"+id+",x}", id+"\n", " "+id, strings.ToUpper(id), "?"+id[1:], "["+id[:1]+"-"+id[:1]+"]"+id[1:], "[!x-w]*")
}

func (g targets) address() string {
	return pick(g.r, "10.0.0.1", "10.0.0.2", "10.0.0.0/8", "0.0.0.0/0", "10.0.0.2/31", "10.0.0.1/24", "127.0.0.1", "10.0.0.0/29", "::/0")
}
