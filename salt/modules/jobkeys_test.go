package modules

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestMinionList(t *testing.T) {
	dir := t.TempDir()
	env := newEnv()
	env.options.Set("pki_dir", filepath.Join(dir, "minion"))
	for _, name := range []string{"minions/b", "minions/A", "minions/.key_cache", "minions_pre/new", "minions/sub/x"} {
		path := filepath.Join(dir, "master", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	calls(t, env, []callCase{{"minion.list", nil, map[string]any{
		"minions": []any{"A", "b"}, "minions_pre": []any{"new"}, "minions_rejected": []any{}, "minions_denied": []any{},
	}}})
}

func TestClearJobCache(t *testing.T) {
	dir := t.TempDir()
	env := newEnv()
	env.options.Set("cachedir", dir)
	calls(t, env, []callCase{{"saltutil.clear_job_cache", nil, true}})
	old, young := filepath.Join(dir, "minion_jobs", "20240101000000000000"), filepath.Join(dir, "minion_jobs", "20260101000000000000")
	for _, path := range []string{old, young} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	at := time.Now().Add(-13 * time.Hour)
	if err := os.Chtimes(old, at, at); err != nil {
		t.Fatal(err)
	}
	calls(t, env, []callCase{{"saltutil.clear_job_cache", nil, true}})
	if _, err := os.Stat(old); err != nil {
		t.Errorf("24 hours: %v", err)
	}
	calls(t, env, []callCase{{"saltutil.clear_job_cache", []any{int64(12)}, true}})
	if _, err := os.Stat(old); err == nil {
		t.Error("the old job is still there")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error(err)
	}
}
