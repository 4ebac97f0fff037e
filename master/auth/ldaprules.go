package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-ldap/ldap/v3"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// computersOf returns the base of a target ldap(BASE).
func computersOf(target string) (base string, ok bool) {
	base, ok = strings.CutPrefix(target, "ldap(")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(base, ")")
}

// Wanted reports whether rules have a target ldap(BASE).
func (d *directory) Wanted(rules []any) bool {
	return slices.ContainsFunc(rules, func(r any) bool {
		found := false
		eachTarget(r, func(target string, _ any) {
			_, ok := computersOf(target)
			found = found || ok
		})
		return found
	})
}

// eachTarget calls fn for each target of a rule, with its functions.
func eachTarget(rule any, fn func(target string, funs any)) {
	m, ok := wire.Normal(rule).(*wire.Map)
	if !ok {
		return
	}
	m.Range(func(k, v any) bool {
		if target, ok := k.(string); ok {
			fn(target, v)
		}
		return true
	})
}

// Expand replaces each target ldap(BASE) by the list of computers below BASE. It removes a target
// without computers, which allows nothing.
func (d *directory) Expand(ctx context.Context, rules []any) ([]any, error) {
	conn, err := d.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if d.bindPW != "" {
		if err := conn.Bind(d.bindDN, d.bindPW); err != nil {
			return nil, inTime(ctx, fmt.Errorf("auth.ldap.binddn and bindpw: %w", err))
		}
	}
	var out []any
	for _, r := range rules {
		if _, text := r.(string); text {
			out = append(out, r)
			continue
		}
		eachTarget(r, func(target string, funs any) {
			base, ok := computersOf(target)
			if !ok {
				out = append(out, map[string]any{target: funs})
				return
			}
			var ids []string
			if err == nil {
				ids, err = d.computers(conn, base)
			}
			if len(ids) > 0 {
				out = append(out, map[string]any{"L@" + strings.Join(ids, ","): funs})
			}
		})
	}
	if err != nil {
		return nil, inTime(ctx, err)
	}
	return out, nil
}

// maxComputers bounds the minions of one target.
const maxComputers = 100_000

// computers returns the minions that are computers below base: in lower case, without a domain in
// minion_stripdomains. It skips names that could match several minions in a target.
func (d *directory) computers(conn *ldap.Conn, base string) ([]string, error) {
	found, err := conn.SearchWithPaging(ldap.NewSearchRequest(base, ldap.ScopeWholeSubtree, ldap.NeverDerefAliases, 0, 0, false,
		"(objectClass=computer)", []string{"cn"}, nil), 500)
	switch {
	case ldap.IsErrorWithCode(err, ldap.LDAPResultNoSuchObject):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("computers below %s: %w", base, err)
	case len(found.Entries) > maxComputers:
		return nil, fmt.Errorf("computers below %s: %d, more than %d", base, len(found.Entries), maxComputers)
	}
	var ids []string
	for _, e := range found.Entries {
		id := strings.ToLower(e.GetEqualFoldAttributeValue("cn"))
		for _, domain := range d.strip {
			if short, ok := strings.CutSuffix(id, domain); ok && domain != "" {
				id = short
				break
			}
		}
		if config.CheckID(id) == nil && !strings.ContainsAny(id, "*?[]{}()@,| \t") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
