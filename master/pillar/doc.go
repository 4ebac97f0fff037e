// Package pillar compiles the pillar of a minion: the top files and SLS of pillar_roots,
// rendered with the minion's grains by salt/render and merged, and what the sources of
// ext_pillar (package ext) add to it. The rules and the texts of errors are Salt's; see
// docs/guide/pillar.md.
//
// A pillar is for one minion alone, so whose it is comes from the key that the request was
// made with and from nothing else: the id that templates see, in grains as well, is that
// one.
//
// What cannot be rendered, found or asked for is an entry of _errors in the pillar, by
// which minions refuse to apply states, and a line in the log with the minion's id. It is
// never a value that is missing without a word.
//
// [Compiler] is what the master has: it bounds how many pillars are compiled at once and
// how long one may take, and keeps compiled pillars as long as nothing that went into them
// has changed, or for pillar_cache_ttl with pillar_cache. One compilation is a pass; it
// runs in one goroutine, and what it reads is noted in it.
package pillar
