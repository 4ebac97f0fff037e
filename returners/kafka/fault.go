package kafka

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/momtree/mom/returners"
)

// refusals are the errors of a record batch that no retry mends.
var refusals = []error{
	kerr.MessageTooLarge, kerr.RecordListTooLarge, kerr.InvalidRecord, kerr.PolicyViolation, kerr.UnsupportedForMessageFormat, kerr.InvalidTimestamp,
}

// denials are the errors that an operator mends.
var denials = []error{
	kerr.TopicAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.SaslAuthenticationFailed, kerr.UnsupportedSaslMechanism, kerr.IllegalSaslState,
	kerr.UnknownTopicOrPartition, kerr.InvalidTopicException, kerr.UnknownTopicID,
}

var advice = map[string]string{
	returners.ClassConnection: "check that the brokers run and that this host reaches the addresses that they advertise",
	returners.ClassAccess:     "check that the topic exists, kafka.username, kafka.password and kafka.sasl, and allow the account to write to the topic",
	returners.ClassData:       "the broker refuses the message as it is (for a large one raise max.message.bytes of the topic)",
}

// fault classifies an error. It returns classified errors unchanged.
func (s *Store) fault(doing string, err error) error {
	var f *returners.Fault
	switch {
	case err == nil, errors.As(err, &f), errors.Is(err, returners.ErrClosed):
		return err
	}
	class := returners.ClassConnection
	switch {
	case errors.Is(err, context.Canceled):
	case isAny(err, denials):
		class = returners.ClassAccess
	case isAny(err, refusals):
		class = returners.ClassData
	}
	return &returners.Fault{Returner: Name, Where: s.o.where(), Doing: doing, Advice: advice[class], Class: class, Err: err}
}

func isAny(err error, of []error) bool {
	for _, e := range of {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
