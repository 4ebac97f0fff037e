package config

import (
	"errors"
	"fmt"
	"net"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxSocketPath is the longest path of a local socket that the system accepts.
const maxSocketPath = 107

// checker collects the faults of one configuration.
type checker struct {
	places map[string]Place
	faults []error
}

func (c *checker) fault(option, format string, args ...any) {
	c.faults = append(c.faults, &Fault{Place: c.places[option], Option: option, Text: fmt.Sprintf(format, args...)})
}

// Validate checks every option alone and those that depend on each other. The error joins one
// *Fault per fault.
func (m *Master) Validate() error {
	c := &checker{places: m.places}
	c.table(reflect.ValueOf(m).Elem(), masterTable(), "")
	c.mysql(&m.MySQL)
	c.common(&m.Common)
	if net.ParseIP(strings.Trim(m.Interface, "[]")) == nil {
		c.fault("interface", "%q is no address; 0.0.0.0 means all", m.Interface)
	}
	if m.Ipv6 != nil && !*m.Ipv6 && strings.Contains(m.Interface, ":") {
		c.fault("ipv6", "is false, but interface %s is an IPv6 address", m.Interface)
	}
	if m.MaxFrameSizeUntrusted > m.MaxFrameSize {
		c.fault("max_frame_size_untrusted", "%d is more than max_frame_size %d", m.MaxFrameSizeUntrusted, m.MaxFrameSize)
	}
	if m.PublishPort != 0 && m.PublishPort == m.RetPort {
		c.fault("ret_port", "is %d like publish_port; the two have to differ", m.RetPort)
	}
	c.sockets(m.SockDir, "master_event_pull.ipc", &m.Common)
	c.acl("mine_get", m.MineGet)
	c.blacklist("publisher_acl_blacklist", m.PublisherAclBlacklist)
	c.topology(&m.MasterTopology)
	if _, err := m.Roots(); err != nil {
		c.fault("file_roots", "%s", strings.TrimPrefix(err.Error(), "file_roots: "))
	}
	for i, a := range m.SyndicMaster {
		c.address("syndic_master", i, a)
	}
	if m.ZmqHeartbeatIvl > 0 && m.ZmqHeartbeatTimeout > 0 && m.ZmqHeartbeatTimeout < 10*time.Millisecond {
		c.fault("zmq_heartbeat_timeout", "%s is too short to answer a ping", m.ZmqHeartbeatTimeout)
	}
	return errors.Join(c.faults...)
}

// Validate checks every option alone and those that depend on each other. The error joins one
// *Fault per fault.
func (m *Minion) Validate() error {
	c := &checker{places: m.places}
	c.table(reflect.ValueOf(m).Elem(), minionTable(), "")
	c.mysql(&m.MySQL)
	c.common(&m.Common)
	// The name contains ten hex digits of the hash of the id.
	c.sockets(m.SockDir, "minion_event_0123456789_pull.ipc", &m.Common)
	if len(m.Master) == 0 && m.MasterType != "disable" {
		c.fault("master", "names no master; set a name or an address, or master_type: disable")
	}
	for i, a := range m.Master {
		c.address("master", i, a)
	}
	if m.ReconMax < m.ReconDefault {
		c.fault("recon_max", "%s is less than recon_default %s", m.ReconMax, m.ReconDefault)
	}
	if m.ReturnRetryTimerMax != 0 && m.ReturnRetryTimerMax < m.ReturnRetryTimer {
		c.fault("return_retry_timer_max", "%s is less than return_retry_timer %s", m.ReturnRetryTimerMax, m.ReturnRetryTimer)
	}
	if a := m.SourceAddress; a != "" && net.ParseIP(a) == nil && strings.ContainsAny(a, ": \t/\x00,") {
		c.fault("source_address", "%q is no host name or address", a)
	}
	switch q := m.StateQueue.(type) {
	case nil, bool:
	case int64:
		if q < 0 {
			c.fault("state_queue", "%d is too small: at least 0", q)
		}
	default:
		c.fault("state_queue", "wants true, false or a number of runs, has %s", describe(q))
	}
	if m.ProcessCountMax == 0 {
		c.fault("process_count_max", "0 would run no job; -1 means no limit")
	}
	return errors.Join(c.faults...)
}

// table checks the bounds in the tags.
func (c *checker) table(v reflect.Value, t map[string]option, prefix string) {
	for name, o := range t {
		var n float64
		switch f := v.FieldByIndex(o.index).Interface().(type) {
		case time.Duration:
			n = float64(f) / float64(o.unit)
		case int:
			n = float64(f)
		case int64:
			n = float64(f)
		case string:
			c.word(prefix+name, o, f)
			continue
		case []string:
			for _, s := range f {
				c.word(prefix+name, o, s)
			}
			continue
		default:
			continue
		}
		if o.min != nil && n < *o.min {
			c.fault(prefix+name, "%s is too small: at least %s", short(n), short(*o.min))
		}
		if o.max != nil && n > *o.max {
			c.fault(prefix+name, "%s is too large: at most %s", short(n), short(*o.max))
		}
	}
}

func short(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func (c *checker) word(name string, o option, s string) {
	known := o.words()
	if s == "" || known == nil || slices.Contains(known, s) {
		return
	}
	text := fmt.Sprintf("%q is not known; use one of %s", s, strings.Join(known, ", "))
	if len(known) == 1 {
		text = fmt.Sprintf("%q is not supported; only %s is", s, known[0])
	}
	c.fault(name, "%s", text)
}

func (c *checker) mysql(o *MySQLOptions) {
	c.table(reflect.ValueOf(o).Elem(), mysqlTable(), "mysql.")
	if (o.SSLCert == "") != (o.SSLKey == "") {
		c.fault("mysql.ssl_cert", "mysql.ssl_cert and mysql.ssl_key are set together or not at all")
	}
}

func (c *checker) common(o *Common) {
	if o.ID != "" {
		if err := CheckID(o.ID); err != nil {
			c.fault("id", "%v", err)
		}
	}
	if o.FipsMode {
		c.fault("fips_mode", "true is not supported: peers may choose SHA-1 and X9.31, as Salt's protocol has it; set it to false")
	}
	if _, err := ReadMetrics(o.Metrics, ""); err != nil {
		c.fault("metrics", "%v", err)
	}
	if _, err := ReadTracing(o.Tracing, ""); err != nil {
		c.fault("tracing", "%v", err)
	}
}

func (c *checker) sockets(dir, longest string, o *Common) {
	if n := len(dir) + 1 + len(longest); o.IpcMode == "ipc" && n > maxSocketPath {
		c.fault("sock_dir", "%s is %d bytes too long for local sockets; choose a shorter folder or ipc_mode: tcp", dir, n-maxSocketPath)
	}
}

// acl checks the form {name: [rule]}; a rule is a string or a map.
func (c *checker) acl(option string, acl map[string]any) {
	for who, rules := range acl {
		list, ok := rules.([]any)
		if !ok {
			c.fault(option, "%s: wants a list of functions, has %s", who, describe(rules))
			continue
		}
		for i, r := range list {
			switch r.(type) {
			case string, map[string]any:
			default:
				c.fault(option, "%s: rule %d should be a function or a mapping, not %s", who, i+1, describe(r))
			}
		}
	}
}

// blacklist checks the form {users: [pattern], modules: [pattern]}. With a misspelled key,
// nothing would be forbidden.
func (c *checker) blacklist(option string, lists map[string]any) {
	for name, v := range lists {
		if name != "users" && name != "modules" {
			c.fault(option, "%q is not known; use users and modules", name)
			continue
		}
		items, ok := v.([]any)
		if _, one := v.(string); !ok && !one && v != nil {
			c.fault(option, "%s: wants a list of patterns, has %s", name, describe(v))
		}
		for i, e := range items {
			if _, ok := e.(string); !ok {
				c.fault(option, "%s: entry %d should be a text, not %s", name, i+1, describe(e))
			}
		}
	}
}

// address checks the address of a master: name, address, name:port, address:port, [v6]:port.
func (c *checker) address(option string, i int, a string) {
	if net.ParseIP(a) != nil {
		return
	}
	hostPart := a
	if h, port, err := net.SplitHostPort(a); err == nil {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			c.fault(option, "entry %d: %q has no valid port", i+1, a)
			return
		}
		hostPart = h
	}
	hostPart = strings.Trim(hostPart, "[]")
	if hostPart == "" || strings.ContainsAny(hostPart, " \t/\x00,") || (strings.Contains(hostPart, ":") && net.ParseIP(hostPart) == nil) {
		c.fault(option, "entry %d: %q is no host name or address (several masters are written as a list)", i+1, a)
	}
}

// CheckID returns an error if a minion id is not valid: it must be usable as a file name in the
// key directories.
func CheckID(id string) error {
	switch {
	case id == "":
		return errors.New("the id is empty")
	case len(id) > 255:
		return fmt.Errorf("the id has %d bytes; a file name takes 255", len(id))
	case strings.ContainsAny(id, "/\\\x00"):
		return fmt.Errorf("the id %q holds a character that a file name cannot (/, \\, NUL)", id)
	case id[0] == '.':
		return fmt.Errorf("the id %q begins with a dot; key folders ignore such names", id)
	case !utf8.ValidString(id):
		return fmt.Errorf("the id %q is not UTF-8; masters refuse it", id)
	case strings.ContainsFunc(id, unicode.IsControl):
		return fmt.Errorf("the id %q holds a control character (a line end, a tabulator); masters refuse it", id)
	}
	return nil
}
