package api

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/value"
)

// form is how an answer is written.
type form int

const (
	asJSON form = iota
	asYAML
	asExact // JSON that is read as it was: with a form for bytes, for keys that are no texts, for NaN
)

var formTypes = map[form]string{asJSON: "application/json", asYAML: "application/x-yaml", asExact: exactType}

// exactType is asked for by commands from afar and by gateways, whose results are to be those
// of the master itself.
const exactType = "application/vnd.mom+json"

// formOf reads the header Accept: the media type with the highest weight that there is.
func formOf(r *http.Request) (form, error) {
	all := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(all) == "" {
		return asJSON, nil
	}
	best, weight := asJSON, 0.0
	for part := range strings.SplitSeq(all, ",") {
		kind, params, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err != nil {
			continue
		}
		q := 1.0
		if s, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(s, 64); err != nil || q < 0 || q > 1 {
				continue
			}
		}
		var f form
		switch kind {
		case "*/*", "application/*", "application/json":
			f = asJSON
		case exactType:
			f = asExact
		case "application/x-yaml", "application/yaml", "text/yaml":
			f = asYAML
		default:
			continue
		}
		if q > weight {
			best, weight = f, q
		}
	}
	if weight > 0 {
		return best, nil
	}
	if len(all) > 100 {
		all = all[:100] + "…"
	}
	return asJSON, refuse(http.StatusNotAcceptable, fmt.Sprintf(
		"Your client sent this Accept header: %s. But this resource only emits these media types: application/json, application/x-yaml.", all))
}

// encode writes an answer as Salt's servers do: JSON on one line with ", " and ": ", YAML
// in blocks with sorted keys.
func encode(f form, v any) ([]byte, error) {
	if f == asExact {
		raw, err := client.RawOf(v)
		if err != nil {
			return nil, err
		}
		return raw.MarshalJSON()
	}
	name, o := "json", output.Options{Indent: new(int)}
	*o.Indent = -1
	if f == asYAML {
		name, o = "yaml", output.Options{}
	}
	text, err := output.Text(name, v, o)
	if err != nil {
		return nil, err
	}
	if f == asYAML {
		text += "\n"
	}
	return []byte(text), nil
}

// piece and pieceTime bound how slowly an answer may be read: so many bytes in that time.
const (
	piece     = 256 << 10
	pieceTime = 60 * time.Second
)

// answer writes a value with a status.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, status int, v any) {
	f, err := formOf(r)
	if err != nil {
		f = asJSON
	}
	b, err := encode(f, v)
	if err != nil {
		s.log.Error("response not written", "path", r.Pattern, "err", err)
		status, b = http.StatusInternalServerError, []byte(`{"status": 500, "return": "An unexpected error occurred"}`)
	}
	h := w.Header()
	h.Set("Content-Type", formTypes[f])
	s.write(w, r, status, b)
}

// write sends a body in pieces, each with its deadline.
func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, b []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	rc := http.NewResponseController(w)
	for len(b) > 0 {
		_ = rc.SetWriteDeadline(time.Now().Add(pieceTime)) // where there is none, such as in tests, nothing waits
		n := min(piece, len(b))
		if _, err := w.Write(b[:n]); err != nil {
			return // who asked is gone
		}
		b = b[n:]
	}
}

// fail answers with an error: {"status": ..., "return": text}.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p, foreseen := problemOf(err)
	if !foreseen {
		s.log.Warn("request failed", "route", r.Pattern, "status", p.status, "err", err)
	}
	h := w.Header()
	switch p.status {
	case http.StatusUnauthorized:
		h.Set("Www-Authenticate", "Session")
		if errors.Is(p, errNoSession) && s.d.redirects && r.Header.Get("Upgrade") == "" {
			h.Set("Location", "/login")
			s.answer(w, r, http.StatusFound, told(http.StatusFound, p.text))
			return
		}
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		h.Set("Retry-After", "5")
	case http.StatusRequestEntityTooLarge, http.StatusRequestTimeout:
		h.Set("Connection", "close")
	}
	text := p.text
	if s.o.Debug && !foreseen {
		text = err.Error()
	}
	s.answer(w, r, p.status, told(p.status, text))
}

func told(status int, text string) *value.Map { return value.NewMap("status", status, "return", text) }
