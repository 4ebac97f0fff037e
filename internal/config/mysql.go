package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// MySQLOptions are the mysql.* options; in a file they may stand as
// mysql.host or as mysql: {host: ...}.
type MySQLOptions struct {
	// Host is the server.
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

// isMySQL reports whether a name is mysql or mysql.<x>, possibly with a prefix that a job may
// name (ret_config), such as alternative.mysql.<x>.
func isMySQL(name string) bool {
	if i := strings.Index(name, "."); i > 0 && strings.HasPrefix(name[i+1:], "mysql.") {
		return true
	}
	return name == "mysql" || strings.HasPrefix(name, "mysql.")
}

// mysql reads the options mysql.host and mysql: {host: }; the dotted form has precedence. The
// returner itself reads those with a prefix from Raw.
func (r *reader) mysql(src source, to *MySQLOptions) {
	v := reflect.ValueOf(to).Elem()
	read := func(name, key string, val any) {
		o, ok := mysqlTable()[key]
		if !ok {
			var names []string
			for k := range mysqlTable() {
				names = append(names, "mysql."+k)
			}
			r.unknown(setting{name: name, place: src.places[name]}, names, "mysql."+key)
			return
		}
		if val == nil {
			return
		}
		if _, err := o.assign(v.FieldByIndex(o.index), val, pyText(val)); err != nil {
			r.fault(src.places[name], "mysql."+key, "%v", err)
		}
	}
	switch nested := src.Raw["mysql"].(type) {
	case nil:
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(nested)) {
			read("mysql", key, nested[key])
		}
	default:
		r.fault(src.places["mysql"], "mysql", "wants a mapping (host, user, ...), has %s", describe(nested))
	}
	for _, name := range slices.Sorted(maps.Keys(src.Raw)) {
		if key, ok := strings.CutPrefix(name, "mysql."); ok {
			read(name, key, src.Raw[name])
		}
	}
}

func holdsSecret(s setting) bool {
	if s.value == nil || s.value == "" {
		return false
	}
	if isMySQL(s.name) || isExtra(s.name) {
		if m, ok := s.value.(map[string]any); ok {
			return m["pass"] != nil || m["password"] != nil || m["token"] != nil
		}
		return slices.Contains([]string{"pass", "password", "token"}, s.name[strings.LastIndex(s.name, ".")+1:])
	}
	if holdsLoginSecret(s) {
		return true
	}
	return masterTable()[s.name].secret || minionTable()[s.name].secret
}
