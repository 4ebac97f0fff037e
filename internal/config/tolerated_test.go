package config

import (
	"slices"
	"strings"
	"testing"
)

// Salt starts with these words and uses its default, so they do not prevent a start; a warning
// names each.
func TestUnknownWordsThatSaltTolerates(t *testing.T) {
	text := "log_level: warn\nlog_level_logfile: loud\nstate_output: short\nevent_match_type: glob\ntop_file_merging_strategy: mix\n" +
		"out.table.justify: middle\npillar_source_merging_strategy: mix\n"
	m, w, err := loadMaster(files(t, "master", text), machine("h"))
	if err != nil {
		t.Fatal(err)
	}
	if d := DefaultMaster(); m.LogLevel != d.LogLevel || m.LogLevelLogfile != "" || m.StateOutput != d.StateOutput || m.EventMatchType != d.EventMatchType ||
		m.TopFileMergingStrategy != d.TopFileMergingStrategy || m.OutTableJustify != d.OutTableJustify || m.PillarSourceMergingStrategy != d.PillarSourceMergingStrategy {
		t.Error("an unknown word does not give the default")
	}
	got := warningTexts(w)
	unknown := 0
	for _, line := range got {
		if strings.Contains(line, "is not known") {
			unknown++
		}
	}
	if unknown != strings.Count(text, "\n") {
		t.Errorf("%d warnings: %q", unknown, got)
	}
	want := `master:1: option log_level: "warn" is not known, the default warning is used; there are all, garbage, trace, debug, profile, info, warning, error, critical, quiet`
	if !slices.Contains(got, want) {
		t.Errorf("warnings %q lack %q", got, want)
	}
	mi, _, err := loadMinion(files(t, "minion", "master: m\nid: a\nbackup_mode: all\nlog_level: 30\n"), machine("h"), false)
	if err != nil {
		t.Fatal(err)
	}
	if mi.BackupMode != "" || mi.LogLevel != "warning" {
		t.Errorf("backup_mode %q, log_level %q", mi.BackupMode, mi.LogLevel)
	}
}

// Stores, caches and returners that only Salt has do not prevent the start.
func TestUnknownStoresThatSaltTolerates(t *testing.T) {
	m, w, err := loadMaster(files(t, "master", "event_return: [mysql, sentry]\ncache: consul\neauth_tokens: rediscluster\n"), machine("h"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.EventReturn, []string{"mysql"}) || m.Cache != "localfs" || m.EauthTokens != "localfs" {
		t.Errorf("event_return %q, cache %q, eauth_tokens %q", m.EventReturn, m.Cache, m.EauthTokens)
	}
	for _, want := range []string{
		`master:1: option event_return: "sentry" is not known, it is ignored; there are kafka, mysql, nats, pgjsonb, postgres, rawfile_json`,
		`master:2: option cache: "consul" is not known, the default localfs is used; there are localfs, redis`,
	} {
		if got := warningTexts(w); !slices.Contains(got, want) {
			t.Errorf("warnings %q lack %q", got, want)
		}
	}
}
