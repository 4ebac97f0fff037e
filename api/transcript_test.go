package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// exchange is a request and what a Salt server of 3007.0 has answered.
type exchange struct {
	N                        int
	User, Method, Path, Body string
	Header, Answer           map[string]string
	Status                   int
	Want, Error              string
}

// other is an answer of ours that is meant to be another than Salt's. The reasons are in
// docs/guide/api-compatibility.md.
type other struct {
	status int
	want   string // of the body, as JSON; "" for any
	why    string
}

var others = map[Dialect]map[int]other{
	CherryPy: {
		2: {200, "", "text/yaml is YAML too"}, 9: {204, "", "the preflight of browsers works"},
		25: {400, "", "an empty login is the caller's fault"}, 31: {400, "", "as 25"}, 123: {400, "", "as 25"},
		28: {400, "", "broken YAML is the caller's fault"}, 29: {400, "", "a text is no login"},
		44: {200, `{"return":[{"top-01":true},"Invalid client specified: 'nosuch'"],"errors":[{"chunk":1,"status":400,"message":"Invalid client specified: 'nosuch'","jobs":[]}]}`, "each chunk for itself"},
		53: {200, `{"return":[{"top-01":true}]}`, "subset of a form is a number"},
		59: {400, `{"status":400,"return":"Client disabled: 'ssh'. Salt SSH is not part of this server."}`, "no option enables it"},
		62: {400, "", "fun is missing"}, 63: {400, "", "tgt is missing"}, 92: {400, "", "tgt is missing"},
		64:  {500, `{"status":500,"return":"'no.such' is not available."}`, "the answer has the reason"},
		65:  {500, "", "the answer has the reason"},
		66:  {200, "", "no traceback"},
		89:  {202, "", "the minions of this test are others"},
		103: {401, "", "the answer does not say whether the name or the password was wrong"},
		112: {426, "", "an upgrade is wanted"}, 114: {405, "", "logging out is a POST"}, 116: {401, "", "as any token that does not hold"},
		81: {200, `{"return":[{"args":[],"kwargs":{}}]}`, "/run takes the token of a header as well"},
	},
	Tornado: {
		2: {200, "", "text/yaml is YAML too"}, 5: {200, "", "HEAD as rest_cherrypy"}, 8: {204, "", "the preflight of browsers works"},
		22: {400, "", "an empty login is the caller's fault"}, 90: {400, "", "as 22"},
		37: {200, "", "each chunk for itself"},
		40: {200, `{"return":[{"top-01":true,"web-01":true}]}`, "all minions"},
		41: {200, `{"return":[{"cache-01":true,"db-01":true,"top-01":true,"web-01":true,"web-02":true}],"missing":[{"chunk":0,"id":"web-03","reason":"disconnected","path":"syndic-a"}]}`, "all minions"},
		46: {200, "", "the wheel is served"}, 47: {200, "", "batches are served"},
		48: {400, "", ""}, 49: {400, "", ""},
		50: {400, "", "fun is missing"}, 51: {400, "", "tgt is missing"}, 52: {500, "", "errors have their status"},
		56: {401, "", "no right"}, 58: {401, "", "no right"}, 59: {401, "", "no right"}, 63: {401, "", "no right"}, 64: {401, "", "no right"},
		57: {200, `{"return":[{"web-01":"3007.0"}]}`, "all minions"},
		67: {400, "", ""}, 69: {400, "", ""},
		73: {405, "", "/logout is served, by POST"}, 74: {200, "", "/keys is served"}, 75: {405, "", "/token is served, by POST"},
		76: {200, "", "/stats is served"}, 77: {426, "", "/ws is served"},
		78: {200, "", "the page is served"},
		82: {405, "", "no GET"},
		92: {200, `{"return":[{"top-01":{"args":["one"],"kwargs":{"__pub_fun":"test.arg","__pub_arg":["one"],"__pub_tgt":["top-01"],"__pub_tgt_type":"list"}}}]}`, "a text is one argument"},
		96: {200, "", "full_return is kept"},
		98: {200, `{"return":[{"args":[1],"kwargs":{"a":2,"b":3}}]}`, "timeout is no argument"},
	},
}

func exchanges(t *testing.T, d Dialect) []exchange {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", strings.TrimPrefix(string(d), "rest_")+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var out []exchange
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

var (
	tokens = regexp.MustCompile(`TOKEN\d+-\d+hex|\b[0-9a-f]{64}\b`)
	jids   = regexp.MustCompile(`\b20\d{18}\b`)
)

// plain makes two answers comparable: what is another each time is left out.
func plain(t *testing.T, text, kind string) any {
	t.Helper()
	text = jids.ReplaceAllString(tokens.ReplaceAllString(text, "TOKEN"), "JID")
	var v any
	if strings.Contains(kind, "yaml") {
		read, err := pyfmt.ReadYAML([]byte(text))
		if err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		v = value.Plain(read)
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		text = string(b)
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return level(v)
}

func level(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			switch k {
			case "start", "expire", "_stamp":
				v[k] = "TIME"
			case "__pub_jid", "__pub_ret", "__pub_to", "__pub_user", "__pub_auth_list":
				delete(v, k)
			default:
				v[k] = level(e)
			}
		}
	case []any:
		for i := range v {
			v[i] = level(v[i])
		}
	}
	return v
}

// Requests that were sent to a real salt-api are answered as they were there, but for the
// differences that are meant.
func TestTranscripts(t *testing.T) {
	for _, d := range []Dialect{CherryPy, Tornado} {
		t.Run(string(d), func(t *testing.T) {
			seen := map[int]bool{}
			for _, x := range exchanges(t, d) {
				seen[x.N] = true
				replay(t, d, x)
			}
			for n := range others[d] {
				if !seen[n] {
					t.Errorf("there is no exchange %d", n)
				}
			}
		})
	}
}

func replay(t *testing.T, d Dialect, x exchange) {
	t.Helper()
	f := newFake()
	f.jobs["20240101000000000026"] = record(t, x)
	f.jobs["20240101000000000017"] = record(t, x)
	s := serve(t, f, func(o *Options) { o.Dialect = d })
	if x.User == "" {
		x.User = "alice"
	}
	id := f.token(x.User, time.Hour)
	if x.User == "gone" {
		delete(f.tokens, id)
	}
	r := httptest.NewRequest(x.Method, x.Path, strings.NewReader(strings.ReplaceAll(x.Body, "$T", id)))
	for k, v := range x.Header {
		r.Header.Set(k, strings.ReplaceAll(v, "$T", id))
	}
	if x.Header["Content-Type"] == "" {
		r.Header.Del("Content-Type")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	status, want := x.Status, x.Want
	o, differs := others[d][x.N]
	if differs {
		status, want = o.status, o.want
	}
	name := func() string { return string(d) + " " + x.Method + " " + x.Path + " " + x.Body }
	if w.Code != status {
		t.Errorf("%d %s: status %d, not %d: %s", x.N, name(), w.Code, status, w.Body)
		return
	}
	for k, v := range x.Answer {
		got := w.Header().Get(k)
		switch {
		case k == "Content-Type" && !strings.HasPrefix(v, "application/"), differs && k == "Content-Type":
			continue // errors are JSON here
		case k == "Allow" && (differs || status != http.StatusMethodNotAllowed):
			continue // 405 and OPTIONS have it
		case k == "Allow":
			for m := range strings.SplitSeq(v, ", ") {
				if !strings.Contains(got, m) {
					t.Errorf("%d %s: Allow is %q, not %q", x.N, name(), got, v)
				}
			}
			continue
		}
		if tokens.ReplaceAllString(got, "T") != tokens.ReplaceAllString(v, "T") {
			t.Errorf("%d %s: %s is %q, not %q", x.N, name(), k, got, v)
		}
	}
	if want == "" && x.Error != "" && !differs {
		if !strings.Contains(w.Body.String(), strings.ReplaceAll(strings.SplitN(x.Error, "'", 2)[0], `"`, `\"`)) && status != http.StatusNotFound {
			t.Errorf("%d %s: %s, not %q", x.N, name(), w.Body, x.Error)
		}
	}
	if want == "" || x.Method == http.MethodHead {
		return
	}
	kind := w.Header().Get("Content-Type")
	if diff := cmp.Diff(plain(t, want, kind), plain(t, w.Body.String(), kind)); diff != "" {
		t.Errorf("%d %s: (-want +got)\n%s", x.N, name(), diff)
	}
}

// record is the job that an exchange shows.
func record(t *testing.T, x exchange) *value.Map {
	t.Helper()
	if !strings.HasPrefix(x.Path, "/jobs/2024") || x.Want == "" {
		return nil
	}
	v, err := pyfmt.ReadYAML([]byte(x.Want)) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	m, _ := v.(*value.Map)
	list := m.List("info")
	if list == nil {
		list = m.List("return")
	}
	job, _ := list[0].(*value.Map)
	if job.Has("Error") {
		return nil
	}
	return job
}
