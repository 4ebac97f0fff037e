package ext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// httpPatience limits one request, whatever time the pillar has left.
const httpPatience = 30 * time.Second

var httpArgs = []string{"url", "with_grains=", "header_dict=", "auth=", "username=", "password=", "namespace="}

func init() {
	for _, k := range []struct {
		name, form string
		read       func([]byte) (any, error)
	}{{"http_json", "JSON", readJSON}, {"http_yaml", "YAML", readYAML}} {
		Register(Source{
			Name: k.name, Load: loadHTTP(k.read), Check: checkHTTP,
			Doc: `
What a server gives as ` + k.form + `. Any answer but one of success with a mapping is an error.

url
    The address; %s in it is the id of the minion.
with_grains : False
    Replace each <NAME> in the address by the grain of that name, a:b for one within.
username, password, header_dict
    A login for the server, and headers to send.
namespace
    A key to put the mapping under.

    ext_pillar:
      - ` + k.name + `:
          url: https://cmdb.example/minions/%s
`,
		})
	}
}

type httpConf struct {
	url                           string
	grains                        bool
	username, password, namespace string
	headers                       *value.Map
}

func checkHTTP(conf any) error {
	_, err := readHTTP(conf)
	return err
}

func readHTTP(conf any) (h httpConf, err error) {
	a, err := bind(conf, httpArgs...)
	if err != nil {
		return h, err
	}
	for name, to := range map[string]*string{"url": &h.url, "username": &h.username, "password": &h.password, "namespace": &h.namespace} {
		text, err := a.text(name)
		if err != nil {
			return h, err
		}
		*to = text
	}
	if h.grains, err = a.flag("with_grains"); err != nil {
		return h, err
	}
	if a["auth"] != nil {
		return h, errors.New("auth is not supported: use username and password")
	}
	if !strings.HasPrefix(h.url, "http://") && !strings.HasPrefix(h.url, "https://") {
		return h, fmt.Errorf("url %q is neither http:// nor https://", h.url)
	}
	switch v := a["header_dict"].(type) {
	case nil:
	case *value.Map:
		h.headers = v
	default:
		return h, fmt.Errorf("header_dict should be a mapping, not %s", pyfmt.Repr(v))
	}
	return h, nil
}

// client keeps connections to servers open; the test of the package closes them.
var client = sync.OnceValue(func() *http.Client {
	return &http.Client{
		Timeout: httpPatience,
		// A redirect to another host would disclose the login, or reach internal hosts.
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			switch first := via[0].URL; {
			case len(via) >= 5:
				return errors.New("too many redirects")
			case req.URL.Host != first.Host || first.Scheme == "https" && req.URL.Scheme != "https":
				return fmt.Errorf("redirect to another server: %s://%s", req.URL.Scheme, req.URL.Host)
			}
			return nil
		},
	}
})

func loadHTTP(read func([]byte) (any, error)) func(context.Context, *Call) (*value.Map, error) {
	return func(ctx context.Context, c *Call) (*value.Map, error) {
		h, err := readHTTP(c.Conf)
		if err != nil {
			return nil, err
		}
		at, err := h.address(c)
		if err != nil {
			return nil, err
		}
		body, err := h.get(ctx, at)
		if err != nil {
			return nil, err
		}
		v, err := read(body)
		if err != nil {
			return nil, fmt.Errorf("the answer of %s: %w", shownURL(at), err)
		}
		m, err := asMap(v, "the answer of "+shownURL(at))
		if err != nil || m == nil || h.namespace == "" {
			return m, err
		}
		return value.NewMap(h.namespace, m), nil
	}
}

var grainMark = regexp.MustCompile(`<([^<>]*)>`)

// address returns the URL with id and grains of the minion. Both are escaped, slashes too: the
// minion chooses its grains, and must not change the path.
func (h httpConf) address(c *Call) (string, error) {
	at := strings.ReplaceAll(h.url, "%s", quoted(c.ID))
	if !h.grains {
		return at, nil
	}
	var missing error
	at = grainMark.ReplaceAllStringFunc(at, func(mark string) string {
		name := mark[1 : len(mark)-1]
		v := traverse(c.Grains, name)
		switch v.(type) {
		case nil, []any, *value.Map:
			missing = fmt.Errorf("the minion has no grain %s that fits into an address", name)
			return ""
		}
		return quoted(pyfmt.Str(v))
	})
	return at, missing
}

// quoted escapes a string as one path element. Two dots would lead up.
func quoted(s string) string {
	if s == "." || s == ".." {
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return url.PathEscape(s)
}

// traverse finds a:b in nested maps.
func traverse(m *value.Map, name string) any {
	if v, ok := m.Get(name); ok {
		return v
	}
	var v any = m
	for key := range strings.SplitSeq(name, ":") {
		in, ok := v.(*value.Map)
		if !ok {
			return nil
		}
		v, _ = in.Get(key)
	}
	return v
}

func (h httpConf) get(ctx context.Context, at string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, fmt.Errorf("address: %w", withoutURL(err))
	}
	if h.username != "" || h.password != "" {
		req.SetBasicAuth(h.username, h.password)
	}
	for _, k := range h.headers.Keys() {
		v, _ := h.headers.GetKey(k)
		req.Header.Set(pyfmt.Str(k), pyfmt.Str(v))
	}
	res, err := client().Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shownURL(at), withoutURL(err))
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxOutput+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", shownURL(at), err)
	case len(body) > maxOutput:
		return nil, fmt.Errorf("%s: the answer has more than %d bytes", shownURL(at), maxOutput)
	case res.StatusCode < 200 || res.StatusCode > 299:
		return nil, fmt.Errorf("%s: status %s", shownURL(at), res.Status)
	}
	return body, nil
}

// withoutURL returns the cause of a net/http error, which repeats the whole URL with its password.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// shownURL returns a URL without login and query.
func shownURL(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return "the server"
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}
