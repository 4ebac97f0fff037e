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
		Doc:  "An LDAP directory, in which the user binds with the password.",
		Options: []Option{
			{Name: "auth.ldap.uri", Type: "string", Doc: "Servers separated by blanks, tried in order: `ldaps://HOST`, `ldap://HOST:PORT` or `ldapi://PATH`."},
			{Name: "auth.ldap.server", Type: "string", Default: "localhost", Doc: "Host, if uri is not set."},
			{Name: "auth.ldap.port", Type: "port", Default: "389", Doc: "Port, if uri is not set. With tls the default is 636."},
			{Name: "auth.ldap.tls", Type: "boolean", Default: "false", Doc: "Whether that connection uses TLS."},
			{Name: "auth.ldap.starttls", Type: "boolean", Default: "false", Doc: "Whether a connection switches to TLS by StartTLS."},
			{Name: "auth.ldap.no_verify", Type: "boolean", Default: "false", Doc: "Whether any certificate is accepted. Otherwise the system's authorities count."},
			{Name: "auth.ldap.binddn", Type: "string", Doc: "Account that searches for users; without bindpw the user's own, containing `{{ username }}`. Required unless anonymous."},
			{Name: "auth.ldap.bindpw", Type: "string", Doc: "Password of that account.", Secret: true},
			{Name: "auth.ldap.anonymous", Type: "boolean", Default: "false", Doc: "Whether users are searched without an account."},
			{Name: "auth.ldap.basedn", Type: "string", Doc: "Entry below which users are searched."},
			{Name: "auth.ldap.scope", Type: "integer, 0–2", Default: "2", Doc: "Depth of the search: `0` that entry, `1` one level, `2` all levels."},
			{Name: "auth.ldap.filter", Type: "string", Doc: "LDAP filter that finds a user, such as `uid={{ username }}`. Required for a search."},
			{Name: "auth.ldap.accountattributename", Type: "string", Default: "memberUid", Doc: "Attribute of a group with the names of its users."},
			{Name: "auth.ldap.groupou", Type: "string", Default: "Groups", Doc: "Organizational unit of the groups; an empty string or `false` means directly below basedn."},
			{Name: "auth.ldap.groupclass", Type: "string", Default: "posixGroup", Doc: "Object class of groups."},
			{Name: "auth.ldap.groupattribute", Type: "string", Default: "memberOf", Doc: "Attribute of a user with the names of the groups."},
			{Name: "auth.ldap.activedirectory", Type: "boolean", Default: "false", Doc: "Whether groups list the DN of the user in `member`, as in Active Directory."},
			{Name: "auth.ldap.persontype", Type: "string", Default: "person", Doc: "Object class of users with activedirectory."},
			{Name: "auth.ldap.freeipa", Type: "boolean", Default: "false", Doc: "Whether groups are found by group_filter below group_basedn, as in FreeIPA."},
			{Name: "auth.ldap.group_basedn", Type: "string", Doc: "Entry below which groups are with freeipa. Required for it."},
			{Name: "auth.ldap.group_filter", Type: "string", Doc: "LDAP filter for groups with freeipa, containing `{{ username }}`. Required for it."},
			{Name: "auth.ldap.minion_stripdomains", Type: "list", Doc: "Domains, of which the first that matches is removed from computer names in targets `ldap(BASE)`."},
			{Name: "auth.ldap.auth_by_group_membership_only", Type: "boolean", Default: "false", Doc: "Must be `false`: in Salt, `true` admits users without a password."},
		},
		AtOnce: 16,
		Open:   func(cf Config) (Backend, error) { return openLDAP(cf) },
	})
}

// directory is a login service that queries an LDAP server.
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
	v := topValues(cf, "auth.ldap", drivers["ldap"].names())
	d := &directory{
		starttls: v.boolean("starttls"), anonymous: v.boolean("anonymous"), scope: v.number("scope", ldap.ScopeWholeSubtree, 0, 2), base: v.text("basedn", ""),
		bindDN: v.text("binddn", ""), bindPW: v.text("bindpw", ""), filter: v.text("filter", ""), account: v.text("accountattributename", "memberUid"),
		strip: v.texts("minion_stripdomains"), warned: cf.Log.Warn,
	}
	d.uris = ldapURIs(v)
	d.tls = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: v.boolean("no_verify")} //nolint:gosec // the operator's own choice, as Salt has it
	d.groups = newGroupSearch(v)
	if v.boolean("auth_by_group_membership_only") {
		v.fault("auth_by_group_membership_only", "true is not supported: anybody could log in without a password as a member of a group; set it to false")
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
		v.fault("filter", "lacks {{ username }}, so it finds the same entry for every user")
	case !search && !userForm.MatchString(d.bindDN):
		v.fault("binddn", "lacks {{ username }} and bindpw is not set, so every user would bind as the same entry")
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

// ldapURIs returns the servers to try.
func ldapURIs(v *values) []string {
	secure := v.boolean("tls")
	if secure && v.boolean("starttls") {
		v.fault("starttls", "does not go with auth.ldap.tls: the connection is encrypted already")
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
			if v.boolean("starttls") {
				v.fault("uri", "%q does not go with auth.ldap.starttls: the connection stays on this machine", u)
			}
		case err != nil || p.Host == "" || p.Scheme != "ldap" && p.Scheme != "ldaps":
			v.fault("uri", "%q is not of the form ldap://HOST:PORT, ldaps://HOST:PORT or ldapi://PATH", u)
		case p.Scheme == "ldaps" && v.boolean("starttls"):
			v.fault("uri", "%q does not go with auth.ldap.starttls: the connection is encrypted already", u)
		}
	}
	return uris
}

// userForm is the placeholder of the user's name in filters and names, as people write it for Salt,
// which renders it with Jinja.
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

// refusals are result codes of a server that concern the user, not the server.
var refusals = []uint16{
	ldap.LDAPResultInvalidCredentials, ldap.LDAPResultNoSuchObject, ldap.LDAPResultInvalidDNSyntax, ldap.LDAPResultInappropriateAuthentication,
	ldap.LDAPResultConstraintViolation, ldap.LDAPResultUnwillingToPerform, ldap.LDAPResultInsufficientAccessRights, ldap.ErrorEmptyPassword,
}

// ownDN returns the name that a user binds as. In a DN the name is escaped as a value; other forms
// (user@domain, DOMAIN\user) take it unchanged.
func (d *directory) ownDN(name string) string {
	if strings.Contains(userForm.ReplaceAllLiteralString(d.bindDN, ""), "=") {
		name = ldap.EscapeDN(name)
	}
	return render(d.bindDN, name)
}

// find returns the only entry of the user.
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

// dial connects to the first server that answers. The connection is closed when ctx ends.
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

// inTime adds that time ran out, if that caused err.
func inTime(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, ErrDenied) {
		return fmt.Errorf("no answer in time: %w", ctx.Err())
	}
	return err
}
