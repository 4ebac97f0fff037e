//go:build saltpeer

package target

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// askedKinds are the kinds of targets that Salt's minion evaluates.
var askedKinds = []string{
	"glob", "pcre", "list", "grain", "grain_pcre", "pillar", "pillar_pcre", "pillar_exact", "compound", "nodegroup", "ipcidr",
}

var (
	reAtoms = strings.Split(`d b 1 web . \w \d \S \D \W \s \x64 \u0064 \144 \U00000064 [a-z] [^w] [[:alpha:]] [d-d] []d] [^]w] [\w] [\d\D] (?:d) (d) (?P<a>d) (?=d) (?!w) (?<=^) (?<!x) `+
		`(?<=d) (?<!d) (?<=(d)) (?<=(?:b|1)) (?<=b*) ^ $ \b \B \A \Z (?i) (?i:D) (?s) (?m) (?a) (?u) (?L) (?#c) | () (|d) d{1} d{,1} d{0,} d{,} d{ {,2} { } d{1,2}? d{2,1} {1} .{3} .{2,}? `+
		`b?? b*? b++ b*+ d?+ (?>d) (?>d|db) (?>d*)d \1 \2 \10 (?P=a) \N{LATIN\ SMALL\ LETTER\ D} \p{L} \Q \E é [\\] [ ] ( ) * + ? - [a- [!w] ſ K [k-s] \h \R \G \z (?(1)b|d) (?P<n>d)(?(n)b|x) (?(1)d) `+
		`[\\x64] [^\W] [a&&d] [a--b] [a||d] [a~~d] (?-i:d) (?i-s:D) (?im) (?ai:D) (?au:d) [d\]] (?:d|b)* (?:d?)* (d|b)+ (d*)* (?:d|db)+? .* .+ .*? \0 \08 \377 \400 \8 (?<n>d) (?P>d) (?'n'd) (?x:\ d\ ) (?x) # `+
		`[\b] [\s\S] [A-Z] [\A] \S+ [^\d] (?!) (?=) (?:) (a|) (?:(d)|b)\1 (d)?\1 [é-ſ] \W+ e 01 org - _`, " ")
	globAtoms = []string{
		"d", "b", "1", "*", "?", "[", "]", "!", "^", "[d]", "[!w]", "[^d]", "[a-z]", "[z-a]", "[]d]", "[!]w]", `\`, `\d`, "{d,x}", "**", "[d", "[[:alpha:]]", "w", "web", "e", "D", " ", "\n",
		`[\d]`, "[a-]", "[--z]", "[!", "[]", "[!]", "[d-]", ".", "[a-c-e]", "[é]", "é", "_", "-01", "[!-d]", "[a-cb-d]", "W", "[W-w]", "ſ", "[&&]", "[a||b]", "[~~]",
	}
	words = []string{
		"web1", "db1", "db*", "web*", "*", "d?1", "E@db.*", "E@web|db", "L@web1,db1", "L@db1", "L@web1", "L@web1,", "L@,db1,", "G@role:db", "G@role:*", "G@role:d*", "G@roles:db", "G@roles:x", "G@n:a:b:c",
		"G@n:*", "G@n:a:*", "G@num:1", "G@t:True", "G@none:None", "G@missing:*", "G@role", "P@role:d.", "P@roles:(db|x)", "S@127.0.0.1", "S@127.0.0.0/8", "S@10.0.0.0/8", "S@10.1.2.3", "S@::1", "S@::/0",
		"S@0.0.0.0/0", "I@n:a", "J@n:a.*", "I@n:*:b:c", "P@ip4_interfaces:.*", "J@systemd:.*", "G@ip4_interfaces:eth*", "AND", "OR", "NOT", "and(", "!db1", "not(db1)", "db1)", "(db1", "G@", "E@", "@db1",
		"X@db1", "N@web", "N@one", "N@nested", "N@list", "N@names", "N@star", "N@lines", "g@role:db", "G@role:db:", "G@:db", "G:@role", "G|@role|db", "G|@role:db", "P;@role;db", "G*@role*db", "G\t@role\tdb", "\u00a0",
		"\x1c", "\x1d", "\u0085", "db1\u2003or", "db1\x1e", "\u200bdb1", "L@[db1]", "E@(?i)DB1", "G@role:db*", "P@num:1", "P@t:True", "G@t:true", "G@num:1.0", `"db1"`, "'db1'", "db1,web1", "D@x", "L@*", "L@db*", "E@x{,1}db1|web1",
		"S@x", "R@x", "N@nope", "True", "False", "()", "E@^db1$", "G@id:*", "Web-01.example.org", "dé*", "L@dé_b1ſ",
	}
	between = []string{" ", " ", " ", " ", " ", " ", "  ", "\t", "\n", "\r\n", "\u00a0", "\x0b", "\x0c", "\x1f", "\x1c", "\u2028", "\u3000", "\u200b", "\ufeff"}
	keys    = []string{
		"id", "role", "roles", "num", "neg", "fl", "big", "t", "f", "none", "emp", "el", "ed", "u", "up", "colon", "sp", "star", "br", "nl", "sigma", "1", "true", "n", "n:a", "n:a:b", "n:a:l", "n:a:l:2", "n:a:l:z", "n:e",
		"n:el", "n:k", "n:Key", "n:Key:Sub", "n:0", "n:-1", "ll", "ll:0", "ll:0:1", "ld", "ld:name", "ld:v", "ld:v:w", "ld:*", "roles:*", "*", "*:*", "n:*", "n:a:*", "missing", "", "ip4_interfaces", "ip4_interfaces:eth0", "systemd",
		"role:1", "colon:a", "colon:a:b", "UP", "Role", " role", "roles:0", "roles:web", "roles:web:n", "None", "True", "0x1", "1.0", "1_0",
	}
	vals = []string{
		"db", "d*", "*", "d.", ".*", ".+", "", "1", "1.5", "1.0", "True", "true", "False", "None", "null", "-3", "c", "x", "y", "z", "a", "b", "[x]", "a:b:c", "a*", "A*", "case", "CASE", "q", "w", "name", "v", "v:w", "name:a",
		"{}", "[]", "Ü*", "ü.*", "[!z]*", "?", ".", "^d", "b$", "db$", "c|db", "(?i)case", "a.b", "(?s)a.b", "12345678901234567890", "2.5", "*x*", ".*x.*", "k:x:v", "οδος", "ΟΔΟΣ", "eth*", "lo", "252", "version:252", "version:*",
		"*:252", "*:c", "*:*", "*:*:c", "*:b", "web", "web:n", "web:n:1", "['a', 'b']", "{'b': 'c'*", "0", "[", "(", "(a", "d{,2}", `\w+`, `\Z`, `.*\Z`, "b:c", "b:*", "sub:val", "Sub:Val", "key", "Key", "K*", "[k]ey", "features:+PAM",
		"one", "word", "name:b", "\x1f", "a\nb", "a?b", "*:", "**", "*:a:b",
	}
	addresses = []string{
		"127.0.0.1", "127.0.0.0/8", "10.1.2.0/24", "10.1.2.3/32", "0.0.0.0/0", "::/0", "::1", "::1/128", "127.1", "127.0.0.0/255.0.0.0", "10.1.2.3/0", "127.0.0.01", "010.1.2.3", "10.1.2.3 ", " 10.1.2.3", "2130706433",
		"0x7f000001", "127.0.0.0/08", "127.0.0.0/0.255.255.255", "10.1.2.3/255.255.255.255", "0.0.0.0/0.0.0.0", "255.255.255.255/0.0.0.0", "::ffff:1.2.3.4", "::ffff:102:304", "::FFFF:102:304", "::ffff:0:0/96", "2001:db8::/32",
		"2001:DB8::5", "2001:db8:0::5", "2001:db8::/032", "fe80::1%lo", "fe80::%lo/64", "fe80::/10", "10.1.2.3/33", "10.1.2.3/-1", "10.1.2.3/", "/8", "", "10.1.2.3/32/1", "0.1.2.3", "10.1.2", "10.1.2.3.4", "192.168.0.0/16",
		"192.168.0.10", "1.2.30", "0.1.2.30", "db8::1", "2001:db8::1", "٣.1.2.3", "10.1.2.0/٢٤", "10.1.2.0/+24", "10.1.2.0/2_4", "::/0.0.0.0", "10.0.0.0/255.0.255.0", "0.0.0.0", "255.255.255.255", "0.0.0.0/1", "128.0.0.0/1",
	}
	ids = []string{"db1", "web1", "", "db1 ", " db1", "*", "db", "DB1", "db1x", "Web-01.example.org", "web-01.example.org", "dé_b1ſ", "dé_b1s", "d\u0065\u0301_b1ſ", "\n", "db1\n", "[db1]", "web1;db1"}
)

// generator generates random targets.
type generator struct{ *rand.Rand }

func newGenerator(kind string, seed uint64) generator {
	return generator{rand.New(rand.NewPCG(seed, uint64(slices.Index(askedKinds, kind))))} //nolint:gosec // no secret
}

func (g generator) of(list []string) string { return list[g.IntN(len(list))] }

func (g generator) some(list []string, most int, between ...string) string {
	var b strings.Builder
	for i := range 1 + g.IntN(most) {
		if i > 0 && len(between) > 0 {
			b.WriteString(g.of(between))
		}
		b.WriteString(g.of(list))
	}
	return b.String()
}

// logic returns a syntactically valid compound target, apart from the separators of the words.
func (g generator) logic(depth int) string {
	sp := g.of(between)
	switch n := g.IntN(10); {
	case n < 4 || depth == 0:
		return g.of(words)
	case n < 6:
		return g.logic(depth-1) + sp + "or" + sp + g.logic(depth-1)
	case n < 8:
		return g.logic(depth-1) + sp + "and" + sp + g.logic(depth-1)
	case n < 9:
		return "not" + sp + g.logic(0)
	}
	return "(" + sp + g.logic(depth-1) + sp + ")"
}

// expression returns a regular expression that is mostly valid.
func (g generator) expression(depth int) string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		switch n := g.IntN(12); {
		case n < 4 || depth == 0:
			b.WriteString(g.of([]string{"d", "b", "1", "w", "e", ".", "db", "web", "db1", `\w`, `\d`, "[a-d]", "[^1]", "é", "_", "(?i:D)", "-", "01", "$", "^", `\b`, `\Z`, `\1`, `\2`, "(?(1)b|d)", "(?(2)1)"}))
		case n < 8:
			b.WriteString(g.of([]string{"(", "(", "(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:"}) + g.expression(depth-1) + ")")
			b.WriteString(g.of([]string{"", "", "", "*", "+", "?", "*?", "+?", "??", "{,1}", "{1,2}", "{2}", "{0,2}?", "{,2}", "*+"}))
		case n < 10:
			b.WriteString(g.expression(depth-1) + "|" + g.expression(depth-1))
		default:
			b.WriteString(g.of([]string{"d", "b", "1", ".", `\w`, "[a-z]"}) + g.of([]string{"*", "+", "?", "*?", "+?", "{1,}", "{,3}", "*+"}))
		}
	}
	return b.String()
}

func (g generator) compound() string {
	switch g.IntN(5) {
	case 0:
		return g.some(append([]string{"and", "or", "not", "(", ")", "and", "or", "not"}, words...), 6, between...)
	case 1:
		return g.of([]string{"G@", "P@", "I@", "J@", "G|@", "P;@"}) + g.of(keys) + g.of([]string{":", ":", "|", ";"}) + g.of(vals)
	}
	return g.logic(3)
}

func (g generator) target(kind string) string {
	switch kind {
	case "glob":
		return g.some(globAtoms, 6)
	case "pcre":
		if g.IntN(2) == 0 {
			return g.expression(3)
		}
		return g.some(reAtoms, 6)
	case "list":
		return g.some(ids, 4, ",", ",", " ,", ", ", ",,")
	case "compound":
		return g.compound()
	case "nodegroup":
		if g.IntN(4) == 0 {
			return g.some(append([]string{"and", "or", "not"}, words...), 4, between...)
		}
		return g.compound()
	case "ipcidr":
		if g.IntN(3) == 0 {
			return g.of(addresses)
		}
		digit := func() string {
			return g.of([]string{"0", "1", "2", "3", "10", "127", "168", "192", "255", "256", "00", "30"})
		}
		v := digit() + "." + digit() + "." + digit() + "." + digit()
		if g.IntN(4) == 0 {
			h := func() string {
				return g.of([]string{"0", "1", "5", "db8", "2001", "fe80", "ffff", "", "DB8", "0001", "102", "304"})
			}
			v = h() + ":" + h() + ":" + g.of([]string{"", ":", h() + ":"}) + h()
		}
		if g.IntN(2) == 0 {
			v += "/" + g.of([]string{"0", "1", "8", "16", "24", "30", "32", "33", "64", "128", "008", "255.0.0.0", "255.255.255.255", "0.0.0.255"})
		}
		return v
	}
	value := g.of(vals)
	if strings.HasSuffix(kind, "pcre") && g.IntN(3) == 0 {
		value = g.some(reAtoms, 3)
	}
	if g.IntN(50) == 0 {
		return g.of(keys)
	}
	return g.of(keys) + ":" + value
}
