package lowdata

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Chunk is one thing that a request asks for.
type Chunk struct {
	m     *value.Map
	form  bool
	typed bool
}

// maxTimeout bounds the times that a chunk may name.
const maxTimeout = 365 * 24 * time.Hour

// maxLife bounds the life of a token.
const maxLife = 10 * 365 * 24 * time.Hour

// With gives the chunk with another value of a field.
func (c Chunk) With(field string, v any) Chunk {
	c.m = c.m.Clone()
	c.m.Set(field, v)
	return c
}

// New makes a chunk of alternating fields and values.
func New(kv ...any) Chunk { return Chunk{m: value.NewMap(kv...), typed: true} }

// Has tells whether a field is there and not None.
func (c Chunk) Has(field string) bool {
	v, ok := c.m.Get(field)
	return ok && v != nil
}

// Client is the name of the client, as Salt shows it: None without one.
func (c Chunk) Client() string {
	v, ok := c.m.Get("client")
	if !ok || v == nil {
		return "None"
	}
	if s, ok := v.(string); ok {
		return s
	}
	return fmt.Sprint(v)
}

// Login is what the chunk has to show for itself; false if it has nothing.
func (c Chunk) Login() (client.Login, bool) {
	l := client.Login{
		Token: c.Text("token"), Eauth: c.Text("eauth"), Username: c.Text("username"), Password: c.Text("password"),
	}
	if l.Token != "" {
		return client.Login{Token: l.Token}, true
	}
	return l, l.Username != "" && l.Eauth != ""
}

// Text is a field as text; "" if it is absent or something else. Numbers become digits,
// since a password may look like one.
func (c Chunk) Text(field string) string {
	v, _ := c.m.Get(field)
	switch v := v.(type) {
	case string:
		return v
	case int64, uint64, float64:
		return fmt.Sprint(v)
	}
	return ""
}

// Flag is a field that is yes or no, no if it is absent. Texts are read as Salt's
// options are.
func (c Chunk) Flag(field string) (bool, error) {
	v, _ := c.m.Get(field)
	if s, text := v.(string); text {
		v = pyfmt.YAMLWord(s)
	}
	switch v := v.(type) {
	case bool:
		return v, nil
	case int64:
		return v != 0, nil
	case nil:
		return false, nil
	}
	return false, invalid("%s is %v; it has to be true or false", field, shown(v))
}

// Seconds is a field that is a time in seconds, of a year at most; 0 if it is absent.
func (c Chunk) Seconds(field string) (time.Duration, error) { return c.within(field, maxTimeout) }

// Life is Seconds for the life of a token: ten years at most, which the master bounds as well.
func (c Chunk) Life(field string) (time.Duration, error) { return c.within(field, maxLife) }

func (c Chunk) within(field string, most time.Duration) (time.Duration, error) {
	v, _ := c.m.Get(field)
	if v == nil || v == "" {
		return 0, nil
	}
	f, ok := number(v)
	if !ok || f < 0 || f > most.Seconds() {
		return 0, invalid("%s is %v; it has to be a number of seconds", field, shown(v))
	}
	return time.Duration(f * float64(time.Second)), nil
}

// Count is a field that is a whole number from 1 on; def if it is absent.
func (c Chunk) Count(field string, def int) (int, error) {
	v, _ := c.m.Get(field)
	if v == nil || v == "" {
		return def, nil
	}
	f, ok := number(v)
	if !ok || f < 1 || f > math.MaxInt32 || f != math.Trunc(f) {
		return 0, invalid("%s is %v; it has to be a whole number from 1 on", field, shown(v))
	}
	return int(f), nil
}

func isBool(v any) bool {
	_, ok := v.(bool)
	return ok || v == "True" || v == "False" || v == "true" || v == "false"
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, !math.IsNaN(v)
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return f, err == nil && !math.IsNaN(f)
	}
	return 0, false
}

// shown is a value in an error: short, and never a whole document.
func shown(v any) string {
	s := fmt.Sprintf("%v", value.Plain(v))
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return strconv.Quote(s)
}

// Funs are the functions: a text, in a form also several with commas between them, or a
// list of texts.
func (c Chunk) Funs() ([]string, error) {
	v, _ := c.m.Get("fun")
	var out []string
	switch v := v.(type) {
	case string:
		out = []string{v}
		if c.local() && strings.Contains(v, ",") {
			out = strings.Split(v, ",")
			for i := range out {
				out[i] = strings.TrimSpace(out[i])
			}
		}
	case []any:
		for _, f := range v {
			s, ok := f.(string)
			if !ok {
				return nil, invalid("fun has %v in its list; names of functions are wanted", shown(f))
			}
			out = append(out, s)
		}
	case nil:
		return nil, invalid("the field fun is missing: the name of a function")
	default:
		return nil, invalid("fun is %v; the name of a function, or a list of them, is wanted", shown(v))
	}
	if len(out) == 0 || slices.Contains(out, "") {
		return nil, invalid("fun is empty; the name of a function is wanted")
	}
	return out, nil
}

func (c Chunk) local() bool { return strings.HasPrefix(c.Client(), "local") }

// args are the arguments: what is no list is a list of one. Those in a form are read as
// words of a command line, where that is the dialect; a job id stays the text it is.
func (c Chunk) args(typed bool) []any {
	v, ok := c.m.Get("arg")
	if !ok || v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	if !c.form || !typed {
		return list
	}
	out := make([]any, len(list))
	for i, a := range list {
		s, text := a.(string)
		if !text || jid.Valid(s) {
			out[i] = a
			continue
		}
		out[i] = pyfmt.YAMLWord(s)
	}
	return out
}

// kwargs are the keyword arguments of the field kwarg, in a form JSON or YAML.
func (c Chunk) kwargs() (map[string]any, error) {
	v, _ := c.m.Get("kwarg")
	if s, ok := v.(string); ok && strings.TrimSpace(s) != "" {
		read, err := pyfmt.ReadYAML([]byte(s))
		if err != nil {
			return nil, invalid("kwarg is a text that is no map: %v", err)
		}
		v = read
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		if v == "" {
			return nil, nil
		}
	case *value.Map:
		out := make(map[string]any, v.Len())
		var bad error
		v.Range(func(k, val any) bool {
			name, ok := k.(string)
			if !ok {
				bad = invalid("kwarg has the name %v; names are texts", shown(k))
				return false
			}
			if name != "__kwarg__" {
				out[name] = val
			}
			return true
		})
		return out, bad
	}
	return nil, invalid("kwarg is %v; a map of names and values is wanted", shown(v))
}

// Of makes a chunk of its fields.
func Of(fields *value.Map) Chunk { return Chunk{m: fields} }

// Fields are the fields of the chunk, which must not be changed.
func (c Chunk) Fields() *value.Map { return c.m }
