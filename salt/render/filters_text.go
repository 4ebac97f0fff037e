package render

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"math"
	"math/big"
	"os"
	"os/exec"
	"os/user"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"github.com/ncruces/go-strftime"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/salt/pyfmt"
)

func snakeCase(s string) string {
	runes := []rune(s)
	if len(runes) == 0 {
		fail("string index out of range")
	}
	var b strings.Builder
	for i, c := range runes {
		if i > 0 && unicode.IsUpper(c) && (unicode.IsLower(runes[i-1]) || i != len(runes)-1 && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

func capital(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToTitle(c)) + strings.ToLower(s[n:])
}

var sizes = regexp2.MustCompile(`\A([0-9.]*)\s*(.*)\z`, regexp2.None)

func humanToBytes(r *jinja.Run, v any, a *jinja.Args) any {
	b := a.Bind("human_to_bytes", 0, "default_unit handle_metric")
	s := strings.TrimSpace(r.Str(v))
	r.Alloc(8 * len(s))
	r.Work(64 * len(s))
	m, _ := sizes.FindStringMatch(s)
	if m == nil {
		return int64(0)
	}
	unit := strings.ToLower(m.GroupByNumber(2).String())
	if unit == "" {
		unit = strings.ToLower(b.Str(0, "B"))
	}
	if unit == "" {
		return int64(0)
	}
	n := number(r, m.GroupByNumber(1).String())
	if _, isText := n.(string); isText {
		return int64(0)
	}
	power := strings.IndexByte("bkmgtpezy", unit[0])
	rest := unit[1:]
	decimal := power > 0 && rest == "b"
	if power < 0 || power == 0 && rest != "" || power > 0 && rest != "" && rest != "ib" && rest != "b" {
		return int64(0)
	}
	factor := new(big.Int).Exp(big.NewInt(2), big.NewInt(int64(power*10)), nil)
	if decimal && b.Bool(1, false) {
		factor.Exp(big.NewInt(10), big.NewInt(int64(power*3)), nil)
	}
	switch n := n.(type) {
	case int64:
		return jinja.Int(factor.Mul(factor, big.NewInt(n)))
	case float64:
		f, _ := new(big.Float).SetInt(factor).Float64()
		if f *= n; math.IsInf(f, 0) || math.IsNaN(f) {
			return int64(0)
		}
		i, _ := big.NewFloat(f).Int(nil)
		return jinja.Int(i)
	}
	return int64(0)
}

// listed is a list of texts of which one may stand alone.
func listed(r *jinja.Run, v any) []string {
	if v == nil || !jinja.Truth(v) {
		return nil
	}
	if s, ok := v.(string); ok {
		return []string{s}
	}
	var out []string
	for _, e := range r.Iterate(v) {
		r.Alloc(64)
		out = append(out, r.Str(e))
	}
	return out
}

// matches tells whether a text is one of glob or whole regular expressions.
func matches(r *jinja.Run, s string, exprs []string) bool {
	for _, e := range exprs {
		r.Tick()
		r.Work(len(e) * (len(s) + 1))
		if globMatch(e, s) {
			return true
		}
		if hit, err := matchWhole(r, e, s); err == nil && hit {
			return true
		}
	}
	return false
}

func dateFormat(r *jinja.Run, v any, a *jinja.Args) any {
	format := a.Bind("strftime", 0, "format").Str(0, "%Y-%m-%d")
	var at time.Time
	n := v
	if s, ok := v.(string); ok {
		f, isNum := jinja.ParseFloat(s)
		if !isNum {
			fail("Unable to parse %s. Consider installing timelib", s)
		}
		n = f
	}
	switch n := n.(type) {
	case nil:
		at = now()
	case time.Time:
		at = n
	default:
		f, ok := jinja.ParseFloat(n)
		if !ok || math.Abs(f) > 1e11 || math.IsNaN(f) {
			fail("Unable to parse %s. Consider installing timelib", r.Str(v))
		}
		sec, frac := math.Modf(f)
		at = time.Unix(int64(sec), int64(frac*1e9))
	}
	if len(format) > 1<<12 {
		fail("a time format of %d bytes is too long", len(format))
	}
	r.Scratch(64 * len(format))
	return strftime.Format(format, at)
}

// which finds a program as Salt does.
func which(name string) any {
	if name == "" {
		return nil
	}
	dirs := filepath.SplitList(os.Getenv("PATH"))
	dirs = append(dirs, "/sbin", "/bin", "/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin")
	if strings.ContainsRune(name, '/') {
		dirs = []string{""}
	}
	for _, d := range dirs {
		p := name
		if d != "" {
			p = filepath.Join(d, name)
		}
		if _, err := exec.LookPath(p); err == nil && strings.ContainsRune(p, '/') {
			return p
		}
	}
	return nil
}

func randomText(n int) string {
	if n < 0 || n > 1<<16 {
		fail("a random text has between 0 and 65536 characters")
	}
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return base64.StdEncoding.EncodeToString(b)[:n]
}

func pathJoin(r *jinja.Run, v any, a *jinja.Args) any {
	for _, k := range a.Keywords().Keys() {
		if k != "use_posixpath" {
			fail("'%s' is an invalid keyword argument for path_join", r.Str(k))
		}
	}
	head := text(r, v, "path_join")
	r.Scratch(2 * len(head))
	out := path.Clean(head)
	for _, p := range a.Pos {
		part := text(r, p, "path_join")
		r.Scratch(3 * (len(out) + len(part)))
		out = path.Join(out, path.Clean(part))
	}
	return out
}

func macBytes(r *jinja.Run, v any) any {
	s := text(r, v, "mac_str_to_bytes")
	if len(s) == 17 {
		s = strings.ReplaceAll(s, s[2:3], "")
	}
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 6 {
		fail("Invalid MAC address")
	}
	return jinja.Bytes(b)
}

// headOf reads the first bytes of a file of this machine.
func headOf(name string, n int) ([]byte, bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	b := make([]byte, n)
	got, _ := f.Read(b)
	return b[:got], true
}

func looksText(b []byte) bool {
	if bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	if utf8.Valid(b) {
		return true
	}
	odd := 0
	for _, c := range b {
		if (c < 32 || c > 126) && !strings.ContainsRune("\n\r\t\f\b", rune(c)) {
			odd++
		}
	}
	return float64(odd)/float64(len(b)) <= 0.3
}

func listFiles(r *jinja.Run, v any) any {
	root := text(r, v, "list_files")
	out := jinja.NewList(root)
	_ = filepath.WalkDir(root, func(p string, _ os.DirEntry, err error) error {
		r.Tick()
		if err == nil && p != root {
			r.Charge(len(p))
			r.Append(out, p)
		}
		return nil
	})
	return out
}

func uid(r *jinja.Run, v any) any {
	if v == nil {
		return int64(os.Geteuid())
	}
	u, err := user.Lookup(text(r, v, "get_uid"))
	if err != nil {
		return nil
	}
	n, err := strconv.ParseInt(u.Uid, 10, 64)
	if err != nil {
		return nil
	}
	return n
}

var _ = filters(map[string]jinja.Filter{
	"quote": plain(func(r *jinja.Run, v any) any {
		s := text(r, v, "quote")
		r.Scratch(5 * len(s))
		r.Work(8 * len(s))
		return pyfmt.ShellQuote(s)
	}),
	"skip": plain(func(r *jinja.Run, v any) any { return "" }),
	"to_bool": plain(func(r *jinja.Run, v any) any {
		switch v := v.(type) {
		case nil:
			return false
		case bool:
			return v
		case string:
			if len(v) > 8 {
				return false
			}
			s := strings.ToLower(v)
			return s == "yes" || s == "1" || s == "true"
		case int64:
			return v > 0
		case *big.Int:
			return v.Sign() > 0
		}
		return !r.Hashable(v) && jinja.Truth(v)
	}),
	"to_bytes": func(r *jinja.Run, v any, a *jinja.Args) any {
		a.Bind("to_bytes", 0, "encoding errors")
		s := text(r, v, "to_bytes")
		r.Charge(len(s))
		return jinja.Bytes(s)
	},
	"to_num": plain(func(r *jinja.Run, v any) any { return number(r, v) }), "str_to_num": plain(func(r *jinja.Run, v any) any { return number(r, v) }),
	"is_hex": plain(func(r *jinja.Run, v any) any {
		s, ok := v.(string)
		if ok {
			r.Work(number64(s))
			r.Alloc(len(s))
			_, ok = jinja.ParseInt(s, 16)
		}
		return ok
	}),
	"random_str": plain(func(r *jinja.Run, v any) any {
		return randomText(jinja.NewArgs(v).Bind("random_str", 1, "size").Int(0, 32))
	}),
	"contains_whitespace": plain(func(r *jinja.Run, v any) any {
		return strings.IndexFunc(text(r, v, "contains_whitespace"), unicode.IsSpace) >= 0
	}),
	"human_to_bytes": humanToBytes,
	"check_whitelist_blacklist": func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind("check_whitelist_blacklist", 0, "whitelist blacklist")
		white, black := listed(r, b.Any(0, nil)), listed(r, b.Any(1, nil))
		s := text(r, v, "check_whitelist_blacklist")
		return !matches(r, s, black) && (white == nil || matches(r, s, white))
	},
	"to_snake_case": plain(func(r *jinja.Run, v any) any {
		s := text(r, v, "to_snake_case")
		r.Scratch(9 * len(s))
		return snakeCase(s)
	}),
	"to_camelcase": func(r *jinja.Run, v any, a *jinja.Args) any {
		s := text(r, v, "to_camelcase")
		r.Scratch(3 * len(s))
		r.Alloc(32 * (strings.Count(s, "_") + 1))
		words := strings.Split(s, "_")
		upper := a.Bind("to_camelcase", 0, "uppercamel").Bool(0, false)
		for i := range words {
			if i > 0 || upper {
				words[i] = capital(words[i])
			}
		}
		return strings.Join(words, "")
	},
	"method_call": func(r *jinja.Run, v any, a *jinja.Args) any {
		if len(a.Pos) == 0 {
			fail("method_call() missing 1 required positional argument: 'f_name'")
		}
		f, ok := r.GetAttr(v, text(r, a.Pos[0], "method_call"))
		if !ok {
			return nil
		}
		return r.Call(f, a.From(1))
	},
	"date_format": dateFormat, "strftime": dateFormat,
	"path_join": func(r *jinja.Run, v any, a *jinja.Args) any { return pathJoin(r, v, a) },
	"which":     plain(func(r *jinja.Run, v any) any { return which(text(r, v, "which")) }),
	"is_empty": plain(func(r *jinja.Run, v any) any {
		info, err := os.Stat(text(r, v, "is_empty"))
		return err == nil && info.Size() == 0
	}),
	"is_text_file": plain(func(r *jinja.Run, v any) any {
		b, ok := headOf(text(r, v, "is_text_file"), 512)
		return ok && looksText(b)
	}),
	"is_bin_file": plain(func(r *jinja.Run, v any) any {
		b, ok := headOf(text(r, v, "is_bin_file"), 2048)
		return ok && (!utf8.Valid(b) || !looksText(b))
	}),
	"list_files":       plain(listFiles),
	"get_uid":          plain(func(r *jinja.Run, v any) any { return uid(r, v) }),
	"mac_str_to_bytes": plain(macBytes),
	"gen_mac": plain(func(r *jinja.Run, v any) any {
		b := make([]byte, 3)
		_, _ = rand.Read(b) // never fails
		return text(r, v, "gen_mac") + strings.ToUpper(":"+hex.EncodeToString(b[:1])+":"+hex.EncodeToString(b[1:2])+":"+hex.EncodeToString(b[2:]))
	}),
})
