package config

// MySQLOptions are the mysql.* options; in a file they may stand as
// mysql.host or as mysql: {host: ...}.
type MySQLOptions struct {
	// Host is the server. Several servers of one cluster are separated by commas, each as host or
	// host:port, the preferred one first.
	Host string `yaml:"host" default:"salt"`
	// User is the account.
	User string `yaml:"user" default:"salt"`
	// Pass is the password of the account.
	Pass string `yaml:"pass" default:"salt" secret:"yes"`
	// DB is the database.
	DB string `yaml:"db" default:"salt"`
	// Port is the TCP port.
	Port int `yaml:"port" default:"3306" min:"1" max:"65535"`
	// SSLCA is the file with the certificate authority. It enables TLS.
	SSLCA string `yaml:"ssl_ca"`
	// SSLCert is the file with the client certificate.
	SSLCert string `yaml:"ssl_cert"`
	// SSLKey is the file with the key of the client certificate.
	SSLKey string `yaml:"ssl_key"`
	// UnixSocket is the socket to connect to instead of host and port.
	UnixSocket string `yaml:"unix_socket"`
}
