package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-ldap/ldap/v3"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// selfSigned is a certificate for 127.0.0.1 that no CA has signed.
func selfSigned(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
}

type attrs = map[string][]string

// company holds four kinds of directories side by side: posix groups, users that list their groups,
// an Active Directory and a FreeIPA.
func company() []*ldap.Entry {
	e := ldap.NewEntry
	return []*ldap.Entry{
		e("uid=alice,ou=People,dc=ex", attrs{"uid": {"alice"}, "objectClass": {"person"}, "memberOf": {"cn=ops,ou=x,dc=ex", "cn=web masters,ou=x,dc=ex"}}),
		e("uid=bob,ou=People,dc=ex", attrs{"uid": {"bob"}, "objectClass": {"person"}}),
		e("uid=twin,ou=People,dc=ex", attrs{"uid": {"twin"}}),
		e("uid=twin,ou=More,dc=ex", attrs{"uid": {"twin"}}),
		e("cn=ops,ou=Groups,dc=ex", attrs{"cn": {"ops"}, "objectClass": {"posixGroup"}, "memberUid": {"alice", "bob"}}),
		e("cn=dba,ou=Groups,dc=ex", attrs{"cn": {"dba"}, "objectClass": {"posixGroup"}, "memberUid": {"alice"}}),
		e("cn=other,ou=Groups,dc=ex", attrs{"cn": {"other"}, "objectClass": {"other"}, "memberUid": {"alice"}}),

		e("CN=Carol (C*),OU=Staff,DC=ad", attrs{"sAMAccountName": {"carol"}, "objectClass": {"person"}, "cn": {"Carol (C*)"}}),
		e("CN=Admins,OU=X,DC=ad", attrs{"cn": {"Admins"}, "objectClass": {"group"}, "member": {"CN=Carol (C*),OU=Staff,DC=ad"}}),
		e("CN=Others,OU=X,DC=ad", attrs{"cn": {"Others"}, "objectClass": {"group"}, "member": {"CN=Dan,OU=Staff,DC=ad"}}),

		e("uid=erin,cn=users,dc=ipa", attrs{"uid": {"erin"}, "objectClass": {"person"}}),
		e("cn=editors,cn=groups,dc=ipa", attrs{"cn": {"editors"}, "objectClass": {"ipausergroup"}, "member": {"uid=erin,cn=users,dc=ipa"}, "kind": {"erin"}}),
		e("cn=readers,cn=groups,dc=ipa", attrs{"cn": {"readers"}, "objectClass": {"ipausergroup"}, "member": {"uid=zoe,cn=users,dc=ipa"}, "kind": {"erin"}}),

		e("cn=WEB1,ou=web,dc=ex", attrs{"cn": {"WEB1.big.corp"}, "objectClass": {"computer"}}),
		e("cn=web2,ou=web,dc=ex", attrs{"cn": {"web2"}, "objectClass": {"computer"}}),
		e("cn=*,ou=web,dc=ex", attrs{"cn": {"*"}, "objectClass": {"computer"}}),
		e("cn=a b,ou=web,dc=ex", attrs{"cn": {"a b"}, "objectClass": {"computer"}}),
		e("cn=db1,ou=db,dc=ex", attrs{"cn": {"db1"}, "objectClass": {"computer"}}),
	}
}

var passwordsOfCompany = map[string]string{
	"cn=lookup,dc=ex":              "lookup-password",
	"uid=alice,ou=people,dc=ex":    "alice-password",
	"uid=bob,ou=people,dc=ex":      "bob-password",
	"uid=twin,ou=people,dc=ex":     "twin-password",
	"cn=carol (c*),ou=staff,dc=ad": "carol-password",
	"carol@ad":                     "carol-password",
	"uid=erin,cn=users,dc=ipa":     "erin-password",
}

// ldapOptions returns options of auth.ldap for a server.
func ldapOptions(s *directoryServer, pairs ...any) map[string]any {
	out := map[string]any{"auth.ldap.uri": s.uri}
	for i := 0; i < len(pairs); i += 2 {
		out["auth.ldap."+pairs[i].(string)] = pairs[i+1]
	}
	return out
}

func TestLDAP(t *testing.T) {
	s := serveLDAP(t, passwordsOfCompany, false, company()...)
	s.anonymous = true
	search := []any{"binddn", "cn=lookup,dc=ex", "bindpw", "lookup-password", "basedn", "dc=ex", "filter", "uid={{ username }}"}
	for _, c := range []struct {
		what    string
		options []any
		name    string
		groups  string
	}{
		{"an account that searches", search, "alice", "dba ops"},
		{"a filter in parentheses", append(slices.Clone(search), "filter", "(&(uid={{username}})(objectClass=person))"), "bob", "ops"},
		{"people who name their groups", append(slices.Clone(search), "groupou", "", "accountattributename", "uid", "groupclass", "person"), "alice", "ops web masters"},
		{"a groupou that is not there", append(slices.Clone(search), "groupou", "gone"), "alice", ""},
		{"groupou: false", append(slices.Clone(search), "groupou", false, "groupclass", "other"), "alice", "other"},
		{"nobody searches", []any{"anonymous", true, "basedn", "dc=ex", "filter", "uid={{ username }}"}, "alice", "dba ops"},
		{"users bind themselves", []any{"binddn", "uid={{ username }},ou=People,dc=ex", "basedn", "dc=ex"}, "alice", "dba ops"},
		{"users bind themselves, groups anonymously", []any{"binddn", "uid={{ username }},ou=People,dc=ex", "basedn", "dc=ex", "anonymous", true}, "bob", "ops"},
		{"Active Directory", []any{
			"binddn", "{{ username }}@ad", "basedn", "dc=ad", "activedirectory", true, "accountattributename", "sAMAccountName", "groupclass", "group",
		}, "carol", "Admins"},
		{"Active Directory, searched", []any{
			"binddn", "cn=lookup,dc=ex", "bindpw", "lookup-password", "basedn", "dc=ad", "filter", "sAMAccountName={{username}}", "activedirectory", true,
			"accountattributename", "sAMAccountName", "groupclass", "group",
		}, "carol", "Admins"},
		{"FreeIPA", []any{
			"binddn", "uid={{ username }},cn=users,dc=ipa", "basedn", "dc=ipa", "freeipa", true, "group_basedn", "cn=groups,dc=ipa",
			"group_filter", "(&(kind={{ username }})(objectClass=ipausergroup))", "groupattribute", "member",
		}, "erin", "editors"},
	} {
		b := open(t, "ldap", nil, ldapOptions(s, c.options...))
		id, err := b.Check(t.Context(), Credentials{Username: c.name, Password: c.name + "-password"})
		if err != nil || id.Name != c.name || strings.Join(id.Groups, " ") != c.groups {
			t.Errorf("%s: %v, %v", c.what, id, err)
		}
		for _, bad := range []Credentials{
			{Username: c.name, Password: "wrong"},
			{Username: c.name, Password: ""},
			{Username: "nobody", Password: c.name + "-password"},
			{Username: "*", Password: c.name + "-password"},
			{Username: "alice)(uid=*", Password: "alice-password"},
			{Username: "alice,ou=People,dc=ex", Password: "alice-password"},
			{Username: "twin", Password: "twin-password"},
		} {
			id, err := b.Check(t.Context(), bad)
			if own, _ := c.options[1].(string); bad.Username == "twin" && strings.HasPrefix(own, "uid=") {
				continue // with its own DN it is valid
			}
			if !errors.Is(err, ErrDenied) || id.Name != "" {
				t.Errorf("%s: %s with %q: %v, %v", c.what, bad.Username, bad.Password, id, err)
			}
			if err != nil && strings.Contains(err.Error(), "password ") {
				t.Errorf("%s: the error contains a password: %v", c.what, err)
			}
		}
	}
}

// User input is a value in a search and in a DN, never syntax.
func TestLDAPInjection(t *testing.T) {
	s := serveLDAP(t, passwordsOfCompany, false, company()...)
	b := open(t, "ldap", nil, ldapOptions(s, "binddn", "cn=lookup,dc=ex", "bindpw", "lookup-password", "basedn", "dc=ex", "filter", "uid={{ username }}"))
	if _, err := b.Check(t.Context(), Credentials{Username: "*)(objectClass=*", Password: "x"}); !errors.Is(err, ErrDenied) {
		t.Error(err)
	}
	if want := []string{`(uid=\2a\29\28objectClass=\2a)`}; !slices.Equal(s.filters, want) {
		t.Errorf("searched %q", s.filters)
	}
	d := &directory{bindDN: "uid={{username}},ou=People"}
	if dn := d.ownDN("a,ou=Admins"); dn != `uid=a\,ou=Admins,ou=People` {
		t.Error(dn)
	}
	d.bindDN = `CORP\{{ username }}`
	if dn := d.ownDN("a.b"); dn != `CORP\a.b` {
		t.Error(dn)
	}
}

// Certificates are verified unless disabled, and no password is sent before.
func TestLDAPOverTLS(t *testing.T) {
	own := []any{"binddn", "uid={{ username }},ou=People,dc=ex", "basedn", "dc=ex"}
	for _, c := range []struct {
		secure  bool
		options []any
	}{{true, nil}, {false, []any{"starttls", true}}} {
		s := serveLDAP(t, passwordsOfCompany, c.secure, company()...)
		options := slices.Concat(own, c.options)
		b := open(t, "ldap", nil, ldapOptions(s, options...))
		if _, err := b.Check(t.Context(), Credentials{Username: "alice", Password: "alice-password"}); err == nil || errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%v: an untrusted certificate: %v", options, err)
		}
		if len(s.binds) != 0 || s.clear != 0 {
			t.Errorf("%v: a user has bound", options)
		}
		b = open(t, "ldap", nil, ldapOptions(s, append(options, "no_verify", true)...))
		if id, err := b.Check(t.Context(), Credentials{Username: "alice", Password: "alice-password"}); err != nil || !slices.Equal(id.Groups, []string{"dba", "ops"}) {
			t.Errorf("%v: not verified: %v, %v", options, id, err)
		}
		if s.clear != 0 {
			t.Errorf("%v: %d passwords came in clear", options, s.clear)
		}
	}
}

// An unreachable, silent or busy server does not count as a wrong password. The next server of the
// list is tried.
func TestLDAPAway(t *testing.T) {
	s := serveLDAP(t, passwordsOfCompany, false, company()...)
	own := []any{"binddn", "uid={{ username }},ou=People,dc=ex", "basedn", "dc=ex"}
	gone := serveLDAP(t, nil, false)
	gone.listener.Close()
	b := open(t, "ldap", nil, ldapOptions(s, append(slices.Clone(own), "uri", gone.uri+" "+s.uri)...))
	if id, err := b.Check(t.Context(), Credentials{Username: "alice", Password: "alice-password"}); err != nil {
		t.Errorf("the second server: %v, %v", id, err)
	}
	b = open(t, "ldap", nil, ldapOptions(gone, own...))
	if _, err := b.Check(t.Context(), Credentials{Username: "alice", Password: "alice-password"}); err == nil || errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), gone.uri) {
		t.Errorf("no server: %v", err)
	}
	b = open(t, "ldap", nil, ldapOptions(s, "binddn", "{{ username }}", "basedn", "dc=ex"))
	if _, err := b.Check(t.Context(), Credentials{Username: "busy", Password: "x"}); err == nil || errors.Is(err, ErrDenied) {
		t.Errorf("a busy server: %v", err)
	}
	b = open(t, "ldap", nil, ldapOptions(s, "binddn", "cn=lookup,dc=ex", "bindpw", "changed", "basedn", "dc=ex", "filter", "uid={{ username }}"))
	if _, err := b.Check(t.Context(), Credentials{Username: "alice", Password: "alice-password"}); err == nil || errors.Is(err, ErrDenied) || strings.Contains(err.Error(), "changed") {
		t.Errorf("a wrong bindpw: %v", err)
	}
	s.mu.Lock()
	s.mute = true
	s.mu.Unlock()
	b = open(t, "ldap", nil, ldapOptions(s, own...))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := b.Check(ctx, Credentials{Username: "alice", Password: "alice-password"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a silent server: %v", err)
	}
}

func TestLDAPOptions(t *testing.T) {
	for _, c := range []struct {
		options map[string]any
		want    string
	}{
		{nil, "auth.ldap.binddn: is missing"},
		{map[string]any{"bindpw": "x", "anonymous": true}, "auth.ldap.bindpw: is set without binddn"},
		{map[string]any{"binddn": "cn=x"}, "auth.ldap.binddn: lacks {{ username }}"},
		{map[string]any{"binddn": "cn=x", "bindpw": "y"}, "auth.ldap.filter: is missing"},
		{map[string]any{"binddn": "cn=x", "bindpw": "y", "filter": "uid=alice"}, "auth.ldap.filter: lacks {{ username }}"},
		{map[string]any{"anonymous": true, "filter": "(uid={{ username }}"}, "auth.ldap.filter: is no filter of LDAP"},
		{map[string]any{"binddn": "uid={{ username }},{{ x }}"}, "auth.ldap.binddn: holds more of a template"},
		{map[string]any{"binddn": "{{username}}", "group_filter": "{% if x %}"}, "auth.ldap.group_filter: holds more of a template"},
		{map[string]any{"binddn": "{{username}}", "tls": true, "starttls": true}, "auth.ldap.starttls: does not go with auth.ldap.tls"},
		{map[string]any{"binddn": "{{username}}", "uri": "ldaps://x", "starttls": true}, "auth.ldap.uri: "},
		{map[string]any{"binddn": "{{username}}", "uri": "http://x"}, "auth.ldap.uri: "},
		{map[string]any{"binddn": "{{username}}", "port": "x"}, "auth.ldap.port: wants a whole number"},
		{map[string]any{"binddn": "{{username}}", "scope": int64(3)}, "auth.ldap.scope: wants a whole number from 0 to 2"},
		{map[string]any{"binddn": "{{username}}", "tls": "yes"}, "auth.ldap.tls: wants true or false"},
		{map[string]any{"binddn": "{{username}}", "minion_stripdomains": []any{1}}, "auth.ldap.minion_stripdomains: entry 1 should be a text"},
		{map[string]any{"binddn": "{{username}}", "freeipa": true}, "auth.ldap.group_basedn: is missing"},
		{map[string]any{"binddn": "{{username}}", "freeipa": true, "group_basedn": "x"}, "auth.ldap.group_filter: must contain"},
		{map[string]any{"binddn": "{{username}}", "freeipa": true, "activedirectory": true}, "auth.ldap.freeipa: does not go"},
		{map[string]any{"binddn": "{{username}}", "auth_by_group_membership_only": true}, "true is not supported"},
	} {
		values := map[string]any{}
		for k, v := range c.options {
			values["auth.ldap."+k] = v
		}
		refusedWith(t, "ldap", nil, values, c.want)
	}
	for _, c := range []struct {
		options map[string]any
		want    string
	}{
		{map[string]any{}, "ldap://localhost:389"},
		{map[string]any{"tls": true}, "ldaps://localhost:636"},
		{map[string]any{"server": "::1", "port": int64(3890)}, "ldap://[::1]:3890"},
		{map[string]any{"server": "x", "uri": "ldapi://%2frun%2fslapd"}, "ldapi://%2frun%2fslapd"},
	} {
		v := &values{prefix: "auth.ldap.", get: func(name string) any { return c.options[name] }}
		if got := strings.Join(ldapURIs(v), " "); got != c.want || v.err() != nil {
			t.Errorf("%v: %s, %v", c.options, got, v.err())
		}
	}
	var log logged
	if _, err := openLDAP(Config{Values: map[string]any{"auth.ldap.binddn": "{{username}}"}, Log: log.logger()}); err != nil || !strings.Contains(log.String(), "without verified TLS") {
		t.Errorf("%v, %s", err, &log)
	}
}

// Targets ldap(BASE) in rules become the minions found there; names that are not valid ids, or
// would match several minions, do not.
func TestExpand(t *testing.T) {
	server := serveLDAP(t, passwordsOfCompany, false, company()...)
	now := began
	s, _ := service(t, func() time.Time { return now }, quiet, autoOnly)
	b := open(t, "ldap", nil, ldapOptions(server, "binddn", "cn=lookup,dc=ex", "bindpw", "lookup-password", "basedn", "dc=ex", "filter", "uid={{ username }}",
		"minion_stripdomains", []any{".big.corp", ".corp"}))
	s.backends["ldap"] = &opened{Driver: drivers["ldap"], Backend: b, expanded: map[string]expansion{}, places: make(chan struct{}, 1)}
	web := []any{map[string]any{"ldap(ou=web,dc=ex)": []any{"test.*"}}}
	for _, c := range []struct {
		rules []any
		want  string
	}{
		{web, "[{'L@web1,web2': ['test.*']}]"},
		{[]any{".*", wire.NewMap("ldap(OU=db,dc=ex)", []any{"a"}, "m1", []any{"b"})}, "['.*', {'L@db1': ['a']}, {'m1': ['b']}]"},
		{[]any{map[string]any{"ldap(ou=gone,dc=ex)": []any{"a"}}, "x"}, "['x']"},
		{[]any{map[string]any{"ldap(ou=empty,dc=ex)": []any{"a"}}, "x"}, "['x']"},
		{[]any{"ldap(ou=web,dc=ex)"}, "['ldap(ou=web,dc=ex)']"}, // a function
	} {
		got, err := s.Expand(t.Context(), "ldap", c.rules)
		if text := pyfmt.Repr(wire.Normal(got)); err != nil || text != c.want {
			t.Errorf("%v: %s, %v, want %s", c.rules, text, err, c.want)
		}
	}
	if got, err := s.Expand(t.Context(), "auto", web); err != nil || pyfmt.Repr(wire.Normal(got)) != pyfmt.Repr(wire.Normal(web)) {
		t.Errorf("rules of another login service: %v, %v", got, err)
	}
	asked := len(server.filters)
	if _, err := s.Expand(t.Context(), "ldap", web); err != nil || len(server.filters) != asked {
		t.Errorf("asked again at once: %v", err)
	}
	server.entries = server.entries[:0]
	now = now.Add(expandedFor)
	if got, err := s.Expand(t.Context(), "ldap", web); err != nil || len(got) != 0 {
		t.Errorf("after a minute: %v, %v", got, err)
	}
	server.listener.Close()
	now = now.Add(expandedFor)
	if got, err := s.Expand(t.Context(), "ldap", web); !errors.Is(err, ErrUnavailable) || got != nil {
		t.Errorf("without a server: %v, %v", got, err)
	}
}
