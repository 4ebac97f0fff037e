package nats

import (
	"errors"
	"net/http"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/momtree/mom/returners"
)

// denials are the errors that an operator mends.
var denials = []error{
	nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrPermissionViolation, nats.ErrSecureConnRequired, nats.ErrSecureConnWanted,
	nats.ErrNoResponders, jetstream.ErrNoStreamResponse, jetstream.ErrJetStreamNotEnabled, jetstream.ErrJetStreamNotEnabledForAccount,
}

// storeFailed is the code of JetStream for a stream that does not accept messages now, such as
// one at its limit with discard policy new.
const storeFailed jetstream.ErrorCode = 10077

var advice = map[string]string{
	returners.ClassConnection: "check that the servers run and accept connections from here",
	returners.ClassAccess:     "check that a JetStream stream holds the subject, nats.credentials or the other login, and allow the account to publish to the subject",
	returners.ClassFull:       "check the limits of the stream and of the account",
	returners.ClassData:       "the server refuses the message as it is (for a large one raise max_payload of the server and the maximum message size of the stream)",
}

// fault classifies an error. It returns classified errors unchanged.
func (s *Store) fault(doing string, err error) error {
	var f *returners.Fault
	switch {
	case err == nil, errors.As(err, &f), errors.Is(err, returners.ErrClosed):
		return err
	}
	class := classOf(err)
	return &returners.Fault{Returner: Name, Where: s.o.where(), Doing: doing, Advice: advice[class], Class: class, Err: err}
}

func classOf(err error) string {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		switch {
		case api.ErrorCode == storeFailed:
			return returners.ClassFull
		case api.Code == http.StatusBadRequest:
			return returners.ClassData
		case api.Code == http.StatusNotFound:
			return returners.ClassAccess
		}
	}
	if errors.Is(err, nats.ErrMaxPayload) {
		return returners.ClassData
	}
	for _, e := range denials {
		if errors.Is(err, e) {
			return returners.ClassAccess
		}
	}
	return returners.ClassConnection
}
