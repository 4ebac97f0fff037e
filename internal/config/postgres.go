package config

// PgjsonbOptions are the options of the returner pgjsonb; in a file they may stand as
// returner.pgjsonb.host or as returner.pgjsonb: {host: ...}.
type PgjsonbOptions struct {
	// Host is the server, or several separated by commas: the first one that accepts writes is
	// used. A host that begins with a slash is the folder of a socket.
	Host string `yaml:"host" default:"localhost"`
	// Port is the TCP port.
	Port int `yaml:"port" default:"5432" min:"1" max:"65535"`
	// User is the account.
	User string `yaml:"user" default:"salt"`
	// Pass is the password of the account.
	Pass string `yaml:"pass" default:"salt" secret:"yes"`
	// DB is the database.
	DB string `yaml:"db" default:"salt"`
	// ConnectTimeout is the limit in seconds for connecting to one host; `0` means 10.
	ConnectTimeout int `yaml:"connect_timeout" min:"0"`
	// SSLMode controls whether TLS is used, as in libpq. Only `verify-ca` and `verify-full` verify the
	// server's certificate, and `require` with sslrootcert.
	SSLMode string `yaml:"sslmode" default:"prefer" oneof:"disable allow prefer require verify-ca verify-full"`
	// SSLRootCert is the file with the certificate authority.
	SSLRootCert string `yaml:"sslrootcert"`
	// SSLCert is the file with the client certificate.
	SSLCert string `yaml:"sslcert"`
	// SSLKey is the file with the key of the client certificate.
	SSLKey string `yaml:"sslkey"`
	// SSLCRL is the file with the certificates that the authority has revoked.
	SSLCRL string `yaml:"sslcrl"`
}

// PostgresPillarOptions are those of the source postgres of ext_pillar.
type PostgresPillarOptions struct {
	// Host is the server, or several separated by commas. A host that begins with a slash is the
	// folder of a socket.
	Host string `yaml:"host" default:"localhost"`
	// Port is the TCP port.
	Port int `yaml:"port" default:"5432" min:"1" max:"65535"`
	// User is the account.
	User string `yaml:"user" default:"salt"`
	// Pass is the password of the account.
	Pass string `yaml:"pass" default:"salt" secret:"yes"`
	// DB is the database.
	DB string `yaml:"db" default:"salt"`
	// ConnectTimeout is the limit in seconds for connecting to one host; `0` means 10. Not in Salt.
	ConnectTimeout int `yaml:"connect_timeout" min:"0"`
	// SSLMode controls whether TLS is used, as in libpq. Not in Salt.
	SSLMode string `yaml:"sslmode" default:"prefer" oneof:"disable allow prefer require verify-ca verify-full"`
	// SSLRootCert is the file with the certificate authority. Not in Salt.
	SSLRootCert string `yaml:"sslrootcert"`
	// SSLCert is the file with the client certificate. Not in Salt.
	SSLCert string `yaml:"sslcert"`
	// SSLKey is the file with the key of the client certificate. Not in Salt.
	SSLKey string `yaml:"sslkey"`
	// SSLCRL is the file with the certificates that the authority has revoked. Not in Salt.
	SSLCRL string `yaml:"sslcrl"`
}

// PostgresOptions are the options of the returner postgres; in a file they may stand as
// returner.postgres.host or as returner.postgres: {host: ...}.
type PostgresOptions struct {
	// Host is the server, or several separated by commas: the first one that accepts writes is
	// used. A host that begins with a slash is the folder of a socket.
	Host string `yaml:"host" default:"localhost"`
	// Port is the TCP port.
	Port int `yaml:"port" default:"5432" min:"1" max:"65535"`
	// User is the account.
	User string `yaml:"user" default:"salt"`
	// Passwd is the password of the account.
	Passwd string `yaml:"passwd" default:"salt" secret:"yes"`
	// DB is the database.
	DB string `yaml:"db" default:"salt"`
	// ConnectTimeout is the limit in seconds for connecting to one host; `0` means 10. Not in Salt.
	ConnectTimeout int `yaml:"connect_timeout" min:"0"`
	// SSLMode controls whether TLS is used, as in libpq. Only `verify-ca` and `verify-full` verify the
	// server's certificate, and `require` with sslrootcert. Not in Salt.
	SSLMode string `yaml:"sslmode" default:"prefer" oneof:"disable allow prefer require verify-ca verify-full"`
	// SSLRootCert is the file with the certificate authority. Not in Salt.
	SSLRootCert string `yaml:"sslrootcert"`
	// SSLCert is the file with the client certificate. Not in Salt.
	SSLCert string `yaml:"sslcert"`
	// SSLKey is the file with the key of the client certificate. Not in Salt.
	SSLKey string `yaml:"sslkey"`
	// SSLCRL is the file with the certificates that the authority has revoked. Not in Salt.
	SSLCRL string `yaml:"sslcrl"`
}
