package api

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// raw sends bytes as they are, and gives the statuses that come back until the connection ends
// or nothing more comes.
func raw(t *testing.T, p *pipes, text string) (statuses []int, closed bool) {
	t.Helper()
	c := p.dial(t)
	go func() { _, _ = io.WriteString(c, text) }()
	r := bufio.NewReader(c)
	for {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return statuses, true
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Error(err)
		}
		resp.Body.Close()
		if statuses = append(statuses, resp.StatusCode); resp.Close {
			return statuses, true
		}
		if len(statuses) == strings.Count(text, " HTTP/1.1\r\n") {
			return statuses, false
		}
	}
}

// A request that a proxy in front may read otherwise is refused, and ends the connection:
// nothing behind it is taken for a request. What can be read in one way alone is served.
func TestSmuggling(t *testing.T) {
	const get, host, lf = "GET / HTTP/1.1\r\n", "Host: x\r\n", "\r\n"
	const post = "POST /login HTTP/1.1\r\n" + host + "Content-Type: application/x-www-form-urlencoded\r\n"
	const next = get + host + lf
	for name, c := range map[string]struct {
		text string
		want []int
		end  bool
	}{
		"plain":                         {next, []int{200}, false},
		"two after another":             {next + next, []int{200, 200}, false},
		"a body and another":            {post + "Content-Length: 3\r\n\r\na=b" + next, []int{401, 200}, false},
		"a body that looks like a head": {post + "Content-Length: 38\r\n\r\nContent-Length: 5\nTransfer-Encoding: x" + next, []int{400, 200}, false},
		"line ends before a head":       {post + "Content-Length: 0\r\n\r\n\r\n" + next, []int{400, 200}, false},
		"chunks":                        {post + "Transfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n" + next, []int{401}, true},
		"length and chunks":             {post + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX" + next, []int{400}, true},
		"chunks and length":             {post + "transfer-encoding: chunked\r\ncONTENT-lENGTH: 6\r\n\r\n0\r\n\r\nX" + next, []int{400}, true},
		"in the second request":         {next + post + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX", []int{400}, true},
		"length 0 and chunks":           {post + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []int{400}, true},
		"two lengths":                   {post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\na=b", []int{400}, true},
		"a list of lengths":             {post + "Content-Length: 3, 3\r\n\r\na=b", []int{400}, true},
		"a sign":                        {post + "Content-Length: +3\r\n\r\na=b", []int{400}, true},
		"two codings":                   {post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", []int{501}, true},
		"another coding":                {post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", []int{501}, true},
		"a folded line":                 {post + "Content-Length:\r\n 3\r\n\r\na=b", []int{400}, true},
		"a folded name":                 {get + host + "X: a\r\n\tTransfer-Encoding: chunked\r\n\r\n", []int{400}, true},
		"a bare line feed":              {get + host + "X: a\nTransfer-Encoding: chunked\r\n\r\n", []int{400}, true},
		"a blank before the colon":      {post + "Content-Length : 3\r\n\r\na=b", []int{400}, true},
		"a bare carriage return":        {get + host + "X: a\rContent-Length: 3\r\n\r\n", []int{400}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, stop := start(t, serve(t, newFake()))
				defer stop()
				got, end := raw(t, p, c.text)
				if fmt.Sprint(got) != fmt.Sprint(c.want) || end != c.end {
					t.Errorf("%v, ended %v; want %v, %v", got, end, c.want, c.end)
				}
			})
		})
	}
}
