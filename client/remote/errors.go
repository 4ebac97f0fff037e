package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// StatusError is an answer of the API that is none of success. [errors.As] and
// [errors.Is] find in it what package client says for the same: a [client.Refused], a
// [client.TargetError], [client.ErrUnreachable], or the end of the time for a call.
type StatusError struct {
	Status int
	// Text is what the API says.
	Text  string
	cause error
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("the API answers %d: %s", e.Status, e.Text)
}

func (e *StatusError) Unwrap() error { return e.cause }

// ErrRedirected is a redirect, which is not followed: the token would go along.
var ErrRedirected = errors.New("the API redirects, which is not followed")

// maxText bounds what is shown of an error.
const maxText = 2000

// failed is an answer with this status as an error.
func failed(status int, v any) error {
	text := ""
	switch v := v.(type) {
	case *value.Map:
		if text = v.String("return"); text == "" {
			text = v.String("message")
		}
	case string:
		text = v
	}
	if text = strings.TrimSpace(text); text == "" {
		text = http.StatusText(status)
	}
	if r := []rune(text); len(r) > maxText {
		text = string(r[:maxText]) + "…"
	}
	e := &StatusError{Status: status, Text: text}
	tgt, isTarget := strings.CutPrefix(text, "tgt: ")
	switch {
	case status == http.StatusUnauthorized && strings.HasPrefix(text, "No permission"):
		e.cause = &client.Refused{Name: "TokenAuthenticationError", Message: "The login is unknown to the API, or past its time"}
	case status == http.StatusUnauthorized:
		e.cause = &client.Refused{Name: "AuthorizationError", Message: text}
	case status == http.StatusBadRequest && isTarget:
		e.cause = &client.TargetError{Err: errors.New(tgt)}
	case status == http.StatusBadGateway || status == http.StatusServiceUnavailable:
		e.cause = client.ErrUnreachable
	case status == http.StatusGatewayTimeout:
		e.cause = context.DeadlineExceeded
	case status >= 400 && status < 500:
		e.cause = &client.Refused{Name: "SaltClientError", Message: text}
	}
	return e
}

// refused tells whether the API does not know the token, or not any more.
func refused(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Status == http.StatusUnauthorized
}
