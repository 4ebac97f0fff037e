package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// The keys, words and defaults are those of salt/utils/metrics.py of Salt 3008.
func TestReadMetrics(t *testing.T) {
	standard := Metrics{Collector: Collector{Exporter: "otlp-http", Service: "salt-master"}, Interval: time.Minute, Listen: "127.0.0.1:9464"}
	with := func(f func(*Metrics)) Metrics { m := standard; f(&m); return m }
	for _, c := range []struct {
		name string
		conf map[string]any
		want Metrics
		bad  string // part of the error
	}{
		{name: "none", want: standard},
		{
			name: "pushed", conf: map[string]any{
				"enabled": true, "endpoint": "http://c:4318/v1/metrics", "service_name": "s", "resource_attributes": map[string]any{"site": "a"},
				"headers": map[string]any{"X-Token": "t"}, "export_interval_seconds": int64(10), "insecure": true,
			},
			want: with(func(m *Metrics) {
				m.Enabled, m.Endpoint, m.Service, m.Interval = true, "http://c:4318/v1/metrics", "s", 10*time.Second
				m.Resource, m.Headers = map[string]string{"site": "a"}, map[string]string{"X-Token": "t"}
			}),
		},
		{
			name: "served", conf: map[string]any{"enabled": true, "exporter": "prometheus", "prometheus": map[string]any{"host": "::1", "port": int64(9000)}},
			want: with(func(m *Metrics) { m.Enabled, m.Exporter, m.Listen = true, "prometheus", "[::1]:9000" }),
		},
		{name: "empty values are the defaults", conf: map[string]any{"exporter": "", "export_interval_seconds": int64(0), "prometheus": nil}, want: standard},
		{
			name: "what Salt tolerates", conf: map[string]any{"exporter": "smoke", "histogram_boundaries": map[string]any{}},
			want: with(func(m *Metrics) {
				m.Exporter = "smoke"
				m.Unknown = []string{"histogram_boundaries has no effect: the buckets are fixed", `exporter "smoke" is unknown: no metrics are sent`}
			}),
		},
		{name: "an interval in words", conf: map[string]any{"export_interval_seconds": "often"}, bad: "export_interval_seconds: wants a number of seconds"},
		{name: "a short interval", conf: map[string]any{"export_interval_seconds": 0.01}, bad: "wants 1 to 86400 seconds"},
		{name: "a port that is none", conf: map[string]any{"prometheus": map[string]any{"port": int64(0)}}, bad: "prometheus: port: wants 1 to 65535"},
		{name: "no map", conf: map[string]any{"prometheus": "host"}, bad: "prometheus: wants host and port"},
	} {
		got, err := ReadMetrics(c.conf, "salt-master")
		switch {
		case c.bad != "":
			if err == nil || !strings.Contains(err.Error(), c.bad) {
				t.Errorf("%s: error %v, want one with %q", c.name, err, c.bad)
			}
		case err != nil || !reflect.DeepEqual(got, c.want):
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}
