package page

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Policy lets a browser load only from the address of the page. The document has no inline script or
// style, so an injected one does not run.
//
//mutant:api-page-policy
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard sets the headers of all files: a browser does not guess their type and sends no referrer.
func guard(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

// known reports whether the browser has the file, in either coding.
func known(r *http.Request, etag string) bool {
	for v := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		v = strings.TrimPrefix(strings.TrimSpace(v), "W/")
		if v == "*" || v == `"`+etag+`"` || v == `"`+etag+`-gz"` {
			return true
		}
	}
	return false
}

// takesGzip reports whether Accept-Encoding allows gzip.
func takesGzip(r *http.Request) bool {
	all := false
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		weight := 1.0
		if q, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			weight, _ = strconv.ParseFloat(q, 64) // a weight that is not a number is 0
		}
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip":
			return weight > 0
		case "*":
			all = weight > 0
		}
	}
	return all
}

// piece and pieceTime bound how slowly a client may read a file: that many bytes in that time.
const (
	piece     = 256 << 10
	pieceTime = 60 * time.Second
)

// paced writes in pieces, each with its deadline.
type paced struct{ http.ResponseWriter }

func (p paced) Write(b []byte) (done int, err error) {
	rc := http.NewResponseController(p.ResponseWriter)
	for len(b) > 0 && err == nil {
		_ = rc.SetWriteDeadline(time.Now().Add(pieceTime)) // a recorder in a test has none
		var n int
		n, err = p.ResponseWriter.Write(b[:min(piece, len(b))])
		done, b = done+n, b[n:]
	}
	return done, err
}
