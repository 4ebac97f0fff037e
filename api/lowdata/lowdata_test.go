package lowdata

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/value"
)

const (
	jsonType = "application/json"
	yamlType = "application/x-yaml"
	formType = "application/x-www-form-urlencoded"
)

func chunks(t *testing.T, kind, body string) []Chunk {
	t.Helper()
	b, err := Parse(kind, []byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	cs, err := b.Chunks(Options{Typed: true})
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return cs
}

// A job is the same in each form.
func TestJobs(t *testing.T) {
	for name, c := range map[string]struct {
		kind, body string
		tgt        any
		tgtType    string
		fun        []string
		args       []any
		kwargs     map[string]any
		timeout    time.Duration
	}{
		"json":      {jsonType, `{"client":"local","tgt":"*","fun":"test.arg","arg":[1,"two"],"kwarg":{"k":2},"timeout":3}`, "*", "", []string{"test.arg"}, []any{int64(1), "two"}, map[string]any{"k": int64(2)}, 3 * time.Second},
		"yaml":      {yamlType, "- client: local\n  tgt: '*'\n  fun: test.arg\n  arg: [1, two]\n  kwarg: {k: 2}\n  timeout: 3\n", "*", "", []string{"test.arg"}, []any{int64(1), "two"}, map[string]any{"k": int64(2)}, 3 * time.Second},
		"form":      {formType, "client=local&tgt=*&fun=test.arg&arg=1&arg=two&kwarg=%7B%22k%22%3A+2%7D&timeout=3", "*", "", []string{"test.arg"}, []any{int64(1), "two"}, map[string]any{"k": int64(2)}, 3 * time.Second},
		"one arg":   {jsonType, `{"client":"local","tgt":"*","fun":"test.arg","arg":"one"}`, "*", "", []string{"test.arg"}, []any{"one"}, nil, 0},
		"a map":     {jsonType, `{"client":"local","tgt":"*","fun":"test.arg","arg":0}`, "*", "", []string{"test.arg"}, []any{int64(0)}, nil, 0},
		"list":      {jsonType, `{"client":"local","tgt":["a","b"],"tgt_type":"list","fun":"test.ping"}`, []string{"a", "b"}, "list", []string{"test.ping"}, nil, nil, 0},
		"old name":  {jsonType, `{"client":"local","tgt":"a","expr_form":"pcre","fun":"test.ping"}`, "a", "pcre", []string{"test.ping"}, nil, nil, 0},
		"several":   {jsonType, `{"client":"local","tgt":"a","fun":["x.a","x.b","x.c"],"arg":[[],["hi"]]}`, "a", "", []string{"x.a", "x.b", "x.c"}, []any{[]any{}, []any{"hi"}, []any{}}, nil, 0},
		"jid stays": {formType, "client=local&tgt=a&fun=x.y&arg=20240101000000000003&arg=007", "a", "", []string{"x.y"}, []any{"20240101000000000003", int64(7)}, nil, 0},
	} {
		j, err := chunks(t, c.kind, c.body)[0].Job()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff([]any{c.tgt, c.tgtType, c.fun, c.args, c.kwargs, c.timeout}, []any{j.Tgt, j.TgtType, j.Fun, j.Args, j.Kwargs, j.Timeout}); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// What cannot be meant is an error that names the field.
func TestWrongJobs(t *testing.T) {
	for body, word := range map[string]string{
		`{"client":"local","fun":"x.y"}`:                                    "tgt",
		`{"client":"local","tgt":"","fun":"x.y"}`:                           "tgt",
		`{"client":"local","tgt":["a"],"fun":"x.y"}`:                        "tgt_type",
		`{"client":"local","tgt":{"a":1},"fun":"x.y"}`:                      "tgt",
		`{"client":"local","tgt":[1],"tgt_type":"list","fun":"x.y"}`:        "tgt",
		`{"client":"local","tgt":"a"}`:                                      "fun",
		`{"client":"local","tgt":"a","fun":""}`:                             "fun",
		`{"client":"local","tgt":"a","fun":[1]}`:                            "fun",
		`{"client":"local","tgt":"a","fun":{"a":1}}`:                        "fun",
		`{"client":"local","tgt":"a","fun":"x.y","timeout":"soon"}`:         "timeout",
		`{"client":"local","tgt":"a","fun":"x.y","timeout":-1}`:             "timeout",
		`{"client":"local","tgt":"a","fun":"x.y","timeout":NaN}`:            "timeout",
		`{"client":"local","tgt":"a","fun":"x.y","jid":"../../etc/passwd"}`: "jid",
		`{"client":"local","tgt":"a","fun":"x.y","kwarg":"nonsense: ["}`:    "kwarg",
		`{"client":"local","tgt":"a","fun":"x.y","kwarg":[1]}`:              "kwarg",
		`{"client":"local","tgt":"a","fun":["x.y","x.z"],"kwarg":{"a":1}}`:  "kwarg",
		`{"client":"local","tgt":"a","fun":["x.y","x.z"],"arg":[[],[],[]]}`: "arguments",
	} {
		_, err := chunks(t, jsonType, body)[0].Job()
		if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Text, word) {
			t.Errorf("%s: %v", body, err)
		}
	}
	for body, word := range map[string]string{`{"batch":"x"}`: "batch", `{"batch":"0"}`: "batch", `{"batch":"2","batch_wait":"x"}`: "batch_wait", `{"failhard":"perhaps"}`: "failhard"} {
		if _, err := chunks(t, jsonType, body)[0].Batch(); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, body := range []string{`{"subset":0}`, `{"subset":"x"}`, `{"subset":1.5}`, `{"sub":-1}`} {
		if n, err := chunks(t, jsonType, body)[0].Subset(); err == nil {
			t.Errorf("%s: %d", body, n)
		}
	}
	if n, err := chunks(t, formType, "subset=2")[0].Subset(); n != 2 || err != nil {
		t.Errorf("%d %v", n, err)
	}
}

// Runners and the wheel take fields of other names as keyword arguments, but no login.
func TestCalls(t *testing.T) {
	c := chunks(t, jsonType, `{"client":"runner","fun":"test.arg","arg":[1],"kwarg":{"a":2},"b":3,"timeout":9,"token":"t","username":"u","password":"p","eauth":"e","full_return":true}`)[0]
	r, err := c.Runner()
	if diff := cmp.Diff([]any{"test.arg", []any{int64(1)}, map[string]any{"a": int64(2), "b": int64(3)}, 9 * time.Second}, []any{r.Fun, r.Args, r.Kwargs, r.Timeout}); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	r, err = chunks(t, jsonType, `{"client":"runner","fun":"a.b","timeout":9,"mom_call":{"timeout":2},"b":1}`)[0].Runner()
	if err != nil || r.Timeout != 2*time.Second || len(r.Kwargs) != 1 {
		t.Errorf("a time of its own: %+v, %v", r, err)
	}
	for _, bad := range []string{`5`, `{"jid":"1"}`, `{"timeout":"x"}`} {
		if _, err := chunks(t, jsonType, `{"client":"runner","fun":"a.b","mom_call":`+bad+`}`)[0].Runner(); err == nil {
			t.Errorf("mom_call %s is taken", bad)
		}
	}
	for _, queue := range []string{"true", "false", `"True"`} { // Salt's clients send it beside fun, where it means nothing
		if j, err := chunks(t, jsonType, `{"client":"local","tgt":"a","fun":"state.apply","queue":`+queue+`}`)[0].Job(); err != nil || j.Queue != 0 {
			t.Errorf("queue %s: %+v, %v", queue, j, err)
		}
	}
	if d, err := chunks(t, jsonType, `{"token_expire":94670856}`)[0].Life("token_expire"); err != nil || d != 94670856*time.Second {
		t.Errorf("token_expire: %v, %v", d, err)
	}
	if j, err := chunks(t, jsonType, `{"client":"local","tgt":"a","fun":"b.c","queue":60}`)[0].Job(); err != nil || j.Queue != time.Minute {
		t.Errorf("queue: %+v, %v", j, err)
	}
	fun, kw, err := chunks(t, formType, "client=wheel&fun=key.accept&match=web*&token=t")[0].Wheel()
	if m, _ := kw["kwarg"].(*value.Map); err != nil || fun != "key.accept" || m.String("match") != "web*" || m.Len() != 1 {
		t.Errorf("%s %v %v", fun, kw, err)
	}
	if _, err := chunks(t, jsonType, `{"client":"runner","fun":["a.b","c.d"]}`)[0].Runner(); err == nil {
		t.Error("two functions are no runner")
	}
}

// Bodies that are not low data have errors of their own.
func TestBodies(t *testing.T) {
	for kind, want := range map[string]bool{jsonType: true, "application/json; charset=utf-8": true, "application/json; charset=latin1": false, "text/yaml": true, "application/xml": false, "": false, "multipart/form-data; boundary=x": false} {
		if _, err := Parse(kind, []byte("{}")); errors.Is(err, ErrMediaType) == want {
			t.Errorf("%q: %v", kind, err)
		}
	}
	for _, c := range [][2]string{
		{jsonType, "{bad"},
		{jsonType, strings.Repeat("[", 10_000)},
		{yamlType, "{bad: ["},
		{yamlType, "a: 1\na: 2\n"},
		{yamlType, "!!python/object:os.system x"},
		{formType, "a=%zz"},
		{formType, "a=%ff"},
		{formType, strings.Repeat("a=1&", maxFields+1)},
	} {
		if _, err := Parse(c[0], []byte(c[1])); err == nil {
			t.Errorf("%.40s is taken", c[1])
		}
	}
	for _, body := range []string{`"str"`, `1`, ``, `[1]`, `["a"]`, `null`, "[" + strings.Repeat("{},", MaxChunks) + "{}]"} {
		b, err := Parse(jsonType, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Chunks(Options{}); err == nil {
			t.Errorf("%.40s is low data", body)
		}
	}
}

// Whatever is sent, a chunk is read or refused.
func FuzzParse(f *testing.F) {
	for _, kind := range []string{jsonType, yamlType, formType, "text/plain"} {
		for _, body := range []string{
			`[{"client":"local","tgt":["a"],"tgt_type":"list","fun":["a.b"],"arg":[[1]],"kwarg":{"a":1},"timeout":1,"batch":"10%","subset":"1"}]`,
			"client=local&tgt=*&fun=a.b&arg=1&kwarg={\"a\":1}", "- client: runner\n  fun: a.b\n  x: &a [1, *a]\n", "{{", "a=%41&a&=&&a=b",
		} {
			f.Add(kind, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		b, err := Parse(kind, body)
		if err != nil {
			return
		}
		_, _ = b.Map()
		cs, err := b.Chunks(Options{Typed: true})
		if err != nil {
			return
		}
		for _, c := range cs {
			_, _ = c.Login()
			if j, err := c.Job(); err == nil && (len(j.Fun) == 0 || j.Tgt == nil || j.Timeout < 0) {
				t.Errorf("%q is the job %+v", body, j)
			}
			if r, err := c.Runner(); err == nil && (r.Fun == "" || r.Timeout < 0) {
				t.Errorf("%q is the call %+v", body, r)
			}
			_, _, _ = c.Wheel()
			if n, err := c.Subset(); err == nil && n < 1 {
				t.Errorf("%q is a subset of %d", body, n)
			}
			if b, err := c.Batch(); err == nil && b.Validate() != nil {
				t.Errorf("%q is the batch %+v", body, b)
			}
			_, _ = c.Flag("full_return")
		}
	})
}
