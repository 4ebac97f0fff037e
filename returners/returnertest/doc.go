// Package returnertest tests returners. [Run] and its like are suites that a returner calls from its own tests; the
// other functions make rows as masters store them, and start database servers.
package returnertest
