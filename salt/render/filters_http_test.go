package render

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// page is a web server that answers with the request it got.
func page(t *testing.T) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"a": [1, "two"]}`)
		case "/yaml":
			w.Header().Set("Content-Type", "text/yaml")
			io.WriteString(w, "a: [1, two]\n")
		case "/none":
			http.Error(w, "not here", http.StatusNotFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/large":
			for range 17 {
				w.Write(make([]byte, 1<<20))
			}
		default:
			b, _ := io.ReadAll(r.Body)
			user, password, _ := r.BasicAuth()
			io.WriteString(w, strings.Join([]string{r.Method, r.URL.String(), r.Header.Get("X-A"), r.Header.Get("X-B"), user, password, string(b)}, " ")) //nolint:gosec // what was asked, to who asked
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

// asked renders an expression with the server's address as url.
func asked(t *testing.T, client *http.Client, url, text string) string {
	t.Helper()
	e, err := New(Options{HTTP: client})
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Text(t.Context(), Template{Source: []byte("{% set url = '" + url + "' %}" + text)})
	if err != nil {
		return "error: " + err.Error()
	}
	return out
}

// Results have the fields of Salt's http.query.
func TestHTTPQuery(t *testing.T) {
	srv := page(t)
	for text, want := range map[string]string{ //nolint:gosec // not passwords
		"{{ (url ~ '/x') | http_query }}":                       "{'body': 'GET /x     '}",
		"{{ ((url ~ '/x') | http_query(status=True)).status }}": "200",
		"{{ ((url ~ '/x?a=1') | http_query('POST', {'b': 2}, 'data', header_dict={'X-A': 1}, header_list=['X-B: 2'], username='u', password='p', text=True)).text }}": "POST /x?a=1&b=2 1 2 u p data",
		"{{ ((url ~ '/x') | http_query('POST', data={'k': 'v w'})).body }}":                                                                                           "POST /x     k=v+w",
		"{{ ((url ~ '/json') | http_query(decode=True)).dict.a[1] }}":                                                                                                 "two",
		"{{ ((url ~ '/yaml') | http_query(decode=True)).dict.a[1] }}":                                                                                                 "two",
		"{{ ((url ~ '/json') | http_query(decode=True, decode_type='plain')).text }}":                                                                                 `{"a": [1, "two"]}`,
		"{{ ((url ~ '/json') | http_query(headers=True)).headers['Content-Type'] }}":                                                                                  "application/json",
		"{{ (url ~ '/none') | http_query }}":                                                                                                                          "{'status': 404, 'error': 'HTTP 404: Not Found'}",
		"{{ ((url ~ '/none') | http_query(raise_error=False)).body }}":                                                                                                "not here\n",
		"{{ ((url ~ '/loop') | http_query).error }}":                                                                                                                  "more than 5 redirects",
		"{{ ((url ~ '/large') | http_query).error }}":                                                                                                                 "the answer has more than 16777216 bytes",
	} {
		if got := asked(t, NewHTTPClient(), srv.URL, text); got != want {
			t.Errorf("%s\n%q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{ //nolint:gosec // no credentials
		"{{ 'file:///etc/passwd' | http_query }}":                            "is not an http or https address",
		"{{ 'x' | http_query }}":                                             "is not an http or https address",
		"{{ 7 | http_query }}":                                               "expected str",
		"{{ url | http_query(verify_ssl=False) }}":                           "verify_ssl",
		"{{ url | http_query(data=[1]) }}":                                   "data has to be a string or a dict",
		"{{ (url ~ '/json') | http_query(decode=True, decode_type='xml') }}": "xml is not served",
		"{{ (url ~ '/none') | http_query('GE T') }}":                         "invalid method",
		"{{ (url ~ '/x') | http_query(decode=True, decode_type='json') }}":   "is no JSON",
	} {
		if got := asked(t, NewHTTPClient(), srv.URL, text); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, want) {
			t.Errorf("%s\n%q, want an error with %q", text, got, want)
		}
	}
}

// Without a client, as on a master, no request is sent. The wait for a silent server is
// bounded. An error does not show the password in the address.
func TestHTTPQuery_Bounds(t *testing.T) {
	srv := page(t)
	if got := asked(t, nil, srv.URL, "{{ url | http_query }}"); !strings.Contains(got, "a master makes no requests") {
		t.Errorf("%q", got)
	}
	silent := make(chan struct{})
	held := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-silent:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(held.Close)
	t.Cleanup(func() { close(silent) })
	c := NewHTTPClient()
	if c.Timeout != httpTime {
		t.Errorf("a request has %v", c.Timeout)
	}
	c.Timeout = 20 * time.Millisecond
	got := asked(t, c, strings.Replace(held.URL, "http://", "http://u:secret@", 1), "{{ url | http_query(status=True) }}")
	if !strings.Contains(got, "'status': 0") || !strings.Contains(got, "Timeout") || strings.Contains(got, "secret") {
		t.Errorf("%q", got)
	}
}
