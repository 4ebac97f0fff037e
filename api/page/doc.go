// Package page serves the web page of a tree: the embedded files in assets, and files and directories
// of the user.
//
// The page uses only the REST API and has no rights of its own: it shows what the logged-in user may
// see. Its headers let a browser run nothing that does not come from the API's address. So the text of
// a minion, a job or an event stays text even if a view fails to escape it.
package page
