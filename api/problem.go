package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
)

// problem is an error with the status and the text of its answer.
type problem struct {
	status int
	text   string
}

func (p *problem) Error() string { return p.text }

// Refuse returns an error that the API answers with a status and a text. A [Backend] may return it.
func Refuse(status int, text string) error { return &problem{status, text} }

// The texts are Salt's.
var (
	errNoSession = Refuse(http.StatusUnauthorized, "No permission -- see authorization schemes")
	errBadLogin  = Refuse(http.StatusUnauthorized, "Could not authenticate using provided credentials")
	errNoLogin   = Refuse(http.StatusUnauthorized, "No authentication credentials given")
)

// Refusals of more than one file.
var (
	errNoJobID    = Refuse(http.StatusNotFound, "not a job id")
	errUnknownJob = Refuse(http.StatusNotFound, "unknown job: the master has no record of it, or no longer")
)

// problemOf returns the status and the text of an error. The text of an unexpected error goes to
// the log, not to the client.
func problemOf(err error) (p *problem, expected bool) {
	if p, ok := errors.AsType[*problem](err); ok {
		return p, true
	}
	if p := problemOfRequest(err); p != nil {
		return p, true
	}
	if p := problemOfMaster(err); p != nil {
		return p, true
	}
	switch {
	case errors.Is(err, client.ErrUnreachable), errors.Is(err, client.ErrBusLost), errors.Is(err, client.ErrNoKey):
		return &problem{http.StatusServiceUnavailable, "The master does not answer"}, false
	case errors.Is(err, client.ErrNotReported):
		return &problem{http.StatusNotFound, "this master has no record of that job, or no longer"}, true
	case errors.Is(err, context.DeadlineExceeded):
		return &problem{http.StatusGatewayTimeout, "The call took too long"}, true
	case errors.Is(err, context.Canceled):
		return &problem{http.StatusServiceUnavailable, "The server is shutting down, or the client has gone"}, true
	}
	//mutant:api-faults-are-private
	return &problem{http.StatusInternalServerError, "An unexpected error occurred"}, false
}

// problemOfRequest returns the problem of a body that cannot be served; nil for other errors.
func problemOfRequest(err error) *problem {
	if e, ok := errors.AsType[*lowdata.Error](err); ok {
		return &problem{http.StatusBadRequest, e.Text}
	}
	if e, ok := errors.AsType[*client.TargetError](err); ok {
		return &problem{http.StatusBadRequest, "tgt: " + e.Error()}
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &problem{http.StatusRequestEntityTooLarge, "The entity sent with the request exceeds the maximum allowed bytes."}
	}
	switch {
	case errors.Is(err, lowdata.ErrTooLarge):
		return &problem{http.StatusRequestEntityTooLarge, err.Error()}
	case errors.Is(err, lowdata.ErrMediaType):
		return &problem{http.StatusNotAcceptable, err.Error()}
	}
	return nil
}

// problemOfMaster returns the problem that a backend has answered with; nil for other errors.
func problemOfMaster(err error) *problem {
	if r, ok := errors.AsType[*client.Refused](err); ok {
		if strings.HasSuffix(r.Name, "AuthenticationError") || r.Name == "AuthorizationError" {
			return &problem{http.StatusUnauthorized, r.Message}
		}
		return &problem{http.StatusBadRequest, r.Message}
	}
	if e, ok := errors.AsType[*client.RunnerError](err); ok {
		return &problem{http.StatusInternalServerError, e.Error()}
	}
	switch {
	case errors.Is(err, ErrNoToken):
		return &problem{http.StatusUnauthorized, "No permission -- see authorization schemes"}
	case errors.Is(err, ErrNoMaster):
		return &problem{http.StatusNotImplemented, ErrNoMaster.Error()}
	case errors.Is(err, ErrNoEvents):
		return &problem{http.StatusServiceUnavailable, err.Error()}
	}
	return nil
}

// unauthentic reports whether a master refuses who somebody is, not what they may do.
func unauthentic(r *client.Refused) bool { return strings.Contains(r.Name, "Authentication") }
