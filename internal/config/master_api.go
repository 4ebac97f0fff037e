package config

import "time"

// MasterAPI is the REST API, which the command mom api serves, or the master itself.
type MasterAPI struct {
	// Api has the master, or the node with its master, serve the API in its own process;
	// mom api need not run then. Ours. Default false.
	Api bool `yaml:"api" default:"false"`
	// ApiUpstream makes mom api a gateway: it asks the API at this address, such as
	// https://top:8000, in place of a master on its own host. Ours. Default none.
	ApiUpstream string `yaml:"api_upstream"`
	// ApiUpstreamCa is a file in PEM with the authorities of that API's certificate.
	// Ours. Default: those of the system.
	ApiUpstreamCa string `yaml:"api_upstream_ca"`
	// ApiUpstreamTokenFile holds the token with which a gateway listens to events. Ours.
	// Default none: a gateway without it has no events.
	ApiUpstreamTokenFile string `yaml:"api_upstream_token_file"`
	// RestCherrypy is the listener of the API in the manner of Salt's rest_cherrypy:
	// {port, host, ssl_crt, ssl_key, ssl_chain, disable_ssl, webhook_url,
	// webhook_disable_auth, ...}. Default none.
	RestCherrypy map[string]any `yaml:"rest_cherrypy"`
	// RestTornado is the one in the manner of rest_tornado: {port, address, ssl_crt,
	// ssl_key, disable_ssl, websockets, cors_origin, ...}. Default none.
	RestTornado map[string]any `yaml:"rest_tornado"`
	// NetapiEnableClients are the clients that the API may use: local, local_async,
	// local_batch, local_subset, runner, runner_async, wheel, wheel_async. Default none.
	NetapiEnableClients []string `yaml:"netapi_enable_clients"`
	// RestTimeout bounds a runner or wheel call of the API that names no time of its
	// own, in seconds. Default 300.
	RestTimeout time.Duration `yaml:"rest_timeout" unit:"s" default:"300" min:"1"`
	// ApiEvents tells which events users of the API hear: own are those that their rules
	// allow (docs/guide/api.md, Events), all are all for whoever holds a token, as with Salt.
	// Ours. Default own.
	ApiEvents string `yaml:"api_events" default:"own" oneof:"own all"`
	// ApiEventFile bounds the file in the folder api of cachedir in which mom api keeps the
	// latest events for readers that come back after its restart, in bytes; 0: there is no
	// such file. Ours. Default 33554432 (32 MiB).
	ApiEventFile int `yaml:"api_event_file" default:"33554432" min:"0" max:"1073741824"`
	// ApiMetricsListen is metrics_listen of mom api, such as 127.0.0.1:9146. Ours. Default
	// none: nothing listens.
	ApiMetricsListen string `yaml:"api_metrics_listen"`
	// ApiResults names the returner from whose database mom api answers, without any
	// master: jobs and their results alone, to users of external_auth of this
	// configuration; mysql is the one. Ours. Default none: the master is asked.
	ApiResults string `yaml:"api_results" oneof:"mysql"`
	// ApiLogfile is the log file of mom api, or a syslog URL. Default /var/log/salt/api.
	ApiLogfile string `yaml:"api_logfile" default:"/var/log/salt/api"`
	// ApiPidfile holds its process id. Default /var/run/salt-api.pid.
	ApiPidfile string `yaml:"api_pidfile" default:"/var/run/salt-api.pid"`
}
