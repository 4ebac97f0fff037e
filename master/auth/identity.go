package auth

import (
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Credentials are those of one login.
type Credentials struct {
	// Eauth names the login service, an entry of external_auth.
	Eauth              string
	Username, Password string
	// From is the source address of the login, without a port, for the delay of failed ones;
	// "" if it is not known.
	From string
	// Prompt returns refusals at once: the caller, who asks for another user, delays them and
	// uses no place at the master meanwhile.
	Prompt bool
}

// String omits the password.
func (c Credentials) String() string { return c.Username + " by " + c.Eauth }

// GoString omits the password.
func (c Credentials) GoString() string { return c.String() }

// LogValue omits the password.
func (c Credentials) LogValue() slog.Value {
	return slog.GroupValue(slog.String("user", c.Username), slog.String("eauth", c.Eauth), slog.String("peer", c.From))
}

// Identity is an authenticated user.
type Identity struct {
	Name string
	// Groups are the user's groups in the login service; the entry "g%" of external_auth matches
	// group g.
	Groups []string
	// Rules are those that the login service itself gives the user, in Salt's form.
	Rules []any
}

// Bounds of credentials, in bytes. Longer ones are refused as wrong.
const (
	maxName     = 256
	maxPassword = 16 << 10 // a bearer token has a few kilobytes
)

// folded returns a normal form of a user name: directories compare names without case, compatible
// forms of characters and repeated blanks. Users that differ only in these share their delays.
func folded(name string) string {
	return strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(strings.ToLower(name)))), " ")
}

// checkName returns what is wrong with a name typed by a stranger or taken from a bearer token: it is
// used in searches, program arguments and the log.
func checkName(name string) error {
	switch {
	case name == "":
		return denied("no user name")
	case len(name) > maxName:
		return denied("the user name has %d bytes, more than %d", len(name), maxName)
	case !utf8.ValidString(name):
		return denied("the user name is not UTF-8")
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || !unicode.IsGraphic(r) }):
		return denied("the user name holds a control character")
	case strings.TrimSpace(name) != name:
		return denied("the user name begins or ends with a blank")
	}
	return nil
}
