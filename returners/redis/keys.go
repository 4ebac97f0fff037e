package redis

import (
	"strings"
	"time"
)

// Keys without a variable part.
const (
	minionsKey = "minions"
	jobsKey    = "mom/jobs"
)

const (
	loadPrefix = "load:"
	retPrefix  = "ret:"
)

func loadKey(jid string) string { return loadPrefix + jid }
func retKey(jid string) string  { return retPrefix + jid }
func jobKey(jid string) string  { return "mom/job/" + jid }

func leaseKey(name string) string { return "mom/lease/" + name }

// pointerKey returns the key that holds the jid of a minion's last call of a function. The
// names of a compound call are joined by "," in fun and a list of Python in the key, as in
// Salt. It returns "" if the minion is named such that the key would be that of a load or of
// returns.
func pointerKey(minion, fun string) string {
	if strings.Contains(fun, ",") {
		fun = "['" + strings.ReplaceAll(fun, ",", "', '") + "']"
	}
	key := minion + ":" + fun
	//mutant:redis-no-minion-writes-loads
	if strings.HasPrefix(key, loadPrefix) || strings.HasPrefix(key, retPrefix) {
		return ""
	}
	return key
}

// score is the place of a time in mom/jobs.
func score(t time.Time) float64 { return float64(t.UnixMicro()) }

// seconds returns the life of a key in whole seconds, at least 1; 0 means for ever.
func seconds(keep time.Duration) int64 {
	if keep <= 0 {
		return 0
	}
	return max(1, int64((keep+time.Second-1)/time.Second))
}
