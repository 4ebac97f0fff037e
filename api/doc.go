// Package api is the REST API: Salt's rest_cherrypy and rest_tornado in one server, with
// net/http, and what goes beyond them.
//
// A request is taken by the table of routes, which the OpenAPI document is made of as well.
// It is given its bounds (in flight, body, deadlines), its answer a form (JSON or YAML), and
// whoever it comes from a [Session] at the master: who may do what is decided there alone.
// Package lowdata reads what is asked, package stream hands events to many readers.
//
// The server asks the master through a [Backend]; that of package client is [Masters].
// Where the two dialects differ, a [Dialect] says how; docs/guide/api-compatibility.md lists it.
package api
