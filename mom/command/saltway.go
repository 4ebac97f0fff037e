package command

import (
	"encoding/json"
	"errors"
	"os"
	"strings"

	"github.com/momtree/mom/client"
)

// SaltWay is the environment variable that makes commands report refusals as Salt's do, for
// scripts that read them: with 1 the text goes to standard output and the exit code is 0.
const SaltWay = "MOM_SALT_ERRORS"

// saltWay is an error with what Salt prints in its place.
type saltWay struct {
	error
	out, err string
}

func (s *saltWay) Unwrap() error { return s.error }

// InSaltsWay adds to an error what Salt's command prints on standard output and standard error
// where it ends with 0.
func InSaltsWay(err error, out, errOut string) error { return &saltWay{err, out, errOut} }

// inSaltsWay reports whether a command ends in Salt's way, and what it prints then.
func inSaltsWay(err error) (s *saltWay, yes bool) {
	return s, os.Getenv(SaltWay) == "1" && errors.As(err, &s)
}

// Text is a text in the form of the outputter, as Salt prints its refusals.
func (f *Output) Text(text string) string {
	if f.Outputter != "json" {
		return text
	}
	b, err := json.Marshal(text)
	if err != nil { // not of a text
		return text
	}
	return string(b)
}

// Refusal is the end of a command that the master refuses, with Salt's text.
func (f *Frame) Refusal(code int, no *client.Refused) error {
	l := &f.Login
	text := no.Message
	if no.Name == "EauthAuthenticationError" && l.Username != "" && !strings.Contains(text, "for user") {
		text = `Authentication failure of type "eauth" occurred for user ` + l.Username + "."
	}
	return InSaltsWay(Exit(code, errors.New(text)), f.Output.Text(text), "")
}
