package config

import "time"

// MasterAPI holds the REST API of mom api or of the master itself, see docs/guide/api.md.
type MasterAPI struct {
	// Api controls whether the master serves the API in its own process, without `mom api`. Not in
	// Salt.
	Api bool `yaml:"api" default:"false"`
	// ApiUpstream is the URL of another API, such as `https://top:8000`. With it, `mom api` is a
	// gateway to that API instead of a local master. Not in Salt.
	ApiUpstream string `yaml:"api_upstream"`
	// ApiUpstreamCa is a PEM file with the certificate authorities of that API. Not in Salt. Default:
	// the system's.
	ApiUpstreamCa string `yaml:"api_upstream_ca"`
	// ApiUpstreamTokenFile is the file with the token with which a gateway receives events. Without
	// it, the gateway has none. Not in Salt.
	ApiUpstreamTokenFile string `yaml:"api_upstream_token_file"`
	// RestCherrypy is a map of listener options as in rest_cherrypy of Salt: `port`, `host`,
	// `ssl_crt`, `ssl_key`, `ssl_chain`, `disable_ssl`, `webhook_url`, `webhook_disable_auth` and
	// others.
	RestCherrypy map[string]any `yaml:"rest_cherrypy"`
	// RestTornado is a map of listener options as in rest_tornado of Salt: `port`, `address`,
	// `ssl_crt`, `ssl_key`, `disable_ssl`, `websockets`, `cors_origin` and others.
	RestTornado map[string]any `yaml:"rest_tornado"`
	// NetapiEnableClients is a list of the enabled clients: `local`, `local_async`, `local_batch`,
	// `local_subset`, `runner`, `runner_async`, `wheel`, `wheel_async`.
	NetapiEnableClients []string `yaml:"netapi_enable_clients"`
	// RestTimeout is the time limit for runner and wheel calls without their own.
	RestTimeout time.Duration `yaml:"rest_timeout" unit:"s" default:"300" min:"1"`
	// ApiEvents controls which events users receive: `own` for those that their rules allow
	// (docs/guide/api.md), `all` for all events with any token, as in Salt. Not in Salt.
	ApiEvents string `yaml:"api_events" default:"own" oneof:"own all"`
	// ApiEventFile is the size of the file below `cachedir/api` in which `mom api` keeps the latest
	// events for clients that reconnect after a restart; `0` for none. Not in Salt.
	ApiEventFile int `yaml:"api_event_file" unit:"byte" default:"33554432" min:"0" max:"1073741824"`
	// ApiMetricsListen is the address for metrics of `mom api`, as metrics_listen, such as
	// `127.0.0.1:9146`. Not in Salt.
	ApiMetricsListen string `yaml:"api_metrics_listen"`
	// ApiResults is the returner whose database `mom api` reads without any master: only jobs and
	// results, for users of external_auth. Only `mysql` is supported. Not in Salt.
	ApiResults string `yaml:"api_results" oneof:"mysql"`
	// ApiLogfile is the log file of `mom api`, or a syslog URL.
	ApiLogfile string `yaml:"api_logfile" default:"/var/log/salt/api"`
	// ApiPidfile is the file with the process id of `mom api`.
	ApiPidfile string `yaml:"api_pidfile" default:"/var/run/salt-api.pid"`
}
