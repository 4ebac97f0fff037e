package auth

import (
	"slices"
	"strings"

	"github.com/go-ldap/ldap/v3"
)

// groupSearch finds the groups of a user, in one of Salt's three ways.
type groupSearch struct {
	activeDirectory, freeIPA bool
	ou, class, attribute     string
	person                   string // persontype
	base, filter             string // group_basedn, group_filter
}

func newGroupSearch(v *values) groupSearch {
	g := groupSearch{
		activeDirectory: v.boolean("activedirectory"), freeIPA: v.boolean("freeipa"), class: v.text("groupclass", "posixGroup"),
		attribute: v.text("groupattribute", "memberOf"), person: v.text("persontype", "person"), base: v.text("group_basedn", ""), filter: v.text("group_filter", ""),
	}
	if none, is := v.get("groupou").(bool); !is || none { // false, as empty, is having none
		g.ou = v.text("groupou", "Groups")
	}
	switch {
	case g.activeDirectory && g.freeIPA:
		v.fault("freeipa", "does not go with auth.ldap.activedirectory")
	case g.freeIPA && g.base == "":
		v.fault("group_basedn", "is missing: it is where FreeIPA has its groups, such as cn=groups,cn=accounts,dc=example,dc=com")
	case g.freeIPA && !userForm.MatchString(g.filter):
		v.fault("group_filter", "must contain {{ username }}, such as (&(memberUid={{ username }})(objectClass=posixGroup))")
	}
	return g
}

// maxGroups bounds the entries of a search.
const maxGroups = 5000

func (g groupSearch) of(conn *ldap.Conn, d *directory, user string) ([]string, error) {
	name := ldap.EscapeFilter(user)
	var out []string
	switch {
	case g.activeDirectory:
		people, err := g.search(conn, d.base, "(&("+d.account+"="+name+")(objectClass="+ldap.EscapeFilter(g.person)+"))", "distinguishedName")
		if err != nil || len(people) == 0 {
			return nil, err
		}
		entries, err := g.search(conn, d.base, "(&(member="+ldap.EscapeFilter(people[0].DN)+")(objectClass="+ldap.EscapeFilter(g.class)+"))", d.account, "cn")
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			out = append(out, e.GetEqualFoldAttributeValue("cn"))
		}
	case g.freeIPA:
		entries, err := g.search(conn, g.base, inParentheses(render(g.filter, name)), d.account, g.attribute, "cn")
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			members := slices.Concat(e.GetEqualFoldAttributeValues(d.account), e.GetEqualFoldAttributeValues(g.attribute))
			if slices.ContainsFunc(members, func(m string) bool { return firstValue(m) == user }) {
				out = append(out, firstValue(e.DN))
			}
		}
	default:
		base := d.base
		if g.ou != "" {
			base = "ou=" + ldap.EscapeDN(g.ou) + "," + base
		}
		entries, err := g.search(conn, base, "(&("+d.account+"="+name+")(objectClass="+ldap.EscapeFilter(g.class)+"))", d.account, "cn", g.attribute)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if slices.Contains(e.GetEqualFoldAttributeValues(d.account), user) && firstValue(e.DN) != user {
				out = append(out, e.GetEqualFoldAttributeValue("cn"))
			}
			if firstValue(e.DN) == user { // the entry of the user, who names the groups
				for _, dn := range e.GetEqualFoldAttributeValues(g.attribute) {
					out = append(out, firstValue(dn))
				}
			}
		}
	}
	out = slices.DeleteFunc(out, func(name string) bool { return name == "" })
	slices.Sort(out)
	return slices.Compact(out), nil
}

// search returns entries below base, or none if base is empty.
func (g groupSearch) search(conn *ldap.Conn, base, filter string, attributes ...string) ([]*ldap.Entry, error) {
	found, err := conn.Search(ldap.NewSearchRequest(base, ldap.ScopeWholeSubtree, ldap.NeverDerefAliases, maxGroups, 0, false, filter, attributes, nil))
	if ldap.IsErrorWithCode(err, ldap.LDAPResultNoSuchObject) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return found.Entries, nil
}

// firstValue returns the first value in a DN: alice for uid=alice,ou=people. It returns other texts
// unchanged.
func firstValue(dn string) string {
	if !strings.Contains(dn, "=") {
		return dn
	}
	p, err := ldap.ParseDN(dn)
	if err != nil || len(p.RDNs) == 0 || len(p.RDNs[0].Attributes) == 0 {
		return ""
	}
	return p.RDNs[0].Attributes[0].Value
}
