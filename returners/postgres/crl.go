package postgres

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"time"
)

// errRevoked: the certificate of the server is revoked, or the list does not say.
var errRevoked = errors.New("certificate not accepted")

// readCRL reads a file with lists of revoked certificates. The check refuses a certificate
// that is in a list of its issuer, whose issuer has no list, or whose list is out of date,
// as libpq does.
func readCRL(path string) (check func(tls.ConnectionState) error, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var lists []*x509.RevocationList
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "X509 CRL" {
			continue
		}
		l, err := x509.ParseRevocationList(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		lists = append(lists, l)
	}
	if len(lists) == 0 {
		return nil, fmt.Errorf("%s does not hold a PEM list of revoked certificates", path)
	}
	return func(state tls.ConnectionState) error {
		for _, c := range state.PeerCertificates {
			if err := notRevoked(c, lists, time.Now()); err != nil {
				return fmt.Errorf("%w: %s: %w", errRevoked, path, err)
			}
		}
		return nil
	}, nil
}

func notRevoked(c *x509.Certificate, lists []*x509.RevocationList, now time.Time) error {
	listed := false
	for _, l := range lists {
		if !bytes.Equal(l.RawIssuer, c.RawIssuer) {
			continue
		}
		if !l.NextUpdate.IsZero() && now.After(l.NextUpdate) {
			return fmt.Errorf("the list of %s ended on %s", l.Issuer, l.NextUpdate.Format(time.DateOnly))
		}
		listed = true
		for _, r := range l.RevokedCertificateEntries {
			if r.SerialNumber.Cmp(c.SerialNumber) == 0 {
				return fmt.Errorf("%s has revoked the certificate of %s", l.Issuer, c.Subject)
			}
		}
	}
	if !listed {
		return fmt.Errorf("%s has no list there", c.Issuer)
	}
	return nil
}
