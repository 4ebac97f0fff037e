package api

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/momtree/mom/value"
)

// piece and pieceTime bound how slowly a client may read an answer: that many bytes in that time.
const (
	piece     = 256 << 10
	pieceTime = 60 * time.Second
)

// writeAnswer encodes a value as the client accepts it.
func writeAnswer(w http.ResponseWriter, r *http.Request, log *slog.Logger, status int, v any) {
	f, err := formOf(r)
	if err != nil {
		f = asJSON
	}
	b, err := encode(f, v)
	if err != nil {
		log.Error("response not written", "path", r.Pattern, "err", err)
		status, b = http.StatusInternalServerError, []byte(`{"status": 500, "return": "An unexpected error occurred"}`)
	}
	w.Header().Set("Content-Type", formTypes[f])
	writeBody(w, r, status, b)
}

// writeBody sends a body in pieces, each with its deadline.
func writeBody(w http.ResponseWriter, r *http.Request, status int, b []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	rc := http.NewResponseController(w)
	for len(b) > 0 {
		_ = rc.SetWriteDeadline(time.Now().Add(pieceTime)) // a recorder in a test has none
		n := min(piece, len(b))
		if _, err := w.Write(b[:n]); err != nil {
			return // the client has gone
		}
		b = b[n:]
	}
}

// statusValue is the value of an answer that has a status and a text.
func statusValue(status int, text string) *value.Map {
	return value.NewMap("status", status, "return", text)
}

// errorWriter answers requests that have failed.
type errorWriter struct {
	log *slog.Logger
	// redirects sends a request without a token to /login.
	redirects bool
	// debug shows the texts of unexpected errors to the client.
	debug bool
}

// write answers with the status and the text of an error.
func (e *errorWriter) write(w http.ResponseWriter, r *http.Request, err error) {
	p, expected := problemOf(err)
	if !expected {
		e.log.Warn("request failed", "route", r.Pattern, "status", p.status, "err", err)
	}
	h := w.Header()
	switch p.status {
	case http.StatusUnauthorized:
		h.Set("Www-Authenticate", "Session")
		if errors.Is(p, errNoSession) && e.redirects && r.Header.Get("Upgrade") == "" {
			h.Set("Location", "/login")
			writeAnswer(w, r, e.log, http.StatusFound, statusValue(http.StatusFound, p.text))
			return
		}
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		h.Set("Retry-After", "5")
	case http.StatusRequestEntityTooLarge, http.StatusRequestTimeout:
		h.Set("Connection", "close")
	}
	text := p.text
	if e.debug && !expected {
		text = err.Error()
	}
	writeAnswer(w, r, e.log, p.status, statusValue(p.status, text))
}
