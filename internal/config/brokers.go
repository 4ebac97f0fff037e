package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// KafkaOptions are the kafka.* options; in a file they may stand as kafka.topic, as
// kafka: {topic: ...}, or with Salt's prefix, returner.kafka.topic.
type KafkaOptions struct {
	// Bootstrap is a list of brokers to connect to first, as host or host:port. Salt's
	// `returner.kafka.bootstrap`.
	Bootstrap []string `yaml:"bootstrap"`
	// Topic is the topic. It is not created. Salt's `returner.kafka.topic`.
	Topic string `yaml:"topic"`
	// Sasl is the mechanism of the login. Not in Salt.
	Sasl string `yaml:"sasl" default:"plain" oneof:"plain scram-sha-256 scram-sha-512"`
	// Username is the account of the login. Default: no login. Not in Salt.
	Username string `yaml:"username"`
	// Password is the password of the account. Not in Salt.
	Password string `yaml:"password" secret:"yes"`
	// TLS controls whether connections use TLS. The other `tls_` options enable it too. Not in Salt.
	TLS bool `yaml:"tls" default:"false"`
	// TLSCA is the file with the certificate authorities. Default: those of the system. Not in Salt.
	TLSCA string `yaml:"tls_ca"`
	// TLSCert is the file with the client certificate. Not in Salt.
	TLSCert string `yaml:"tls_cert"`
	// TLSKey is the file with the key of the client certificate. Not in Salt.
	TLSKey string `yaml:"tls_key"`
}

// NATSOptions are the nats.* options; in a file they may stand as nats.subject or as
// nats: {subject: ...}.
type NATSOptions struct {
	// Servers is a list of servers to connect to, as URL or host:port. Not in Salt.
	Servers []string `yaml:"servers"`
	// Subject is the subject to publish to. A stream must exist that holds it. Not in Salt.
	Subject string `yaml:"subject"`
	// Credentials is the file with the JWT and seed of the account (`.creds`). Not in Salt.
	Credentials string `yaml:"credentials"`
	// Username is the account of the login. Default: no login. Not in Salt.
	Username string `yaml:"username"`
	// Password is the password of the account. Not in Salt.
	Password string `yaml:"password" secret:"yes"`
	// Token is the token of the login. Not in Salt.
	Token string `yaml:"token" secret:"yes"`
	// TLS controls whether connections use TLS. The other `tls_` options enable it too. Not in Salt.
	TLS bool `yaml:"tls" default:"false"`
	// TLSCA is the file with the certificate authorities. Default: those of the system. Not in Salt.
	TLSCA string `yaml:"tls_ca"`
	// TLSCert is the file with the client certificate. Not in Salt.
	TLSCert string `yaml:"tls_cert"`
	// TLSKey is the file with the key of the client certificate. Not in Salt.
	TLSKey string `yaml:"tls_key"`
}

// brokerTables are the tables of these options, by the name of the returner.
var brokerTables = map[string]func() map[string]option{
	"kafka": sync.OnceValue(func() map[string]option { return table(reflect.TypeFor[KafkaOptions]()) }),
	"nats":  sync.OnceValue(func() map[string]option { return table(reflect.TypeFor[NATSOptions]()) }),
}

// brokers checks the types of the options of brokers. The returners read them from Raw.
func (r *reader) brokers(src source) {
	types := map[string]reflect.Value{"kafka": reflect.New(reflect.TypeFor[KafkaOptions]()).Elem(), "nats": reflect.New(reflect.TypeFor[NATSOptions]()).Elem()}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		check := func(as, key string, val any) {
			o, ok := brokerTables[name]()[key]
			if !ok || val == nil {
				return
			}
			if _, err := o.assign(types[name].FieldByIndex(o.index), val, pyText(val)); err != nil {
				r.fault(src.places[as], as, "%s %v", key, err)
			}
		}
		nested, _ := src.Raw[name].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(nested)) {
			check(name, key, nested[key])
		}
		for _, as := range slices.Sorted(maps.Keys(src.Raw)) {
			if key, ok := strings.CutPrefix(strings.TrimPrefix(as, "returner."), name+"."); ok {
				check(as, key, src.Raw[as])
			}
		}
	}
}
