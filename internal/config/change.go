package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Changeable are the options that a caller of the master may change remotely (the wheel
// functions config.apply and config.update_config): about timeouts, retention, logs and the
// output of commands. None of them grants access or rights, changes where the master keeps its
// files and keys or which peers it trusts or serves, or turns off a bound that protects it.
var Changeable = []string{
	"archive_jobs", "cli_summary", "color", "event_match_type", "event_return_queue", "event_return_queue_max_seconds",
	"gather_job_timeout", "job_cache_store_endtime", "keep_jobs", "keep_jobs_seconds", "log_level", "log_level_logfile",
	"loop_interval", "master_stats", "minion_data_cache_events", "output", "out.table.delim", "out.table.has_header",
	"out.table.justify", "out.table.labels_key", "out.table.nested_indent", "out.table.prefix", "out.table.row_delimiter",
	"out.table.rows_key", "out.table.separate_rows", "out.table.suffix", "out.table.title", "out.table.width", "ping_on_rotate",
	"presence_events", "publish_retention", "salt_cp_chunk_size", "show_jid", "show_timeout", "state_compress_ids",
	"state_output", "state_output_diff", "state_output_exclude", "state_output_pct", "state_output_profile", "state_output_terse",
	"state_tabular", "state_verbose", "syndic_event_forward_timeout", "syndic_wait", "publish_syndic_wait", "timeout", "unique_jid",
}

// MayChange returns an error if an option may not be changed remotely.
func MayChange(name string) error {
	//mutant:runners-options-with-power
	if slices.Contains(Changeable, name) {
		return nil
	}
	_, known := masterTable()[name]
	switch {
	case name == "include", known, isDatabase(name), isExtra(name), logins[name]:
		return fmt.Errorf("option %s may not be set remotely: it gives power over the master or what it protects; set it in a file of the master. These may be set remotely: %s",
			name, strings.Join(Changeable, ", "))
	case NotYet[name]&Masters != 0:
		return fmt.Errorf("option %s is not supported yet and would have no effect", name)
	case NotNeeded[name] != "":
		return fmt.Errorf("option %s would have no effect: %s", name, NotNeeded[name])
	}
	if near := Similar(name, slices.Collect(maps.Keys(masterTable()))); near != "" {
		return fmt.Errorf("unknown option %s; did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown option %s", name)
}

// CheckValue returns an error if a value is not valid for an option.
func CheckValue(name string, val any) error {
	o, ok := masterTable()[name]
	if !ok {
		return fmt.Errorf("unknown option %s", name)
	}
	m := DefaultMaster()
	v := reflect.ValueOf(m).Elem()
	if val == nil {
		return fmt.Errorf("option %s wants a value", name)
	}
	if _, err := o.assign(v.FieldByIndex(o.index), named(val), pyText(val)); err != nil {
		return fmt.Errorf("option %s %w", name, err)
	}
	c := &checker{places: map[string]Place{}}
	c.table(v, map[string]option{name: o}, "")
	if len(c.faults) > 0 {
		return fmt.Errorf("option %w", c.faults[0])
	}
	return nil
}
