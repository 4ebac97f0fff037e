package config

import (
	"slices"
	"strings"
	"testing"
)

func TestSecretName(t *testing.T) {
	for name, want := range map[string]bool{
		"password": true, "git_pillar_password": true, "alternative.mysql.pass": true, "apiKey": true, "ssh-passphrase": true, "PASSWORD": true,
		"secret_key": true, "auth.ldap.bindpw": true, "user_tokens": true, "token_dir": false, "token_expire": false, "pass_dir": false,
		"ssl_key": false, "key": false, "rows_key": false, "": false, "keyboard": false, "compass": false,
	} {
		if secretName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func TestWithoutPassword(t *testing.T) {
	for text, want := range map[string]string{
		"https://fred:hush@git.example/x":         "https://fred:" + Masked + "@git.example/x",
		"https://fred:hu/sh@git.example/x":        "https://fred:" + Masked + "@git.example/x",
		"main https://:hush@h y":                  "main https://:" + Masked + "@h y",
		"fred:hush@tcp(db)/salt":                  "fred:" + Masked + "@tcp(db)/salt",
		"https://git.example/x":                   "https://git.example/x",
		"git@github.com:org/repo.git":             "git@github.com:org/repo.git",
		"a@b":                                     "a@b",
		"https://u:p@h https://v:q@i":             "https://u:" + Masked + "@h https://v:" + Masked + "@i",
		"ssh://git@host:22/x":                     "ssh://git@host:22/x",
		"no address at all, and a colon: as well": "no address at all, and a colon: as well",
	} {
		if got := withoutPassword(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// The headers for a collector contain its token: no command shows them.
func TestShown_CollectorHeaders(t *testing.T) {
	for _, option := range []string{"tracing", "metrics"} {
		conf := map[string]any{"enabled": true, "endpoint": "http://c:4318", "headers": map[string]any{"Authorization": "Bearer hush", "X-Site": "a"}}
		got, _ := masked(option, conf).(map[string]any)
		if got["headers"] != Masked || got["endpoint"] != "http://c:4318" {
			t.Errorf("%s: %v", option, got)
		}
	}
}

// powerful are the options that cannot be changed remotely. Every option of a master is here or
// in Changeable, so that each new one is considered.
var powerful = strings.Fields(`
	batch_safe_limit batch_safe_size
	reactor reactor_worker_hwm reactor_worker_threads schedule
	git_pillar_base git_pillar_branch git_pillar_env git_pillar_fallback git_pillar_includes git_pillar_insecure_auth
	git_pillar_passphrase git_pillar_password git_pillar_privkey git_pillar_pubkey git_pillar_refspecs git_pillar_root
	git_pillar_ssl_verify git_pillar_update_interval git_pillar_user gitfs_base gitfs_disable_saltenv_mapping gitfs_fallback
	gitfs_insecure_auth gitfs_mountpoint gitfs_passphrase gitfs_password gitfs_privkey gitfs_pubkey gitfs_ref_types gitfs_refspecs
	gitfs_remotes gitfs_root gitfs_saltenv gitfs_saltenv_blacklist gitfs_saltenv_whitelist gitfs_ssl_verify gitfs_update_interval
	gitfs_user
	decrypt_pillar decrypt_pillar_default decrypt_pillar_delimiter decrypt_pillar_renderers ext_pillar ext_pillar_first on_demand_ext_pillar
	pillar_cache pillar_cache_backend pillar_cache_ttl pillar_includes_override_sls pillar_merge_lists pillar_opts pillar_roots
	pillar_safe_render_error pillar_source_merging_strategy pillar_timeout pillar_upstream pillar_workers pillarenv pillarenv_from_saltenv
	acl_match acl_returners allow_minion_key_revoke api api_event_file api_events api_logfile api_metrics_listen api_pidfile api_results api_upstream api_upstream_ca api_upstream_token_file append_domain auth_events auth_events_autosign_grains auth_mode auto_accept autoreject_file
	autosign_file autosign_grains_dir autosign_timeout bounds cache cachedir client_acl_verify cluster_id cluster_leader cluster_peers color_theme debug_socket default_include
	drop_messages_signature_fail eauth_tokens enforce_mine_cache event_return event_return_blacklist event_return_whitelist
	ext_job_cache external_auth file_buffer_size file_cache_size file_ignore_glob file_ignore_regex file_recv file_recv_max_size file_roots
	fileserver_backend fileserver_events fileserver_followsymlinks fileserver_ignoresymlinks fileserver_list_cache_time fips_mode frame_timeout handshake_timeout hash_type
	httpfs_files id interface ipc_framing ipc_mode ipv6 job_cache job_cache_files job_cache_returns job_store_file keep_acl_in_token key_pass keysize log_file
	master_id master_job_cache master_pubkey_signature master_sign_key_name master_sign_pubkey master_use_pubkey_signature
	max_connections max_connections_per_address max_event_size max_frame_size max_frame_size_untrusted max_handshakes max_minions
	max_open_files max_pending_keys max_request_bytes metrics metrics_listen minimum_auth_version minion_data_cache minion_id_caching
	minion_id_lowercase minion_id_remove_domain minionfs_blacklist minionfs_env minionfs_mountpoint minionfs_whitelist netapi_enable_clients nodegroups open_mode order_masters outbox_max_bytes
	output_file
	outbox_max_rows peer peer_run permissive_acl permissive_pki_access pidfile pillar_version pki_dir presence_ask
	presence_reconnect preserve_minion_cache pub_hwm pub_hwm_bytes pub_slow publish_port publish_prune
	publish_retention_max_bytes publish_session publish_signing_algorithm publisher_acl publisher_acl_blacklist rehome
	rehome_address rehome_keys request_server_ttl require_minion_sign_messages rest_cherrypy rest_timeout rest_tornado ret_port
	root_dir roots_update_interval rotate_aes_key runner_returns sign_jobs sign_jobs_life sign_pub_messages signing_key_pass sock_dir stall_timeout sudo_acl
	syndic_dir syndic_events_blacklist syndic_events_whitelist syndic_failback syndic_failover syndic_failover_after
	syndic_finger syndic_forward_returns syndic_ids syndic_jid_forward_cache_hwm syndic_log_file syndic_master
	syndic_master_port syndic_master_publish_port syndic_mode syndic_pidfile syndic_user tcp_keepalive tcp_keepalive_cnt
	tcp_keepalive_idle tcp_keepalive_intvl tcp_master_pub_port tcp_master_pull_port token_dir token_expire
	token_expire_user_override topology_gossip topology_gossip_keyring topology_gossip_listen topology_gossip_seeds tracing transport
	allow_undefined default_top env_order failhard gpg_keydir jinja_env jinja_lstrip_blocks jinja_sls_env jinja_trim_blocks master_tops mine_get
	grains_max_size mask_job_args mine_max_size minion_event_tags minion_events_max_bytes minion_returns_max_bytes render_max_bytes renderer
	renderer_blacklist renderer_whitelist saltenv state_aggregate state_auto_order state_events state_top
	state_top_saltenv top_file_merging_strategy upstream_check user zmq_backlog zmq_filtering zmq_heartbeat_ivl zmq_heartbeat_timeout`)

func TestChangeable(t *testing.T) {
	for name := range masterTable() {
		may, not := slices.Contains(Changeable, name), slices.Contains(powerful, name)
		if may == not {
			t.Errorf("option %s: whether it may be set from afar is not decided: it belongs into Changeable or powerful", name)
		}
		if err := MayChange(name); (err == nil) != may {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range slices.Concat(Changeable, powerful) {
		if _, known := masterTable()[name]; !known {
			t.Errorf("%s is no option", name)
		}
	}
	for _, name := range []string{"include", "mysql.host", "mysql", "alternative.mysql.pass", "file_roots", "worker_threads", "timeuot", ""} {
		if MayChange(name) == nil {
			t.Errorf("%q may be set", name)
		}
	}
}

func FuzzCheckValue(f *testing.F) {
	f.Add("timeout", "5")
	f.Add("log_level", "loud")
	f.Add("state_output_exclude", "True")
	f.Fuzz(func(_ *testing.T, name, text string) {
		_ = CheckValue(name, text)
		_ = CheckValue(name, []any{text, nil})
		_ = shown(name, map[string]any{name: text, text: []any{name}})
	})
}
