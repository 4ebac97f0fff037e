package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/momtree/mom/api/listener"
	"github.com/momtree/mom/client/remote"
)

// middleware wraps a handler.
type middleware func(http.Handler) http.Handler

// chain wraps a handler so that the first middleware sees a request first.
func chain(h http.Handler, all ...middleware) http.Handler {
	for i := len(all) - 1; i >= 0; i-- {
		h = all[i](h)
	}
	return h
}

type addrKey struct{}

// clientAddr returns the address that addressed has found.
func clientAddr(r *http.Request) string {
	addr, _ := r.Context().Value(addrKey{}).(string)
	return addr
}

// addressed finds the address of the client. A gateway forwards it to the API above.
func addressed(p proxies) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			addr := p.clientOf(r)
			ctx := remote.Forward(context.WithValue(r.Context(), addrKey{}, addr), addr)
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

// recorder records the status and the size of an answer.
type recorder struct {
	http.ResponseWriter
	status int // 0: none yet
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

// logged counts requests and logs them: the route in place of the path, which may hold a token, and
// neither query nor headers nor body.
func logged(log *slog.Logger, d Dialect, f *figures, now func() time.Time) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f.requests.Add(1)
			rec, begun := &recorder{ResponseWriter: w}, now()
			defer func() {
				route := r.Pattern
				if route == "" {
					route = "(none)"
				}
				f.answered[min(max(rec.status/100, 0), len(f.answered)-1)].Add(1)
				log.Info("request", "method", methodName(r.Method), "route", route, "status", rec.status, "bytes", rec.bytes,
					"took", now().Sub(begun).Round(time.Microsecond), "peer", clientAddr(r), "proto", r.Proto, "server", string(d))
			}()
			next.ServeHTTP(rec, r)
		})
	}
}

// methodName returns a method for the log. A method that HTTP does not have may be any text.
func methodName(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "(other)"
}

// recovered logs a panic of a handler and answers with an error.
func recovered(fail *errorWriter) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				p := recover()
				if p == nil {
					return
				}
				if p == http.ErrAbortHandler { //nolint:errorlint // panic values are compared as they are
					panic(p)
				}
				fail.log.Error("request handler panicked", "route", r.Pattern, "err", fmt.Sprint(p), "stack", string(debug.Stack()))
				if rec, ok := w.(*recorder); ok && rec.status == 0 {
					fail.write(w, r, errors.New("panic"))
				}
			}()
			next.ServeHTTP(w, r)
		})
	}
}

// fresh renews the write deadline of the connection, which the previous request may have used up.
func fresh(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 { // in HTTP/2 it would end the stream while nothing is written
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(pieceTime)) // a recorder in a test has none
		}
		next.ServeHTTP(w, r)
	})
}

var errAmbiguous = Refuse(http.StatusBadRequest, "The head of the request is ambiguous: Content-Length beside Transfer-Encoding, a folded line, or a line without a carriage return")

// unambiguous refuses requests that a proxy in front may read differently.
func unambiguous(fail *errorWriter) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if listener.LinkOf(r.Context()).Ambiguous() {
				w.Header().Set("Connection", "close")
				fail.write(w, r, errAmbiguous)
				return
			}
			if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
				w.Header().Set("Connection", "close") // the heads after such a body are not scanned
			}
			next.ServeHTTP(w, r)
		})
	}
}
