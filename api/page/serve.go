package page

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Policy is what a browser may do for the page: load from the address it came from, and
// nothing else. No script or style stands inside the document, so none that somebody gets
// into it is run.
//
//mutant:api-page-policy
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Serve answers with a file by its name; "" is the document. It reports whether there is
// such a file, and writes nothing if there is none.
func (a *Assets) Serve(w http.ResponseWriter, r *http.Request, name string) bool {
	if name == index { // what it names is relative to the path of the document
		return false
	}
	if name == "" {
		name = index
	}
	f := a.files[name]
	if f == nil {
		return false
	}
	h := w.Header()
	guard(h)
	h.Set("Content-Security-Policy", Policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache") // it may be kept, and is asked for again each time
	h.Add("Vary", "Accept-Encoding")
	body, etag := f.plain, `"`+f.etag+`"`
	if f.zipped != nil && takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body, etag = f.zipped, `"`+f.etag+`-gz"`
	}
	h.Set("Etag", etag)
	if known(r, f.etag) {
		h.Del("Content-Type")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = paced{w}.Write(body) // who asked may be gone
	}
	return true
}

// guard sets what holds for all files: their type is what the server says, and the address
// of the page is told to nobody.
func guard(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

// known tells whether the browser has the file, in either coding.
func known(r *http.Request, etag string) bool {
	for v := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		v = strings.TrimPrefix(strings.TrimSpace(v), "W/")
		if v == "*" || v == `"`+etag+`"` || v == `"`+etag+`-gz"` {
			return true
		}
	}
	return false
}

// takesGzip reads the header Accept-Encoding.
func takesGzip(r *http.Request) bool {
	all := false
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		weight := 1.0
		if q, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			weight, _ = strconv.ParseFloat(q, 64) // what is no number is not wanted
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

// pieceTime bounds how slowly a file may be read: a piece in that time.
const (
	piece     = 256 << 10
	pieceTime = 60 * time.Second
)

// paced writes in pieces, each with its deadline.
type paced struct{ http.ResponseWriter }

func (p paced) Write(b []byte) (done int, err error) {
	rc := http.NewResponseController(p.ResponseWriter)
	for len(b) > 0 && err == nil {
		_ = rc.SetWriteDeadline(time.Now().Add(pieceTime)) // where there is none, such as in tests, nothing waits
		var n int
		n, err = p.ResponseWriter.Write(b[:min(piece, len(b))])
		done, b = done+n, b[n:]
	}
	return done, err
}
