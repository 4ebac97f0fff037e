// Package upstream runs Salt's own test suites, unchanged, against mom (`make upstream`).
//
// Salt's suites start daemons and commands with pytest-salt-factories, which looks for them
// in one folder (scripts_dir). This package fills that folder with programs of Salt's names
// that run mom or Salt, as a [Cast] says, and lets bridge.py forward the event bus of each Go
// daemon to the listener of the factories. It reads the junit files that pytest writes and
// generates docs/reference/upstream.md from the results and from reasons.tsv, which has a reason for
// every test that fails.
//
// Nothing of Salt's is part of this repository: environment variables name an unpacked Salt
// with its tests (SALT_PEER, SALT_TESTS) and the sources of pytest-salt-factories and of the
// plugins that it needs (SALT_FACTORIES).
package upstream
