// Package lowdata reads the calls in a request to the REST API: a list of chunks, each of which names a
// client, a function and its arguments, as JSON, YAML or the fields of a form. A chunk becomes a job, a
// runner call or a wheel call. The package runs nothing.
package lowdata
