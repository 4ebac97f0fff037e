package render

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/momtree/mom/salt/jinja"
)

// Bounds of http_query: the time of a request including its answer, the bytes of the
// answer, and the number of redirects.
const (
	httpTime      = 30 * time.Second
	httpBytes     = 16 << 20
	httpRedirects = 5
)

// NewHTTPClient returns the client for [Options.HTTP].
func NewHTTPClient() *http.Client {
	return &http.Client{
		Timeout: httpTime,
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > httpRedirects {
				return fmt.Errorf("more than %d redirects", httpRedirects)
			}
			return nil
		},
	}
}

// httpQuery is the filter http_query: a request to the filtered address. As in Salt, it
// returns a map with the answer or the error.
func httpQuery(r *jinja.Run, v any, a *jinja.Args) any {
	j, ok := r.Data.(*job)
	//mutant:render-http-master
	if !ok || j.engine.opts.HTTP == nil {
		fail("http_query: a master makes no requests to the web when it renders; use it in states and templates of minions")
	}
	b := a.Bind("query", 0, "method params data header_dict header_list username password decode decode_type status headers text raise_error")
	address := text(r, v, "http_query")
	req, err := httpRequest(r, b, address)
	if err != nil {
		fail("http_query: %v", err)
	}
	out := jinja.NewDict()
	resp, err := j.engine.opts.HTTP.Do(req)
	var body []byte
	if err == nil {
		defer resp.Body.Close()
		//mutant:render-http-size
		body, err = io.ReadAll(io.LimitReader(resp.Body, httpBytes+1))
		if err == nil && len(body) > httpBytes {
			err = fmt.Errorf("the answer has more than %d bytes", httpBytes)
		}
	}
	status := jinja.Truth(b.Any(9, false))
	if err != nil {
		if status {
			out.Set("status", 0)
		}
		out.Set("error", withoutAddress(err).Error())
		return out
	}
	if resp.StatusCode >= 400 && jinja.Truth(b.Any(12, true)) {
		out.Set("status", resp.StatusCode)
		out.Set("error", fmt.Sprintf("HTTP %d: %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
		return out
	}
	r.Scratch(2 * len(body))
	page := strings.ToValidUTF8(string(body), "\ufffd")
	out.Set("body", page)
	if status {
		out.Set("status", resp.StatusCode)
	}
	if jinja.Truth(b.Any(10, false)) {
		headers := jinja.NewDict()
		for name, values := range resp.Header {
			headers.Set(name, strings.Join(values, ", "))
		}
		out.Set("headers", headers)
	}
	wantText := jinja.Truth(b.Any(11, false))
	if jinja.Truth(b.Any(7, false)) {
		wantText = httpDecode(r, out, page, b.Str(8, "auto"), resp.Header.Get("Content-Type")) || wantText
	}
	if wantText {
		out.Set("text", page)
	}
	return out
}

// withoutAddress returns the error of a request without its address, which may hold a
// password.
func withoutAddress(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// httpRequest builds the request of a call.
func httpRequest(r *jinja.Run, b *jinja.Bound, address string) (*http.Request, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address is invalid")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s is not an http or https address", u.Redacted())
	}
	if given := httpFields(r, b.Any(1, nil)); given != nil {
		q := u.Query()
		for _, kv := range given {
			q.Add(kv[0], kv[1])
		}
		u.RawQuery = q.Encode()
	}
	var body io.Reader
	form := httpFields(r, b.Any(2, nil))
	switch data := b.Any(2, nil).(type) {
	case nil:
	case string:
		body = strings.NewReader(data)
	default:
		if form == nil {
			return nil, fmt.Errorf("data has to be a string or a dict, not %s", jinja.TypeName(data))
		}
		values := url.Values{}
		for _, kv := range form {
			values.Add(kv[0], kv[1])
		}
		body = strings.NewReader(values.Encode())
	}
	req, err := http.NewRequestWithContext(r.Context(), b.Str(0, http.MethodGet), u.String(), body)
	if err != nil {
		return nil, err
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if l := b.Any(4, nil); l != nil {
		for _, line := range r.Iterate(l) {
			if name, val, ok := strings.Cut(r.Str(line), ":"); ok {
				req.Header.Set(strings.TrimSpace(name), strings.TrimSpace(val))
			}
		}
	}
	for _, kv := range httpFields(r, b.Any(3, nil)) {
		req.Header.Set(kv[0], kv[1])
	}
	req.Header.Set("User-Agent", "mom http.query()")
	if user, password := b.Str(5, ""), b.Str(6, ""); user != "" && password != "" {
		req.SetBasicAuth(user, password)
	}
	return req, nil
}

// httpFields returns the names and values of a dict; nil if it is not a dict.
func httpFields(r *jinja.Run, v any) (out [][2]string) {
	d, ok := v.(*jinja.Dict)
	if !ok {
		return nil
	}
	out = [][2]string{}
	d.Range(func(k, e any) bool {
		r.Alloc(128)
		out = append(out, [2]string{r.Str(k), r.Str(e)})
		return true
	})
	return out
}

// httpDecode adds the decoded page to out, and reports whether its text is wanted instead.
func httpDecode(r *jinja.Run, out *jinja.Dict, page, kind, contentType string) (wantText bool) {
	if kind == "auto" {
		kind = "plain"
		for _, k := range []string{"xml", "json", "yaml"} {
			if contentType == "" && k == "json" || strings.Contains(contentType, k) {
				kind = k
				break
			}
		}
	}
	switch kind {
	case "json":
		v, err := loadJSON(r, page)
		if err != nil {
			fail("http_query: the answer is no JSON: %v", err)
		}
		out.Set("dict", v)
	case "yaml":
		v, err := loadYAML(r, page, limitsOf(r).Values)
		if err != nil {
			fail("http_query: the answer is no YAML: %v", err)
		}
		out.Set("dict", jinja.Take(v))
	case "plain":
		return true
	case "xml":
		fail("http_query: decode_type xml is not served: take text=True")
	default:
		out.Set("error", "Invalid decode_type specified. Valid decode types are: ('json', 'xml', 'yaml', 'plain')")
	}
	return false
}

var _ = filters(map[string]jinja.Filter{"http_query": httpQuery})
