package auth

import (
	"crypto/tls"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/go-ldap/ldap/v3"
)

// directoryServer is an LDAP server for tests: entries in memory, simple binds, searches with "and"
// and "equals" filters, paging, STARTTLS.
type directoryServer struct {
	listener net.Listener
	tls      *tls.Config
	uri      string

	entries   []*ldap.Entry
	passwords map[string]string // by DN, in lower case
	anonymous bool              // may search

	mu      sync.Mutex
	binds   []string // successful binds; "" if anonymous
	filters []string
	mute    bool // sends no answers
	clear   int  // passwords that came without TLS
	conns   map[net.Conn]bool
}

// serveLDAP starts it with entries and passwords; secure wraps each connection in TLS.
func serveLDAP(t *testing.T, passwords map[string]string, secure bool, entries ...*ldap.Entry) *directoryServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &directoryServer{listener: l, entries: entries, passwords: passwords, conns: map[net.Conn]bool{}, tls: selfSigned(t)}
	s.uri = "ldap://" + l.Addr().String()
	if secure {
		s.uri = "ldaps://" + l.Addr().String()
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns[c] = true
			s.mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				if secure {
					s.serve(tls.Server(c, s.tls), true)
					return
				}
				s.serve(c, false)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		s.mu.Lock()
		for c := range s.conns {
			c.Close()
		}
		s.mu.Unlock()
		wg.Wait()
	})
	return s
}

func (s *directoryServer) serve(c net.Conn, secure bool) {
	who := ""
	for {
		p, err := ber.ReadPacket(c)
		if err != nil || len(p.Children) < 2 {
			return
		}
		s.mu.Lock()
		mute := s.mute
		s.mu.Unlock()
		if mute {
			continue
		}
		id, op := p.Children[0].Value.(int64), p.Children[1]
		answer := func(tag ber.Tag, code uint16, more ...*ber.Packet) {
			r := ber.Encode(ber.ClassApplication, ber.TypeConstructed, tag, nil, "")
			r.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, int64(code), ""))
			r.AppendChild(ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, "", ""))
			r.AppendChild(ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, "", ""))
			_, _ = c.Write(message(id, append([]*ber.Packet{r}, more...)...).Bytes())
		}
		switch op.Tag {
		case ldap.ApplicationBindRequest:
			dn, password := op.Children[1].Value.(string), op.Children[2].Data.String()
			code := uint16(ldap.LDAPResultSuccess)
			s.mu.Lock()
			if !secure && password != "" {
				s.clear++
			}
			want, known := s.passwords[strings.ToLower(dn)]
			switch {
			case dn == "busy":
				code = ldap.LDAPResultBusy
			case password == "" && dn != "": // as servers do by default: anonymous and successful
				dn = ""
			case dn != "" && (!known || want != password):
				code = ldap.LDAPResultInvalidCredentials
			}
			if code == ldap.LDAPResultSuccess {
				who = dn
				s.binds = append(s.binds, dn)
			}
			s.mu.Unlock()
			answer(ldap.ApplicationBindResponse, code)
		case ldap.ApplicationSearchRequest:
			if who == "" && !s.anonymous {
				answer(ldap.ApplicationSearchResultDone, ldap.LDAPResultInsufficientAccessRights)
				continue
			}
			s.search(c, id, op, answer)
		case ldap.ApplicationExtendedRequest:
			answer(ldap.ApplicationExtendedResponse, ldap.LDAPResultSuccess)
			c, secure = tls.Server(c, s.tls), true
		default:
			return
		}
	}
}

func message(id int64, parts ...*ber.Packet) *ber.Packet {
	m := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
	m.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, id, ""))
	for _, p := range parts {
		m.AppendChild(p)
	}
	return m
}

func (s *directoryServer) search(c net.Conn, id int64, op *ber.Packet, answer func(ber.Tag, uint16, ...*ber.Packet)) {
	base, limit, filter := strings.ToLower(op.Children[0].Value.(string)), op.Children[3].Value.(int64), op.Children[6]
	text, _ := ldap.DecompileFilter(filter)
	s.mu.Lock()
	s.filters = append(s.filters, text)
	s.mu.Unlock()
	if strings.HasPrefix(base, "ou=gone") {
		answer(ldap.ApplicationSearchResultDone, ldap.LDAPResultNoSuchObject)
		return
	}
	n := int64(0)
	for _, e := range s.entries {
		if !strings.HasSuffix(strings.ToLower(e.DN), base) || !fits(filter, e) {
			continue
		}
		if n++; limit > 0 && n > limit {
			answer(ldap.ApplicationSearchResultDone, ldap.LDAPResultSizeLimitExceeded)
			return
		}
		r := ber.Encode(ber.ClassApplication, ber.TypeConstructed, ldap.ApplicationSearchResultEntry, nil, "")
		r.AppendChild(ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, e.DN, ""))
		attrs := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
		for _, a := range e.Attributes {
			attr := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
			attr.AppendChild(ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, a.Name, ""))
			set := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSet, nil, "")
			for _, v := range a.Values {
				set.AppendChild(ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, v, ""))
			}
			attr.AppendChild(set)
			attrs.AppendChild(attr)
		}
		r.AppendChild(attrs)
		_, _ = c.Write(message(id, r).Bytes())
	}
	answer(ldap.ApplicationSearchResultDone, ldap.LDAPResultSuccess)
}

func fits(f *ber.Packet, e *ldap.Entry) bool {
	switch f.Tag {
	case ldap.FilterAnd:
		return !slices.ContainsFunc(f.Children, func(c *ber.Packet) bool { return !fits(c, e) })
	case ldap.FilterEqualityMatch:
		return slices.ContainsFunc(e.GetEqualFoldAttributeValues(f.Children[0].Value.(string)), func(v string) bool {
			return strings.EqualFold(v, f.Children[1].Value.(string))
		})
	case ldap.FilterPresent:
		return len(e.GetEqualFoldAttributeValues(f.Data.String())) > 0
	}
	return false
}
