package config

import (
	"reflect"
	"strings"
	"testing"
)

// The keys, words and defaults are those of salt/utils/tracing.py of Salt 3008.
func TestReadTracing(t *testing.T) {
	for _, c := range []struct {
		name string
		conf map[string]any
		want Tracing
		bad  string // part of the error
	}{
		{name: "none", want: Tracing{Collector: Collector{Exporter: "otlp-http", Service: "salt-master"}, Sampler: "parent_based", SamplerArg: 1}},
		{
			name: "all of Salt's keys",
			conf: map[string]any{
				"enabled": true, "exporter": "console", "endpoint": "http://c:4318/v1/traces", "service_name": "s", "sampler": "trace_id_ratio", "sampler_arg": 0.01,
				"resource_attributes": map[string]any{"site": "a", "rack": int64(7)}, "insecure": true, "headers": map[string]any{"X-Token": "t"},
			},
			want: Tracing{
				Collector: Collector{
					Enabled: true, Exporter: "console", Endpoint: "http://c:4318/v1/traces", Service: "s",
					Resource: map[string]string{"site": "a", "rack": "7"}, Headers: map[string]string{"X-Token": "t"},
				},
				Sampler: "trace_id_ratio", SamplerArg: 0.01,
			},
		},
		{
			name: "empty values are the defaults", conf: map[string]any{"exporter": nil, "endpoint": "", "service_name": "", "headers": nil},
			want: Tracing{Collector: Collector{Exporter: "otlp-http", Service: "salt-master"}, Sampler: "parent_based", SamplerArg: 1},
		},
		{
			name: "what Salt tolerates", conf: map[string]any{"sampler": "often", "exporter": "otlp-grpc", "colour": "red"},
			want: Tracing{
				Sampler: "parent_based", SamplerArg: 1,
				Collector: Collector{Exporter: "otlp-grpc", Service: "salt-master", Unknown: []string{
					"colour is unknown", "exporter otlp-grpc is not served: no spans are sent; otlp-http is, port 4318 of a collector",
					`sampler "often" is unknown: parent_based is used`,
				}},
			},
		},
		{name: "a share above 1", conf: map[string]any{"sampler_arg": int64(2)}, bad: "sampler_arg: wants a number of 0 to 1, has 2"},
		{name: "a share in words", conf: map[string]any{"sampler_arg": "all"}, bad: "sampler_arg"},
		{name: "headers in a list", conf: map[string]any{"headers": []any{"a"}}, bad: "headers: wants a map"},
		{name: "an attribute that is a list", conf: map[string]any{"resource_attributes": map[string]any{"a": []any{}}}, bad: "a wants a text"},
		{name: "an endpoint that is none", conf: map[string]any{"endpoint": true}, bad: "endpoint: wants a text"},
	} {
		got, err := ReadTracing(c.conf, "salt-master")
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
