// Package pillar compiles the pillar of a minion. It renders the top files and SLS of pillar_roots
// with the minion's grains (salt/render), merges them, and adds the sources of ext_pillar (package
// ext). Rules and error texts are Salt's; see docs/guide/pillar.md.
//
// A pillar is for one minion alone. The key of the request is the only proof of its identity:
// templates see that id, in grains too.
//
// What cannot be rendered, found or queried is an entry of _errors in the pillar, so that minions
// refuse to apply states, and a log line with the minion's id. A value is never silently missing.
//
// A master has one [Compiler]. It limits the number of concurrent compilations and the time of
// each. It caches pillars until their inputs change, or for pillar_cache_ttl with pillar_cache. One
// compilation is a pass; it runs in one goroutine and records what it reads.
package pillar
