package auth

import (
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Credentials are what somebody logs in with.
type Credentials struct {
	// Eauth names the login service, an entry of external_auth.
	Eauth              string
	Username, Password string
	// From is the address that the login comes from, without a port, by which failed
	// ones are slowed down; "" where there is none to tell.
	From string
	// Prompt has a refusal answered at once: whoever asks for somebody else delays it, and
	// holds no place at the master meanwhile.
	Prompt bool
}

// String leaves the password out.
func (c Credentials) String() string { return c.Username + " by " + c.Eauth }

// GoString leaves the password out.
func (c Credentials) GoString() string { return c.String() }

// LogValue leaves the password out.
func (c Credentials) LogValue() slog.Value {
	return slog.GroupValue(slog.String("user", c.Username), slog.String("eauth", c.Eauth), slog.String("peer", c.From))
}

// Identity is who somebody is.
type Identity struct {
	Name string
	// Groups are those that the login service has the user in; a group g is meant by
	// the entry "g%" of external_auth.
	Groups []string
}

// Bounds of what a login may hold, in bytes. Longer names and passwords are wrong ones.
const (
	maxName     = 256
	maxPassword = 16 << 10 // a bearer token has a few kilobytes
)

// folded is a user name as all spellings of it have it: directories compare names without
// regard to case, compatible forms of characters and repeated blanks. Two users whom a service
// tells apart by these alone share the delays.
func folded(name string) string {
	return strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(strings.ToLower(name)))), " ")
}

// checkName tells what is wrong with a name that a stranger has typed, or that a bearer
// token holds: it goes into searches, arguments of programs and the log.
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
