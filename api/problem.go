package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
)

// problem is an error as the API answers it.
type problem struct {
	status int
	text   string
}

func (p *problem) Error() string { return p.text }

func refuse(status int, text string) error { return &problem{status, text} }

// The texts are Salt's.
var (
	errNoSession = refuse(http.StatusUnauthorized, "No permission -- see authorization schemes")
	errBadLogin  = refuse(http.StatusUnauthorized, "Could not authenticate using provided credentials")
	errNoLogin   = refuse(http.StatusUnauthorized, "No authentication credentials given")
)

// unauthentic tells whether a master refuses who somebody is, not what they may do.
func unauthentic(r *client.Refused) bool { return strings.Contains(r.Name, "Authentication") }

// problemOf finds the status and the text of an error. The text of one that nobody has
// foreseen is not told to whoever asked: it goes to the log.
func problemOf(err error) (p *problem, foreseen bool) {
	if p, ok := errors.AsType[*problem](err); ok {
		return p, true
	}
	if e, ok := errors.AsType[*lowdata.Error](err); ok {
		return &problem{http.StatusBadRequest, e.Text}, true
	}
	if errors.Is(err, lowdata.ErrTooLarge) {
		return &problem{http.StatusRequestEntityTooLarge, err.Error()}, true
	}
	if e, ok := errors.AsType[*client.TargetError](err); ok {
		return &problem{http.StatusBadRequest, "tgt: " + e.Error()}, true
	}
	if r, ok := errors.AsType[*client.Refused](err); ok {
		if strings.HasSuffix(r.Name, "AuthenticationError") || r.Name == "AuthorizationError" {
			return &problem{http.StatusUnauthorized, r.Message}, true
		}
		return &problem{http.StatusBadRequest, r.Message}, true
	}
	if e, ok := errors.AsType[*client.RunnerError](err); ok {
		return &problem{http.StatusInternalServerError, e.Error()}, true
	}
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		_ = e
		return &problem{http.StatusRequestEntityTooLarge, "The entity sent with the request exceeds the maximum allowed bytes."}, true
	}
	switch {
	case errors.Is(err, lowdata.ErrMediaType):
		return &problem{http.StatusNotAcceptable, err.Error()}, true
	case errors.Is(err, ErrNoToken):
		return &problem{http.StatusUnauthorized, "No permission -- see authorization schemes"}, true
	case errors.Is(err, ErrNoMaster):
		return &problem{http.StatusNotImplemented, ErrNoMaster.Error()}, true
	case errors.Is(err, ErrNoEvents):
		return &problem{http.StatusServiceUnavailable, err.Error()}, true
	case errors.Is(err, client.ErrUnreachable), errors.Is(err, client.ErrBusLost), errors.Is(err, client.ErrNoKey):
		return &problem{http.StatusServiceUnavailable, "The master does not answer"}, false
	case errors.Is(err, client.ErrNotTold):
		return &problem{http.StatusNotFound, "this master does not tell of that job: it never had it, or keeps it no longer"}, true
	case errors.Is(err, context.DeadlineExceeded):
		return &problem{http.StatusGatewayTimeout, "The time for this call is over"}, true
	case errors.Is(err, context.Canceled):
		return &problem{http.StatusServiceUnavailable, "The server is shutting down, or the client has gone"}, true
	}
	//mutant:api-faults-are-private
	return &problem{http.StatusInternalServerError, "An unexpected error occurred"}, false
}
