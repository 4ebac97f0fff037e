// Package strangers measures what strangers can do to the REST API: 1,024 of them at once with
// the worst bodies that are known, bodies that do not arrive, and guesses at logins. Each
// figure is of a process of its own. See docs/guide/api.md, "What strangers may use".
//
//	go test ./test/strangers -v
package strangers
