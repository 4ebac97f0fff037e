// Package results answers the REST API from the database in which masters keep their jobs,
// where no master is near: what jobs there were, and what came of them. It is an
// [api.Backend] of its own: users log in by external_auth of the same configuration, get
// tokens that are good here alone, and may see by their rules what a master would show them:
// any job with a right to the runner that is asked, else the jobs they have asked for. All
// that needs a master is refused with [api.ErrNoMaster]. The database is read, never written.
package results
