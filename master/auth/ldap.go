package auth

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-ldap/ldap/v3"
)

func init() {
	ldap.Logger(log.New(io.Discard, "", 0)) // what matters comes as an error
	Register(Driver{
		Name: "ldap",
		Doc: "A directory: whoever can bind with the password is let in. The server is auth.ldap.uri (several with blanks between them are tried in turn), or " +
			"auth.ldap.server (localhost) and auth.ldap.port (389, with TLS 636), with auth.ldap.tls or auth.ldap.starttls; auth.ldap.no_verify takes any certificate. " +
			"With auth.ldap.binddn and auth.ldap.bindpw, or auth.ldap.anonymous, the user is searched by auth.ldap.filter below auth.ldap.basedn, to the depth of " +
			"auth.ldap.scope (0 that entry, 1 one level, 2 all); without bindpw, binddn is the user's own, with {{ username }} in it. Groups are entries of the " +
			"auth.ldap.groupclass (posixGroup) below the auth.ldap.groupou (Groups) with the user in auth.ldap.accountattributename (memberUid), or what " +
			"auth.ldap.groupattribute (memberOf) of the user names. auth.ldap.activedirectory finds them by the user's entry of the auth.ldap.persontype (person), " +
			"auth.ldap.freeipa by auth.ldap.group_filter below auth.ldap.group_basedn. Targets ldap(BASE) in rules mean the computers below BASE, by their names " +
			"without one of auth.ldap.minion_stripdomains. auth.ldap.auth_by_group_membership_only has to be false.",
		Options: []string{
			"auth.ldap", "auth.ldap.uri", "auth.ldap.server", "auth.ldap.port", "auth.ldap.tls", "auth.ldap.starttls", "auth.ldap.no_verify", "auth.ldap.anonymous",
			"auth.ldap.scope", "auth.ldap.basedn", "auth.ldap.binddn", "auth.ldap.bindpw", "auth.ldap.filter", "auth.ldap.accountattributename", "auth.ldap.groupou",
			"auth.ldap.group_basedn", "auth.ldap.group_filter", "auth.ldap.groupclass", "auth.ldap.groupattribute", "auth.ldap.persontype",
			"auth.ldap.minion_stripdomains", "auth.ldap.activedirectory", "auth.ldap.freeipa", "auth.ldap.auth_by_group_membership_only",
		},
		Secrets: []string{"auth.ldap.bindpw"},
		AtOnce:  16,
		Open:    func(cf Config) (Backend, error) { return openLDAP(cf) },
	})
}

// directory is a login service that is an LDAP server.
type directory struct {
	uris           []string
	starttls       bool
	tls            *tls.Config
	anonymous      bool
	scope          int
	base           string
	bindDN, bindPW string
	filter         string
	account        string // accountattributename
	groups         groupSearch
	strip          []string // minion_stripdomains
	warned         func(text string, args ...any)
}

func openLDAP(cf Config) (*directory, error) {
	v := topValues(cf, "auth.ldap", drivers["ldap"].Options)
	d := &directory{
		starttls: v.truth("starttls"), anonymous: v.truth("anonymous"), scope: v.number("scope", ldap.ScopeWholeSubtree, 0, 2), base: v.text("basedn", ""),
		bindDN: v.text("binddn", ""), bindPW: v.text("bindpw", ""), filter: v.text("filter", ""), account: v.text("accountattributename", "memberUid"),
		strip: v.texts("minion_stripdomains"), warned: cf.Log.Warn,
	}
	d.uris = ldapURIs(v)
	d.tls = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: v.truth("no_verify")} //nolint:gosec // the operator's own choice, as Salt has it
	d.groups = newGroupSearch(v)
	if v.truth("auth_by_group_membership_only") {
		v.fault("auth_by_group_membership_only", "true is not supported: it lets in everybody, without a password, under the name of anybody in a group; set it to false")
	}
	search := d.bindPW != "" || d.anonymous && d.bindDN == ""
	switch {
	case d.bindDN == "" && !d.anonymous:
		v.fault("binddn", "is missing: set it, with bindpw for an account that searches users, or with {{ username }} in it for users who search themselves; or set anonymous: true")
	case d.bindDN == "" && d.bindPW != "":
		v.fault("bindpw", "is set without binddn")
	case search && d.filter == "":
		v.fault("filter", "is missing: it finds the entry of a user, such as uid={{ username }}")
	case search && !userForm.MatchString(d.filter):
		v.fault("filter", "does not hold {{ username }}, so that it finds the same for everybody")
	case !search && !userForm.MatchString(d.bindDN):
		v.fault("binddn", "does not hold {{ username }}, and there is no bindpw, so that anybody would be the same user")
	}
	for _, f := range []struct{ name, text string }{{"binddn", d.bindDN}, {"filter", d.filter}, {"group_filter", d.groups.filter}} {
		switch {
		case strings.Contains(render(f.text, ""), "{{"), strings.Contains(f.text, "{%"):
			v.fault(f.name, "holds more of a template than {{ username }}, which is all that is filled in")
			continue
		case f.text == "" || f.name == "binddn":
			continue
		}
		if _, err := ldap.CompileFilter(inParentheses(render(f.text, "x"))); err != nil {
			v.fault(f.name, "is no filter of LDAP: %v", err)
		}
	}
	if err := v.err(); err != nil {
		return nil, err
	}
	if d.tls.InsecureSkipVerify || slices.ContainsFunc(d.uris, func(u string) bool { return strings.HasPrefix(u, "ldap:") }) && !d.starttls {
		cf.Log.Warn("LDAP passwords are sent without verified TLS", "hint", "set auth.ldap.uri to ldaps://, or auth.ldap.starttls, and verify the certificate")
	}
	return d, nil
}

// ldapURIs are the servers that are tried.
func ldapURIs(v *values) []string {
	secure := v.truth("tls")
	if secure && v.truth("starttls") {
		v.fault("starttls", "does not go with auth.ldap.tls: a connection is made safe once")
	}
	scheme, port := "ldap", 389
	if secure {
		scheme, port = "ldaps", 636
	}
	uris := strings.Fields(v.text("uri", ""))
	if len(uris) == 0 {
		server := strings.Trim(v.text("server", "localhost"), "[]")
		port = v.number("port", port, 1, 65535)
		uris = []string{scheme + "://" + net.JoinHostPort(server, strconv.Itoa(port))}
	}
	for _, u := range uris {
		p, err := url.Parse(u)
		switch {
		case strings.HasPrefix(u, "ldapi://"):
			if v.truth("starttls") {
				v.fault("uri", "%q does not go with auth.ldap.starttls: it does not leave this machine", u)
			}
		case err != nil || p.Host == "" || p.Scheme != "ldap" && p.Scheme != "ldaps":
			v.fault("uri", "%q is none of ldap://HOST:PORT, ldaps://HOST:PORT and ldapi://PATH", u)
		case p.Scheme == "ldaps" && v.truth("starttls"):
			v.fault("uri", "%q does not go with auth.ldap.starttls: a connection is made safe once", u)
		}
	}
	return uris
}

// userForm is the place of the user's name in filters and names. Salt renders them with
// Jinja; this is what people write.
var userForm = regexp.MustCompile(`\{\{\s*username\s*\}\}`)

func render(text, name string) string { return userForm.ReplaceAllLiteralString(text, name) }

func inParentheses(filter string) string {
	if strings.HasPrefix(filter, "(") {
		return filter
	}
	return "(" + filter + ")"
}

func (d *directory) Check(ctx context.Context, c Credentials) (Identity, error) {
	searching, err := d.dial(ctx) // by it the user is searched, and groups
	if err != nil {
		return Identity{}, err
	}
	defer searching.Close()
	var dn string
	switch {
	case d.bindPW != "":
		if err := searching.Bind(d.bindDN, d.bindPW); err != nil {
			return Identity{}, fmt.Errorf("auth.ldap.binddn and bindpw: %w", err)
		}
		dn, err = d.find(searching, c.Username)
	case d.bindDN == "":
		dn, err = d.find(searching, c.Username)
	default:
		dn = d.ownDN(c.Username)
	}
	if err != nil {
		return Identity{}, inTime(ctx, err)
	}
	own := searching
	if d.bindPW != "" || d.anonymous {
		if own, err = d.dial(ctx); err != nil {
			return Identity{}, err
		}
		defer own.Close()
	}
	if err := own.Bind(dn, c.Password); err != nil {
		if slices.ContainsFunc(refusals, func(code uint16) bool { return ldap.IsErrorWithCode(err, code) }) {
			return Identity{}, denied("wrong name or password")
		}
		return Identity{}, inTime(ctx, fmt.Errorf("bind as the user: %w", err))
	}
	groups, err := d.groups.of(searching, d, c.Username)
	if err != nil {
		return Identity{}, inTime(ctx, fmt.Errorf("groups of the user: %w", err))
	}
	return Identity{Name: c.Username, Groups: groups}, nil
}

// refusals are the answers of a server that mean the user, not the server.
var refusals = []uint16{
	ldap.LDAPResultInvalidCredentials, ldap.LDAPResultNoSuchObject, ldap.LDAPResultInvalidDNSyntax, ldap.LDAPResultInappropriateAuthentication,
	ldap.LDAPResultConstraintViolation, ldap.LDAPResultUnwillingToPerform, ldap.LDAPResultInsufficientAccessRights, ldap.ErrorEmptyPassword,
}

// ownDN is whom a user binds as. A name within a DN cannot be more than a value there; what
// is no DN (user@domain, DOMAIN\user) takes the name as it is.
func (d *directory) ownDN(name string) string {
	if strings.Contains(userForm.ReplaceAllLiteralString(d.bindDN, ""), "=") {
		name = ldap.EscapeDN(name)
	}
	return render(d.bindDN, name)
}

// find gives the one entry that is the user's.
func (d *directory) find(conn *ldap.Conn, name string) (string, error) {
	found, err := conn.Search(ldap.NewSearchRequest(d.base, d.scope, ldap.NeverDerefAliases, 2, 0, false,
		inParentheses(render(d.filter, ldap.EscapeFilter(name))), []string{"1.1"}, nil))
	switch {
	case ldap.IsErrorWithCode(err, ldap.LDAPResultSizeLimitExceeded), err == nil && len(found.Entries) > 1:
		d.warned("Several entries of the directory are found for a user, who cannot log in: make auth.ldap.filter narrower", "user", name)
		return "", denied("several entries are the user's")
	case err != nil:
		return "", fmt.Errorf("search the user: %w", err)
	case len(found.Entries) == 0 || found.Entries[0].DN == "":
		return "", denied("no entry is the user's")
	}
	return found.Entries[0].DN, nil
}

// dial connects to the first server that answers. The connection ends with ctx.
func (d *directory) dial(ctx context.Context) (*ldap.Conn, error) {
	var errs []error
	for _, u := range d.uris {
		left := checkTime
		if at, ok := ctx.Deadline(); ok {
			left = time.Until(at)
		}
		if left <= 0 {
			break
		}
		left /= time.Duration(len(d.uris) - len(errs)) // the next server gets its part
		conn, err := d.connect(ctx, u, left)
		if err == nil {
			return conn, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", u, err))
	}
	return nil, inTime(ctx, errors.Join(errs...))
}

func (d *directory) connect(ctx context.Context, uri string, left time.Duration) (*ldap.Conn, error) {
	conf := d.tls.Clone()
	if u, err := url.Parse(uri); err == nil { // a socket has no name that is verified
		conf.ServerName = u.Hostname()
	}
	conn, err := ldap.DialURL(uri, ldap.DialWithTLSConfig(conf), ldap.DialWithDialer(&net.Dialer{Timeout: left}))
	if err != nil {
		return nil, err
	}
	conn.SetTimeout(checkTime) // ctx ends it before
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	if d.starttls {
		if err := conn.StartTLS(conf); err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("starttls: %w", err)
		}
	}
	return conn, nil
}

// inTime says that time ran out where that is why something failed.
func inTime(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, ErrDenied) {
		return fmt.Errorf("no answer in time: %w", ctx.Err())
	}
	return err
}
