package config

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"time"
)

// Metrics are the keys of the option metrics, with the names and defaults of Salt 3008
// (salt/utils/metrics.py).
type Metrics struct {
	Collector
	// Interval is the time between two exports: export_interval_seconds. Default 60 s.
	Interval time.Duration
	// Listen is the address, host:port, of exporter prometheus. Default 127.0.0.1:9464.
	Listen string
}

// ReadMetrics reads the option metrics. service is the default name of the daemon. As in Salt,
// an unknown exporter does not prevent the start.
func ReadMetrics(conf map[string]any, service string) (Metrics, error) {
	o := Metrics{Collector: collector(service), Interval: time.Minute, Listen: "127.0.0.1:9464"}
	for _, key := range slices.Sorted(maps.Keys(conf)) {
		v, err := conf[key], error(nil)
		switch key {
		case "export_interval_seconds":
			o.Interval, err = interval(v)
		case "prometheus":
			o.Listen, err = prometheusAddr(v)
		case "histogram_boundaries":
			o.Unknown = append(o.Unknown, "histogram_boundaries has no effect: the buckets are fixed")
		default:
			err = o.read(key, v)
		}
		if err != nil {
			return o, fmt.Errorf("%s: %w", key, err)
		}
	}
	o.checkExporter("metrics", "otlp-http", "console", "prometheus")
	return o, nil
}

// interval reads a number of seconds; none and 0 mean the default of a minute.
func interval(v any) (time.Duration, error) {
	var s float64
	switch v := v.(type) {
	case nil:
	case float64:
		s = v
	case int64:
		s = float64(v)
	default:
		return 0, fmt.Errorf("wants a number of seconds, has %T", v)
	}
	switch {
	case s == 0:
		return time.Minute, nil
	case !(s >= 1 && s <= 86400):
		return 0, fmt.Errorf("wants 1 to 86400 seconds, has %v", s)
	}
	return time.Duration(s * float64(time.Second)), nil
}

// prometheusAddr reads {host: , port: }.
func prometheusAddr(v any) (string, error) {
	m, ok := v.(map[string]any)
	if v != nil && !ok {
		return "", fmt.Errorf("wants host and port, has %T", v)
	}
	host, port := "127.0.0.1", int64(9464)
	if err := setText(m["host"], &host); err != nil {
		return "", fmt.Errorf("host: %w", err)
	}
	switch p := m["port"].(type) {
	case nil:
	case int64:
		port = p
	default:
		return "", fmt.Errorf("port: wants a number, has %T", p)
	}
	if port < 1 || port > 65535 {
		return "", fmt.Errorf("port: wants 1 to 65535, has %d", port)
	}
	return net.JoinHostPort(host, strconv.FormatInt(port, 10)), nil
}
