// Package page is the live page of a tree as a browser gets it: the files of assets, which
// are built into the program as they stand, and folders and files of the user's.
//
// The page stands on the REST API alone and has no rights of its own: what it shows is what
// the user who has logged in may ask for. Its headers let a browser run nothing that does
// not come from the API's own address, so that what a minion, a job or an event says stays
// text even if a view forgot to treat it so.
package page
