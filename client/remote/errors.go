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

// StatusError is an unsuccessful response of the API. It unwraps to the corresponding error of
// package client: a [client.Refused], a [client.TargetError], [client.ErrUnreachable], or the
// timeout of a call.
type StatusError struct {
	Status int
	// Text is the message of the API.
	Text  string
	cause error
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("API response %d: %s", e.Status, e.Text)
}

func (e *StatusError) Unwrap() error { return e.cause }

// ErrRedirected means that the API redirects. Redirects are not followed, because they would
// forward the token.
var ErrRedirected = errors.New("the API redirects, which is not followed")

// maxText limits the length of a shown error message, in bytes.
const maxText = 2000

// failed converts a response with an error status to an error.
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
		e.cause = &client.Refused{Name: "TokenAuthenticationError", Message: "The login is unknown to the API or has expired"}
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

// refused reports whether err means that the token is unknown or has expired.
func refused(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Status == http.StatusUnauthorized
}
