package api

import (
	"net/http"
	"time"
)

// recorder notes what is answered.
type recorder struct {
	http.ResponseWriter
	begun  time.Time
	from   string // the address that the request comes from
	status int
	bytes  int64
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets deadlines and web sockets reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// logAccess tells of a request: its route in place of its path, which may hold a token,
// and neither query nor headers nor body.
func (s *Server) logAccess(w *recorder, r *http.Request) {
	route := r.Pattern
	if route == "" {
		route = "(none)"
	}
	s.answered[min(max(w.status/100, 0), len(s.answered)-1)].Add(1)
	s.log.Info("request", "method", method(r.Method), "route", route, "status", w.status, "bytes", w.bytes,
		"took", s.o.Now().Sub(w.begun).Round(time.Microsecond), "peer", w.from, "proto", r.Proto, "server", string(s.o.Dialect))
}

// method is a method for the log: what is no word of HTTP is anybody's text.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "(other)"
}
