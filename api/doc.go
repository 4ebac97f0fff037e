// Package api is the REST API: Salt's rest_cherrypy and rest_tornado in one server, and more.
//
// A request passes the middlewares (address, log, recovery, ambiguous heads, front end), the router,
// which finds the route, and the guard of the route, which checks the token and takes a place. Then
// the handler of its resource answers: jobs.go, keys.go, tree.go and so on, each with an interface of
// what it asks the master. routes.go is the table from which the router and the OpenAPI document are
// made, and build.go connects all parts. The master decides who may do what: each user has a [Session].
//
// Package lowdata reads what a request asks for, package stream distributes events to readers, package
// listener bounds connections, package page has the web page, and package backend asks the master. The
// dialects differ by their dialectRules; docs/guide/api-compatibility.md lists the differences to Salt.
//
// The files of a package refer to each other in one direction; TestFilesAreLayered checks it.
package api
