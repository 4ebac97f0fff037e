// Package lowdata reads what a request to the REST API asks for: a list of chunks, each of
// which names a client, a function and its arguments, as JSON, YAML or the fields of a
// form. A chunk becomes a job, a call of a runner or one of the wheel; nothing is run here.
package lowdata
