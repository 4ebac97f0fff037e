package settings

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// TLS are the options of a TLS client, as paths of PEM files.
type TLS struct {
	// Prefix is the prefix of the options in errors: "mysql.ssl_" for mysql.ssl_ca.
	Prefix string
	// ServerName is the name to verify; "" if the connection sets it.
	ServerName string
	CA         string // certificate authorities; "" means those of the system
	Cert, Key  string // client certificate; optional
}

// Config reads the files.
func (t TLS) Config() (*tls.Config, error) {
	c := &tls.Config{ServerName: t.ServerName, MinVersion: tls.VersionTLS12}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("%sca: %w", t.Prefix, err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%sca: %s does not hold a PEM certificate", t.Prefix, t.CA)
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("%[1]scert and %[1]skey: %[2]w", t.Prefix, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
